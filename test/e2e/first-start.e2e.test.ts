import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { serverSchema } from '../../src/adapters/inbound/api/views/server-view.ts';
import { eventually } from '../support/processes.ts';
import { RestClient } from '../support/rest-client.ts';
import { Service } from '../support/service.ts';
import { filesWith } from '../support/traces.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const Servers = z.object({ servers: z.array(serverSchema), total: z.int() });
const Sources = z.object({ sources: z.array(z.record(z.string(), z.unknown())), total: z.int() });

describe('a first start', () => {
  let parent: string;
  let service: Service;
  beforeAll(async () => {
    parent = await mkdtemp(join(tmpdir(), 'drover-first-'));
    service = await Service.start({ dataDir: join(parent, 'data'), entry: 'start' });
  });
  afterAll(async () => {
    await service.remove();
    await rm(parent, { recursive: true, force: true });
  });

  it('answers whether it lives and whether it is ready', async () => {
    const anybody = new RestClient(service.url, null);
    for (const path of ['/healthz', '/readyz']) {
      expect(await anybody.get(path)).toMatchObject({ status: 200, body: { ok: true } });
    }
  });

  it('says where it listens, how to create a token and how to connect an agent', () => {
    const { stdout } = service.process;
    expect(stdout).toContain(`listens on ${service.url}.`);
    expect(stdout).toContain('/bin/drover.mjs token create --name ');
    expect(stdout).toContain(`${service.url}/mcp   header: Authorization: Bearer <token>`);
  });

  it('adds the machine itself to the fleet, with a backup of its data and nothing else', async () => {
    const { servers } = await service.ask(Servers, ['server', 'list']);
    expect(servers).toHaveLength(1);
    expect(servers[0]).toMatchObject({
      id: 1,
      connection: 'local',
      features: { backup: true, os_patch: false, docker: false },
      last_backup_at: null,
    });
    const { sources } = await service.ask(Sources, ['source', 'list', '1']);
    expect(sources).toMatchObject([{ name: 'drover', kind: 'service', paths: [service.dataDir] }]);
  });

  it('keeps the data to itself, and warns to back up the key that it made', async () => {
    const modeOf = async (name: string) => (await stat(join(service.dataDir, name))).mode & 0o777;
    expect([await modeOf('.'), await modeOf('master.key'), await modeOf('drover.sqlite')]).toEqual([
      0o700, 0o600, 0o600,
    ]);
    expect(service.log).toMatch(/Created the master key [^"]*master\.key\. Back it up now/);
    const key = (await readFile(join(service.dataDir, 'master.key'), 'utf8')).trim();
    expect(await filesWith(service.dataDir, [key])).toEqual([join(service.dataDir, 'master.key')]);
    expect(service.log + service.process.stdout).not.toContain(key);
  });

  it('is followed by starts that change nothing', async () => {
    const look = async () => ({
      servers: (await service.ask(Servers, ['server', 'list'])).servers.map(
        ({ id, name, connection, features }) => ({ id, name, connection, features }),
      ),
      sources: await service.ask(Sources, ['source', 'list', '1']),
      key: await readFile(join(service.dataDir, 'master.key'), 'utf8'),
    });
    const before = await look();
    expect(await service.stop()).toBe(0);
    await service.start();
    expect(await look()).toEqual(before);
    expect(service.process.stdout).not.toContain('This machine is server');
    expect(service.process.stderr).not.toContain('master key');
  });
});

describe('a start that cannot go well', () => {
  let parent: string;
  beforeAll(async () => {
    parent = await mkdtemp(join(tmpdir(), 'drover-refused-'));
  });
  afterAll(() => rm(parent, { recursive: true, force: true }));

  it('names every wrong variable, its fault and an example, tells no secret, and makes nothing', async () => {
    const wrong = {
      SERVICE_CONCURRENCY: '0',
      SERVICE_LOG_LEVEL: 'chatty',
      SERVICE_DATABASE_URL: 'postgres://drover:s3cret@db/drover',
      SERVICE_MASTER_KEY: 's3cret',
      SERVICE_KEY_PASSPHRASE_FILE: '/nowhere/passphrase',
      SERVICE_TRUSTED_PROXIES: '10.0.0.0/40',
    };
    const service = await Service.prepare({ dataDir: join(parent, 'data'), settings: wrong });
    const { code, stdout, stderr } = await service.command(['serve'], {
      settings: { SERVICE_HTTP_PORT: 'http' },
    }).ended;
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    for (const name of ['SERVICE_HTTP_PORT', ...Object.keys(wrong)].map((each) =>
      each.replace(/_FILE$/, ''),
    )) {
      expect(stderr).toMatch(new RegExp(`^ {2}${name}: .+ Example: ${name}=`, 'm'));
    }
    expect(stderr).not.toContain('s3cret');
    expect(existsSync(join(parent, 'data'))).toBe(false);
  });

  it('says so when another program has the port', async () => {
    const first = await Service.start();
    try {
      const second = await Service.prepare();
      const { code, stderr } = await second.command(['serve'], {
        settings: { SERVICE_HTTP_PORT: String(first.port) },
      }).ended;
      await second.remove();
      expect(code).toBe(1);
      expect(stderr).toContain(`drover: 127.0.0.1:${first.port} is used by another program`);
      expect(stderr).toContain('SERVICE_HTTP_PORT');
    } finally {
      await first.remove();
    }
  });
});

describe('npm start', () => {
  it('hands the signal on to the service that a service manager sends to npm alone', async () => {
    const service = await Service.prepare();
    const npm = spawn('npm', ['start'], {
      cwd: ROOT,
      env: { ...process.env, ...service.settings },
      stdio: 'ignore',
    });
    const ended = once(npm, 'exit');
    const answers = (): Promise<true | undefined> =>
      fetch(`${service.url}/healthz`).then(
        (response) => response.body?.cancel().then(() => true as const),
        () => undefined,
      );
    try {
      await eventually('the service answers', 60_000, answers);
      npm.kill('SIGTERM');
      expect(await ended).toEqual([0, null]);
      expect(await answers()).toBeUndefined();
    } finally {
      npm.kill('SIGTERM');
      await rm(service.dataDir, { recursive: true, force: true });
    }
  });
});
