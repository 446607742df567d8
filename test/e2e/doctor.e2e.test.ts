import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { openDatabase } from '../../src/adapters/outbound/storage/sql/database.ts';
import { describeWith } from '../support/capabilities.ts';
import { DroverProcess } from '../support/drover-process.ts';
import { freePort } from '../support/free-port.ts';
import { useService } from '../support/service.ts';
import { treeOf } from '../support/tree.ts';

const Diagnosis = z.object({
  ok: z.boolean(),
  findings: z.array(
    z.object({
      name: z.string(),
      verdict: z.enum(['ok', 'warn', 'fail']),
      detail: z.string(),
      remedy: z.string().nullable(),
    }),
  ),
});

/** One of its findings. */
const finding = (answer: unknown, name: string) =>
  Diagnosis.parse(answer).findings.find((each) => each.name === name);

describe('the doctor', () => {
  const service = useService();
  const asked = (settings: Readonly<Record<string, string>> = {}) =>
    service().cli(['doctor', '--json'], { settings });

  it('finds a service that runs, and changes nothing of what it looks at', async () => {
    const files = (name: string): boolean => name.startsWith('drover.sqlite');
    const before = await treeOf(service().dataDir, files);
    const { json } = await asked();
    expect(finding(json, 'service')).toMatchObject({ verdict: 'ok' });
    for (const name of ['node', 'data directory', 'database', 'master key', 'clock']) {
      expect(finding(json, name)).toMatchObject({ verdict: 'ok', remedy: null });
    }
    expect(await treeOf(service().dataDir, files)).toEqual(before);
  });

  it('says what to do about a master key that does not fit', async () => {
    const other = Buffer.alloc(32, 1).toString('base64');
    const { code, json, stdout } = await asked({ SERVICE_MASTER_KEY: other });
    expect([code, Diagnosis.parse(json).ok]).toEqual([1, false]);
    expect(finding(json, 'master key')).toMatchObject({
      verdict: 'fail',
      detail: expect.stringContaining('SERVICE_MASTER_KEY does not match'),
      remedy: expect.stringContaining('backup of the key'),
    });
    expect(stdout).not.toContain(other);
    const refused = await service().cli(['key', 'list', '--json'], {
      settings: { SERVICE_MASTER_KEY: other },
    });
    expect(refused).toMatchObject({ code: 1, json: { code: 'secret_unreadable' } });
  });

  it('says what to do about a database that does not answer', async () => {
    const url = `mysql://drover:s3cret@127.0.0.1:${await freePort()}/drover`;
    const { code, json, stdout, stderr } = await asked({ SERVICE_DATABASE_URL: url });
    expect(code).toBe(1);
    expect(finding(json, 'database')).toMatchObject({
      verdict: 'fail',
      remedy: expect.stringContaining('SERVICE_DATABASE_URL'),
    });
    expect(stdout + stderr).not.toContain('s3cret');
  });

  it('names a snapshot that only the store knows, and that the service listed it later', async () => {
    const taken = await service().cli([
      'job',
      'start',
      '1',
      'backup',
      '--source',
      'drover',
      '--follow',
      '--json',
    ]);
    expect(taken.code).toBe(0);
    expect(finding((await asked()).json, 'snapshots')).toMatchObject({ verdict: 'ok' });
    await service().stop();
    const database = openDatabase({ url: null, dataDir: service().dataDir });
    const [{ name }] = await database.knex('snapshots').select('name');
    await database.write((knex) => knex('snapshots').delete());
    await database.close();
    const named = { verdict: 'warn', detail: expect.stringContaining(`drover/${name}`) };
    expect(finding((await asked()).json, 'snapshots')).toMatchObject(named);
    await service().start();
    const listed = async () =>
      z.object({ total: z.number() }).parse((await service().cli(['snapshot', 'list', '1', '--json'])).json)
        .total;
    await expect.poll(listed, { timeout: 20_000 }).toBe(1);
    expect(finding((await asked()).json, 'snapshots')).toMatchObject(named);
  });

  it('reports the same to people, and that nothing runs if nothing does', async () => {
    await service().stop();
    const { stdout } = await service().cli(['doctor']);
    expect(stdout).toMatch(/^warn {2}service: No service runs.*\n {6}-> npm start$/m);
    expect(stdout).toMatch(/^ok {4}master key: /m);
  });
});

describeWith('fleet', 'the doctor on a machine without rsync', () => {
  /** Hides rsync from one process: a layer above /usr/bin and its like in which it is deleted. */
  const HIDE = `for dir in /usr/local/bin /usr/bin; do [ -e "$dir/rsync" ] || continue
mkdir -p "$1$dir/upper" "$1$dir/work"
mount -t overlay overlay -o "lowerdir=$dir,upperdir=$1$dir/upper,workdir=$1$dir/work" "$dir" && rm "$dir/rsync" || exit 99
done; shift; exec "$@"`;
  let work: string;
  beforeAll(async () => {
    work = await mkdtemp(join(tmpdir(), 'drover-doctor-'));
  });
  afterAll(() => rm(work, { recursive: true, force: true }));

  it('says that backups work without it', async () => {
    const through = [
      'unshare',
      '-m',
      '--',
      'bash',
      '-c',
      `mount -t tmpfs tmpfs "$1" && ${HIDE}`,
      'bash',
      work,
    ];
    const settings = { SERVICE_DATA_DIR: join(work, 'data') };
    const { code, stdout } = await new DroverProcess(['doctor', '--json'], { settings, through }).ended;
    expect(code).toBe(0);
    expect(finding(JSON.parse(stdout), 'rsync')).toMatchObject({
      verdict: 'ok',
      detail: expect.stringContaining('Backups work without it'),
      remedy: null,
    });
  });
});
