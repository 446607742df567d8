import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { must } from '../../scripts/lib/programs.mjs';
import { answered } from '../deploy/call.ts';
import { describeWith } from '../support/capabilities.ts';
import { SELF_SIGNED } from '../support/certificates.ts';
import { freePort } from '../support/free-port.ts';
import { Service, useService } from '../support/service.ts';

const PASSWORD = 'correct horse battery staple';
const LISTENS = '0A';

/** The addresses that a port is listened on, as the kernel writes them: bytes in hexadecimal, each word reversed. */
async function listeningOn(port: number): Promise<readonly string[]> {
  const tables = await Promise.all(['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8')));
  return tables
    .flatMap((table) => table.split('\n').slice(1))
    .map((line) => line.trim().split(/ +/))
    .filter(
      ([, local = '', , state]) =>
        state === LISTENS && Number.parseInt(local.split(':')[1] ?? '', 16) === port,
    )
    .map(([, local = '']) => local.split(':')[0] ?? '');
}
const LOOPBACK_ONLY = ['0100007F'];
const EVERYWHERE = ['0'.repeat(32)];

describe('a service that is not opened to a network', () => {
  const service = useService();

  it('is reached from its own machine only, also once there is an account', async () => {
    expect(service().process.stdout).toContain('Only this machine can reach it.');
    expect(await listeningOn(service().port)).toEqual(LOOPBACK_ONLY);
    const link = /\/welcome#(\S+)/.exec(service().process.stdout)?.[1] ?? '';
    const made = await fetch(`${service().url}/welcome/password`, {
      method: 'POST',
      redirect: 'manual',
      headers: { Origin: service().url, 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ link, name: 'ada', password: PASSWORD }).toString(),
    });
    expect(made.status).toBe(303);
    expect(await service().stop()).toBe(0);
    await service().start();
    expect(service().process.stdout).not.toContain('/welcome#');
    expect(await listeningOn(service().port)).toEqual(LOOPBACK_ONLY);
  });
});

describe('a service with a certificate and no address', () => {
  let directory = '';
  let service: Service;
  let port: number;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'drover-network-'));
    await writeFile(join(directory, 'cert.pem'), SELF_SIGNED.cert);
    await writeFile(join(directory, 'key.pem'), SELF_SIGNED.key, { mode: 0o600 });
    port = await freePort();
    service = await Service.start({
      settings: {
        SERVICE_HTTPS_PORT: String(port),
        SERVICE_TLS_CERT: join(directory, 'cert.pem'),
        SERVICE_TLS_KEY: join(directory, 'key.pem'),
      },
    });
  });
  afterAll(async () => {
    await service.remove();
    await rm(directory, { recursive: true });
  });

  it('opens HTTPS alone', async () => {
    expect(await listeningOn(port)).toEqual(EVERYWHERE);
    expect(await listeningOn(service.port)).toEqual(LOOPBACK_ONLY);
  });
});

describeWith('fleet', 'a service that is open over plain HTTP', () => {
  const ADDRESS = '198.51.100.88';
  let service: Service;
  beforeAll(async () => {
    await must('ip', ['addr', 'add', `${ADDRESS}/32`, 'dev', 'lo']);
    service = await Service.start({ settings: { SERVICE_HOST: '0.0.0.0' } });
  });
  afterAll(async () => {
    await service.remove();
    await must('ip', ['addr', 'del', `${ADDRESS}/32`, 'dev', 'lo']);
  });
  const at = (host: string, path: string, headers: Record<string, string> = {}) =>
    answered(request({ host, port: service.port, path, headers, agent: false }));

  it('tells other machines no numbers without a token, and its own machine all', async () => {
    for (const path of ['/metrics', '/metrics/process']) {
      expect((await at('127.0.0.1', path)).status).toBe(200);
      const { status, body } = await at(ADDRESS, path);
      expect([status, JSON.parse(body)]).toEqual([401, expect.objectContaining({ code: 'unauthorized' })]);
    }
    expect(service.log).toContain('set METRICS_TOKEN');
    expect((await at(ADDRESS, '/healthz')).status).toBe(200);
  });

  it('takes the token from everywhere, and then any name', async () => {
    await service.stop();
    const { METRICS_TOKEN: _, ...rest } = service.settings;
    const kept = await Service.start({
      dataDir: service.dataDir,
      settings: { ...rest, METRICS_TOKEN: 'm3trics', SERVICE_PUBLIC_URL: 'https://drover.example:8443' },
    });
    try {
      const ask = (path: string, headers: Record<string, string> = {}) =>
        answered(request({ host: ADDRESS, port: kept.port, path, headers, agent: false }));
      expect((await ask('/metrics')).status).toBe(401);
      expect((await ask('/metrics', { 'X-Metrics-Token': 'm3trics' })).status).toBe(200);
      expect((await ask('/sign-in')).status).toBe(421);
      expect((await ask('/sign-in', { Host: 'drover.example:8888' })).status).toBe(200);
    } finally {
      await kept.stop();
    }
  });
});
