import type { Readable } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import { readRegistryDigests } from '../../../../../src/adapters/outbound/hosts/containers/registry-digests.ts';
import type { RegistryAnswer } from '../../../../../src/application/ports/compose/container-engine.ts';
import { FakeHost } from '../../../../fakes/fake-host.ts';
import type { FakeCall } from '../../../../fakes/fake-process.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const FOUND = { Descriptor: { digest: DIGEST } };

interface Asked {
  readonly path: string;
  readonly auth: unknown;
}

/** A host whose engine answers as the test says. */
class Scene {
  readonly host = new FakeHost('web');
  readonly asked: Asked[] = [];
  answer: (asked: Asked) => { status: number; body: unknown } = () => ({ status: 200, body: FOUND });

  constructor() {
    this.config({});
    this.host.on(/dial-stdio/, (call) => this.#serve(call));
    this.host.on(/docker-credential-/, async (call) => {
      const address = await textOf(call.stdin);
      return JSON.stringify({ Username: `${call.args[0]}-user`, Secret: `secret for ${address}` });
    });
  }

  config(config: object): void {
    this.host.on(/config\.json/, () => JSON.stringify(config));
  }

  async ask(...references: string[]): Promise<ReadonlyMap<string, RegistryAnswer>> {
    const { signal } = new AbortController();
    return readRegistryDigests(this.host.session(), references, { engine: 'docker', signal });
  }

  async #serve({ stdin, stdout, signal }: FakeCall): Promise<void> {
    const text = await headersOf(stdin);
    const path = /^GET (\S+) HTTP/.exec(text)?.[1] ?? '';
    const header = /^X-Registry-Auth: (\S+)\r$/im.exec(text)?.[1];
    const auth: unknown = header ? JSON.parse(Buffer.from(header, 'base64url').toString('utf8')) : null;
    const asked = { path, auth };
    this.asked.push(asked);
    const { status, body } = this.answer(asked);
    const json = JSON.stringify(body);
    stdout.write(`HTTP/1.1 ${status} X\r\nContent-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`);
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
  }
}

/** Leaves the stream open: the caller does not end it. */
function headersOf(stream: Readable): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      if (text.includes('\r\n\r\n')) resolve(text);
    });
  });
}

async function textOf(stream: AsyncIterable<unknown>): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  return text;
}

let scene: Scene;
beforeEach(() => {
  scene = new Scene();
});

describe('what registries say', () => {
  it('is asked of the engine, each reference once', async () => {
    const answers = await scene.ask('nginx:1', 'localhost:5000/app:1', 'nginx:1');
    expect(answers).toEqual(
      new Map([
        ['nginx:1', { digest: DIGEST }],
        ['localhost:5000/app:1', { digest: DIGEST }],
      ]),
    );
    expect(scene.asked.map(({ path }) => path).toSorted()).toEqual([
      '/distribution/localhost:5000/app:1/json',
      '/distribution/nginx:1/json',
    ]);
  });

  it.each([
    [404, 'manifest unknown', /has no such image or tag/],
    [401, 'unauthorized', /requires credentials.*docker login registry\.test/],
    [500, 'denied: requested access', /requires credentials/],
    [429, 'toomanyrequests: slow down', /limits the request rate/],
    [
      500,
      'Get "https://registry.test/token?account=me&password=x": no route',
      /could not be reached: Get "https:\/\/registry\.test\/token"/,
    ],
    [200, 'no digest', /could not be reached/],
  ])('with status %d (%s) is explained in a sentence', async (status, message, reason) => {
    scene.answer = () => ({ status, body: { message } });
    const answer = (await scene.ask('registry.test/app')).get('registry.test/app');
    expect(answer).toEqual({ digest: null, reason: expect.stringMatching(reason) });
    expect(JSON.stringify(answer)).not.toContain('password');
  });

  it('of what is no reference is not asked', async () => {
    const hostile = ['app\r\nX-Evil: 1', 'app/../../secrets', 'a b', '$(id)', '-x'];
    const answers = await scene.ask(...hostile);
    expect([...answers.values()].filter(({ digest }) => digest !== null)).toEqual([]);
    expect(scene.asked.map(({ path }) => path)).toEqual([]);
  });
});

describe('the credentials that a host has', () => {
  const auth = Buffer.from('me:s3:cret').toString('base64');

  it('go with questions to their own registry, and no other', async () => {
    scene.config({ auths: { 'https://registry.test/v2/': { auth } } });
    await scene.ask('registry.test/app', 'other.test/app');
    expect(scene.asked.find(({ path }) => path.includes('registry.test'))?.auth).toEqual({
      username: 'me',
      password: 's3:cret',
      serveraddress: 'registry.test',
    });
    expect(scene.asked.find(({ path }) => path.includes('other.test'))?.auth).toBeNull();
  });

  it('of Docker Hub go with images without a registry', async () => {
    scene.config({ auths: { 'https://index.docker.io/v1/': { auth } } });
    await scene.ask('nginx');
    expect(scene.asked[0]?.auth).toMatchObject({
      username: 'me',
      serveraddress: 'https://index.docker.io/v1/',
    });
  });

  it('come from a helper where there is one, asked once for a registry', async () => {
    scene.config({ credHelpers: { 'registry.test': 'vault' } });
    await scene.ask('registry.test/app', 'registry.test/db');
    expect(scene.asked.map((each) => each.auth)).toEqual(
      Array.from({ length: 2 }, () => ({
        username: 'vault-user',
        password: 'secret for registry.test',
        serveraddress: 'registry.test',
      })),
    );
    expect(scene.host.commands.filter(({ script }) => script.includes('docker-credential'))).toHaveLength(1);
  });

  it('are in no script and no argument', async () => {
    scene.config({ auths: { 'registry.test': { auth } }, credsStore: '../../bin/sh' });
    await scene.ask('registry.test/app');
    const said = JSON.stringify(scene.host.commands.map(({ script, args }) => [script, args]));
    expect(said).not.toMatch(/s3:cret|bWU6/);
    expect(scene.asked[0]?.auth).toMatchObject({ password: 's3:cret' });
  });
});

describe('an engine that does not answer', () => {
  it('is a fault of the host, told with its words', async () => {
    scene.host.on(/dial-stdio/, () => ({ exitCode: 1, stderr: 'permission denied: /var/run/docker.sock' }));
    await expect(scene.ask('nginx')).rejects.toMatchObject({
      code: 'host_command_failed',
      message: expect.stringContaining('permission denied'),
    });
  });

  it('is reported as missing if there is none', async () => {
    scene.host.on(/dial-stdio/, () => 127);
    await expect(scene.ask('nginx')).rejects.toMatchObject({ code: 'host_tool_missing' });
  });
});
