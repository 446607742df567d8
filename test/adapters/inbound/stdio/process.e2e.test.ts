import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeTokenSecret } from '../../../../src/domain/access/token-secret.ts';
import { type ApiFixture, openApiFixture } from '../http/api-fixture.ts';
import { AdapterProcess } from './adapter-process.ts';
import { FakeService, reply } from './fake-service.ts';

const NOBODYS_TOKEN = makeTokenSecret((bytes) => Uint8Array.from({ length: bytes }, (_, index) => index));

let fixture: ApiFixture;
beforeEach(async () => {
  fixture = await openApiFixture();
});
afterEach(() => fixture.close());

const initialize = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
};

async function start(scopes: readonly string[] = ['read']): Promise<AdapterProcess> {
  return new AdapterProcess({ SERVICE_URL: fixture.base, SERVICE_TOKEN: await fixture.token(scopes) });
}

describe('The program', () => {
  test('answers until its input ends, with nothing but the protocol on standard output', async () => {
    const adapter = await start();
    expect(await adapter.request(1, 'initialize', initialize)).toMatchObject({
      result: { serverInfo: { name: 'drover' } },
    });
    expect(await adapter.request(2, 'tools/call', { name: 'health' })).toMatchObject({
      result: { structuredContent: { ok: true, scopes: ['read'] } },
    });
    // Requests that came in before the end are answered after it.
    for (let id = 3; id < 1003; id += 1)
      adapter.send({ id, method: 'tools/call', params: { name: 'get_server', arguments: { server_id: 1 } } });
    adapter.child.stdin.end();
    expect(await adapter.ended).toEqual({ code: 0, stderr: '' });
    expect(adapter.said.map(({ id }) => id).sort((a, b) => Number(a) - Number(b))).toEqual(
      Array.from({ length: 1000 }, (_, index) => index + 3),
    );
    expect(adapter.noise).toEqual([]);
  });

  test('keeps the token out of its command line and its words', async () => {
    const token = await fixture.token(['read']);
    const adapter = new AdapterProcess({ SERVICE_URL: fixture.base, SERVICE_TOKEN: token });
    await adapter.request(1, 'ping');
    expect(await readFile(`/proc/${adapter.child.pid}/cmdline`, 'utf8')).not.toContain(token.slice(4));
    adapter.child.stdin.end();
    expect((await adapter.ended).stderr).not.toContain(token.slice(4));
  });

  test('ends with 1 where the token lacks read, and says so', async () => {
    const adapter = await start(['jobs', 'edit', 'files']);
    const answer = await adapter.request(1, 'initialize', initialize);
    expect(answer).toMatchObject({ error: { code: -32001 } });
    expect(await adapter.ended).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^drover-mcp: .*scope "read".*\n$/),
    });
  });

  test('ends with 1 if the token lacks read and its input is closed already', async () => {
    const adapter = await start(['jobs']);
    adapter.child.stdin.end();
    expect(await adapter.ended).toEqual({ code: 1, stderr: expect.stringContaining('scope "read"') });
  });

  test('ends with 1 where the service does not know the token', async () => {
    const adapter = new AdapterProcess({ SERVICE_URL: fixture.base, SERVICE_TOKEN: NOBODYS_TOKEN });
    expect(await adapter.ended).toEqual({ code: 1, stderr: expect.stringMatching(/^drover-mcp: .*token/) });
  });

  test.each<[Record<string, string>, string]>([
    [{ SERVICE_TOKEN: NOBODYS_TOKEN }, 'SERVICE_URL'],
    [{ SERVICE_URL: 'https://drover.example.org' }, 'SERVICE_TOKEN'],
    [
      {
        SERVICE_URL: 'https://drover.example.org',
        SERVICE_TOKEN: NOBODYS_TOKEN,
        SERVICE_CA_FILE: '/nowhere',
      },
      'SERVICE_CA_FILE',
    ],
  ])('ends with 2 where the configuration is wrong: %#', async (settings, name) => {
    const { code, stderr } = await new AdapterProcess(settings).ended;
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`  ${name}: `) });
  });

  test('takes no arguments, and repeats none', async () => {
    const wrong = await new AdapterProcess({}, { args: [`--token=${NOBODYS_TOKEN}`] }).ended;
    expect(wrong).toEqual({ code: 2, stderr: expect.stringMatching(/takes no arguments[\s\S]*SERVICE_URL/) });
    expect(wrong.stderr).not.toContain(NOBODYS_TOKEN);
    const help = new AdapterProcess({}, { args: ['--help'] });
    expect(await help.ended).toMatchObject({ code: 0, stderr: expect.stringContaining('SERVICE_TOKEN') });
    expect(help.noise).toEqual([]);
  });
});

describe('A signal', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)('%s ends it at once, whatever it waits for', async (signal) => {
    const service = new FakeService();
    await service.start();
    const asked = new Promise<void>((resolve) => {
      service.rest = () => resolve();
    });
    const adapter = new AdapterProcess({ SERVICE_URL: service.url, SERVICE_TOKEN: NOBODYS_TOKEN });
    adapter.send({ id: 1, method: 'tools/call', params: { name: 'summary' } });
    await asked;
    adapter.child.kill(signal);
    expect(await adapter.ended).toEqual({ code: 0, stderr: '' });
    expect(adapter.said).toEqual([]);
    await service.stop();
  });

  test('ends it even if its output is not read', async () => {
    const service = new FakeService();
    service.rest = (_req, res) => reply(res, 200, { big: 'x'.repeat(1024 * 1024) });
    await service.start();
    const adapter = new AdapterProcess(
      { SERVICE_URL: service.url, SERVICE_TOKEN: NOBODYS_TOKEN },
      { read: false },
    );
    for (let id = 0; id < 100; id += 1)
      adapter.send({ id, method: 'tools/call', params: { name: 'summary' } });
    await once(adapter.child.stdout, 'readable');
    adapter.child.kill('SIGTERM');
    expect(await adapter.ended).toMatchObject({ code: 0 });
    await service.stop();
  });
});

describe('A client that goes away', () => {
  test('without a word ends it', async () => {
    const adapter = await start();
    await adapter.request(1, 'ping');
    adapter.child.stdout.destroy();
    adapter.send({ id: 2, method: 'ping' });
    expect(await adapter.ended).toMatchObject({ code: 0 });
  });
});
