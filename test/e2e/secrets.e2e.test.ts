import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '../support/capabilities.ts';
import { eventually } from '../support/processes.ts';
import { RestClient } from '../support/rest-client.ts';
import { type Service, useService } from '../support/service.ts';
import { type Sshd, startSshd } from '../support/sshd.ts';
import { ChildWatch, filesWith } from '../support/traces.ts';

const MASTER_KEY = randomBytes(32).toString('base64');
/** It keeps tar busy during the check. */
const SOURCE_BYTES = 96 * 1024 * 1024;

describeWith('ssh', 'secrets', () => {
  const service = useService(() => ({
    settings: { SERVICE_MASTER_KEY: MASTER_KEY, SERVICE_LOG_LEVEL: 'debug' },
  }));
  let sshd: Sshd;
  let token: string;
  let watch: ChildWatch;
  beforeAll(async () => {
    sshd = await startSshd();
    token = await service().token();
    watch = new ChildWatch(process.pid);
    await workOverSsh(service(), sshd, token);
  });
  afterAll(async () => {
    watch?.stop();
    await sshd?.stop();
  });

  /** The words by which each of them would be found, in the clear. */
  const secrets = (): string[] => [
    token,
    MASTER_KEY,
    Buffer.from(MASTER_KEY, 'base64').toString('hex'),
    ...sshd.privateKey.split('\n').filter((line) => line.length === 70),
  ];

  it('are in no command line, and in no environment but the one that was given them', () => {
    const seen = watch.stop().filter((process) => !process.includes(' SERVICE_MASTER_KEY='));
    expect(seen.filter((process) => process.includes('tar -c '))).not.toEqual([]);
    expect(seen.filter((process) => process.includes('tar -x '))).not.toEqual([]);
    expect(seen.filter((process) => secrets().some((secret) => process.includes(secret)))).toEqual([]);
  });

  it('are in no command line of the service either, whose environment holds the master key', () => {
    const own = watch.stop().map((process) => process.replaceAll(`SERVICE_MASTER_KEY=${MASTER_KEY}`, ''));
    expect(own.filter((process) => secrets().some((secret) => process.includes(secret)))).toEqual([]);
  });

  it('are in no log', async () => {
    const leaky = await new RestClient(service().url, null).get(`/api/v1/health?token=${token}`);
    expect(leaky.status).toBe(400);
    await new RestClient(service().url, `${token}x`).get('/api/v1/health');
    await eventually('the refused requests are in the log', 60_000, async () =>
      service().log.split('/api/v1/health').length > 2 ? true : undefined,
    );
    const { log, process } = service();
    for (const secret of secrets()) expect(log + process.stdout).not.toContain(secret);
  });

  it('are in no file of the data directory', async () => {
    expect(await filesWith(service().dataDir, ['mcp-try'])).not.toEqual([]);
    expect(await filesWith(service().dataDir, secrets())).toEqual([]);
  });
});

/** A backup of a host that is reached with an imported key, and one of the service's own data. */
async function workOverSsh(service: Service, sshd: Sshd, token: string): Promise<void> {
  const rest = new RestClient(service.url, token);
  const imported = await service.cli(['key', 'import', 'mine'], { input: sshd.privateKey });
  expect(imported).toMatchObject({ code: 0 });
  const fingerprint = sshd.hostKeys['ed25519']?.fingerprint ?? '';
  const address = ['--host', '127.0.0.1', '--port', String(sshd.port), '--user', userInfo().username];
  const trust = ['--key', 'mine', '--host-key', fingerprint, '--features', 'backup=on'];
  expect(await service.cli(['server', 'add', 'host', ...address, ...trust])).toMatchObject({ code: 0 });

  const source = join(sshd.directory, 'source');
  await mkdir(source);
  await writeFile(join(source, 'large'), randomBytes(SOURCE_BYTES));
  expect(await service.cli(['source', 'add', 'host', '--name', 'src', '--path', source])).toMatchObject({
    code: 0,
  });
  for (const server of [2, 1]) {
    expect(await rest.run(server, { job_type: 'backup' })).toMatchObject({ status: 'success', error: null });
  }
}
