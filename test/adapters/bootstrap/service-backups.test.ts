import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/adapters/bootstrap/config.ts';
import { serviceBackups } from '../../../src/adapters/bootstrap/service-backups.ts';
import type {
  BackupKey,
  BackupLock,
  ServiceBackups,
} from '../../../src/adapters/inbound/cli/service-backups.ts';
import { type Database, openDatabase } from '../../../src/adapters/outbound/storage/sql/database.ts';
import { doneMigrations, migrate } from '../../../src/adapters/outbound/storage/sql/migrate.ts';
import { MIGRATIONS } from '../../../src/adapters/outbound/storage/sql/migrations/index.ts';
import { Actor } from '../../../src/domain/access/actor.ts';
import { RecordingLogger } from '../../fakes/recording-logger.ts';
import { sqlStores } from '../../support/sql-stores.ts';
import { addServer } from '../../support/stores-subject.ts';

const KEY = randomBytes(32).toString('base64');
const IN_0012 = MIGRATIONS.findIndex(({ name }) => name.startsWith('0012'));

let directory: string;
let file: string;
let lock: BackupLock;
let key: BackupKey;
const opened: Database[] = [];
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'drover-backups-'));
  file = join(directory, 'backup.age');
  const { identity, recipient } = await backupsIn('from').makeKeyPair();
  lock = { kind: 'recipients', recipients: [recipient] };
  key = { kind: 'identities', identities: [identity] };
});
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
  await rm(directory, { recursive: true });
});

const backupsIn = (name: string, env: Record<string, string> = {}): ServiceBackups =>
  serviceBackups(
    readConfig({ SERVICE_DATA_DIR: join(directory, name), SERVICE_MASTER_KEY: KEY, ...env }, () => ''),
    Actor.operator('test'),
  );

async function databaseIn(name: string, migrations = MIGRATIONS): Promise<Database> {
  const database = openDatabase({ url: null, dataDir: join(directory, name) });
  opened.push(database);
  await migrate(database, { owner: 'test', log: new RecordingLogger(), migrations });
  return database;
}

const create = (): Promise<unknown> => backupsIn('from').create(file, lock);
const restore = (
  options: { replace?: boolean; keepWaiting?: boolean } = {},
  env: Record<string, string> = {},
): Promise<unknown> =>
  backupsIn('to', env).restore(file, key, { replace: false, keepWaiting: false, ...options });

async function addJob(database: Database, id: number, over: object): Promise<void> {
  await database.knex('jobs').insert({
    id,
    server_id: 1,
    server_name: 'web',
    job_type: 'backup',
    lane: `lane-${id}`,
    status: 'success',
    params: '{}',
    created_at: 1,
    scheduled: 0,
    requested_by: 'test',
    log_tail: '[]',
    ...over,
  });
}

const jobsIn = async (name: string): Promise<unknown[]> =>
  (await databaseIn(name))
    .knex('jobs')
    .orderBy('id')
    .select('id', 'status', 'lane_key', 'owner', 'error_code');

describe('restoring the service', () => {
  it('ends what waited or ran, unless it is to go on', async () => {
    const from = await databaseIn('from');
    await addServer(sqlStores(from), 'web');
    await addJob(from, 1, { finished_at: 5 });
    await addJob(from, 2, { status: 'pending', lane_key: '1:backup' });
    await addJob(from, 3, { status: 'running', lane_key: '1:os_patch', owner: 'me', lease_until: 9 });
    await addJob(from, 4, { status: 'awaiting_approval' });
    await create();
    await restore();
    expect(await jobsIn('to')).toEqual([
      { id: 1, status: 'success', lane_key: null, owner: null, error_code: null },
      { id: 2, status: 'cancelled', lane_key: null, owner: null, error_code: null },
      { id: 3, status: 'failed', lane_key: null, owner: null, error_code: 'worker_lost' },
      { id: 4, status: 'cancelled', lane_key: null, owner: null, error_code: null },
    ]);
    await restore({ replace: true, keepWaiting: true });
    expect(await jobsIn('to')).toEqual(await jobsIn('from'));
  });

  it('takes another name for its work on hosts, since ids of jobs are given again, unless jobs are to go on', async () => {
    const from = sqlStores(await databaseIn('from')).settings;
    await from.set('instance', 'abc');
    await create();
    await restore();
    const to = sqlStores(await databaseIn('to')).settings;
    expect(await to.get('instance')).toBe(null);
    await restore({ replace: true, keepWaiting: true });
    expect(await to.get('instance')).toBe('abc');
  });

  it('brings a backup by an earlier version up to date, in a database without tables alone', async () => {
    const from = await databaseIn('from', MIGRATIONS.slice(0, IN_0012));
    await from.knex('outbox_events').insert({
      uid: 'a',
      type: 'ping',
      severity: 'info',
      title: 't',
      message: 'm',
      at: 1,
    });
    await create();
    await restore();
    const to = await databaseIn('to');
    expect(await doneMigrations(to)).toEqual(MIGRATIONS.map(({ name }) => name));
    // The migration's changes to existing rows apply to these, too.
    expect(await to.knex('outbox_events').select('uid', 'pending')).toEqual([{ uid: 'a', pending: null }]);
    await expect(restore({ replace: true })).rejects.toMatchObject({
      code: 'restore_failed',
      message: expect.stringContaining('by an earlier version'),
    });
  });

  it('refuses a backup by a later version', async () => {
    const from = await databaseIn('from');
    await from.knex('schema_migrations').insert({ name: '9999-later', batch: 9 });
    await create();
    await expect(restore()).rejects.toMatchObject({
      code: 'restore_failed',
      message: expect.stringContaining('by a later version'),
    });
    expect(await readdir(join(directory, 'to')).catch(() => [])).toEqual([]);
  });

  it('refuses another master key, and imports the key if there is none', async () => {
    await databaseIn('from');
    await create();
    const other = randomBytes(32).toString('base64');
    await expect(restore({}, { SERVICE_MASTER_KEY: other })).rejects.toMatchObject({
      code: 'secret_unreadable',
    });
    expect(await readdir(join(directory, 'to'))).toEqual([]);
    await restore({}, { SERVICE_MASTER_KEY: '' });
    expect(await readdir(join(directory, 'to'))).toContain('master.key');
  });

  it('changes nothing where it fails on the way', async () => {
    const from = await databaseIn('from');
    await addServer(sqlStores(from), 'web');
    await from.knex.raw('PRAGMA foreign_keys = OFF');
    await from.knex('jobs').insert({
      id: 1,
      server_id: 99,
      server_name: 'gone',
      job_type: 'backup',
      lane: 'backup',
      status: 'success',
      params: '{}',
      created_at: 1,
      scheduled: 0,
      requested_by: 'test',
      log_tail: '[]',
    });
    await create();
    await expect(restore({}, { SERVICE_MASTER_KEY: '' })).rejects.toThrow();
    expect(await readdir(join(directory, 'to'))).toEqual([]);

    const to = await databaseIn('to');
    await addServer(sqlStores(to), 'mine');
    await expect(restore({ replace: true })).rejects.toThrow();
    expect(await to.knex('servers').pluck('name')).toEqual(['mine']);
  });

  it('reads a whole backup without changing anything', async () => {
    await databaseIn('from');
    await create();
    expect(await backupsIn('to').verify(file, key)).toMatchObject({ file, engine: 'sqlite' });
    expect(await readdir(directory)).not.toContain('to');
    await writeFile(file, 'nothing');
    await expect(backupsIn('to').verify(file, key)).rejects.toMatchObject({ code: 'backup_unreadable' });
  });
});
