import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CATALOGUE } from '../../src/adapters/inbound/api/catalogue.ts';
import { type Database, openDatabase } from '../../src/adapters/outbound/storage/sql/database.ts';
import { describeWith } from '../support/capabilities.ts';
import { everyRow, fillEveryTable, unsetColumns } from '../support/full-database/fill.ts';
import { freshMariaDb } from '../support/mariadb.ts';
import { eventually } from '../support/processes.ts';
import { RestClient } from '../support/rest-client.ts';
import { Service } from '../support/service.ts';

const WITHIN_MS = 60_000;
const PASSPHRASE = { SERVICE_BACKUP_PASSPHRASE: 'correct horse battery' };
/** Of the inserted rows beside those of the service; if a route also uses another's, it is the first. */
const IDS: Readonly<Record<string, readonly number[]>> = {
  server_id: [1, 50],
  job_id: [1, 500],
  batch_id: [5],
  schedule_id: [5],
  template_id: [1],
};
/** They answer from a host, not from the database. */
const OF_HOSTS = /\/files|\/sources\/.*\/preview/;

/** They belong to running work, which a restore ends. */
const NEVER_SET = ['jobs.lane_key', 'jobs.lease_until', 'jobs.owner', 'outbox_events.pending'];

/** All that a script can see: every route of the catalogue that only reads, for every id. */
function everyPath(): string[] {
  const routes = CATALOGUE.flatMap(({ routes: all }) => all);
  const paths = routes.filter(({ method }) => method === 'GET').map(({ path }) => path);
  return (
    paths
      .filter((path) => !OF_HOSTS.test(path))
      .flatMap((path) => {
        const [braced = '', name = ''] = /\{(\w+)\}/.exec(path) ?? [];
        return braced === '' ? [path] : (IDS[name] ?? []).map((id) => path.replace(braced, String(id)));
      })
      // A search needs something to search for.
      .map((path) => (path === '/packages' ? `${path}?name=e` : path))
      .flatMap((path) => (path.startsWith('/jobs/') ? [path, `${path}?detail=true`] : [path]))
  );
}

describeWith(['mariadb', 'rsync'], 'a backup of the service', () => {
  let directory: string;
  let maria: Awaited<ReturnType<typeof freshMariaDb>>;
  let small: Service;
  let large: Service;
  let token: string;
  let before: readonly string[];
  const file = (name: string): string => join(directory, name);
  /** The bytes of each, by path. */
  const answers = async (service: Service): Promise<Record<string, string>> => {
    const rest = new RestClient(service.url, token);
    // Jobs go on after the start, and find that their server does not answer. Counts may be a second old.
    await eventually('the failed contact is counted', WITHIN_MS, async () => {
      const { text } = await rest.get('/api/v1/servers');
      return text.includes('"needs":["unreachable"]') && text.includes('"unreachable":1,') ? true : undefined;
    });
    const read: Record<string, string> = {};
    for (const path of everyPath()) {
      const { status, text } = await rest.get(`/api/v1${path}`);
      expect(status, `${path}: ${text}`).toBe(200);
      read[path] = text;
    }
    return read;
  };
  async function withDatabase<T>(
    { dataDir, settings }: Service,
    work: (database: Database) => Promise<T>,
  ): Promise<T> {
    const database = openDatabase({ url: settings['SERVICE_DATABASE_URL'] ?? null, dataDir });
    try {
      return await work(database);
    } finally {
      await database.close();
    }
  }

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'drover-service-backup-'));
    maria = await freshMariaDb();
    small = await Service.start();
    token = await small.token('read,jobs');
    expect(await small.cli(['key', 'create', 'web'])).toMatchObject({ code: 0 });
    const rest = new RestClient(small.url, token);
    const job = await rest.begin(1, { job_type: 'backup' });
    await rest.jobThat('is over', job, ({ done }) => done);
    await eventually('this machine was read', WITHIN_MS, async () =>
      (await rest.get('/api/v1/servers/1')).text.includes('"inventory_at":null') ? undefined : true,
    );
    large = await Service.prepare({ settings: { SERVICE_DATABASE_URL: maria.url } });
  });
  afterAll(async () => {
    await small.remove();
    await large.remove();
    await maria.drop();
    await rm(directory, { recursive: true });
  });

  it('is made of SQLite while the service runs, and gives the same answers on MariaDB', async () => {
    const made = await small.cli(['backup', 'create', file('small.age'), '--json'], { settings: PASSPHRASE });
    expect(made).toMatchObject({ code: 0, json: { engine: 'sqlite', file: file('small.age') } });
    expect(await small.stop()).toBe(0);
    await withDatabase(small, fillEveryTable);
    const rows = await withDatabase(small, everyRow);
    expect(unsetColumns(rows).toSorted()).toEqual(NEVER_SET);
    // A second one of the current content: the stop itself was recorded, too.
    expect(await small.cli(['backup', 'create', file('last.age')], { settings: PASSPHRASE })).toMatchObject({
      code: 0,
    });
    const lists = (service: Service) =>
      Promise.all(
        [
          ['server', 'list'],
          ['job', 'show', '1'],
          ['key', 'list'],
        ].map(async (args) => (await service.cli([...args, '--json'])).stdout),
      );
    before = await lists(small);
    await small.start();
    const replies = await answers(small);
    await small.stop();

    const restored = await large.cli(['backup', 'restore', file('last.age')], { settings: PASSPHRASE });
    expect(restored).toMatchObject({ code: 0 });
    expect(restored.stdout).toContain('Not included: snapshot files');
    expect(await lists(large)).toEqual(before);
    const carried = await withDatabase(large, everyRow);
    const added = carried['audit_entries']?.filter(({ action }) => action === 'service.restore');
    expect(added).toHaveLength(1);
    const entries = carried['audit_entries']?.filter((entry) => entry !== added?.[0]);
    const instances = [rows, carried].map(({ settings }) =>
      settings?.find(({ name }) => name === 'instance'),
    );
    expect(instances[1]?.['value']).not.toBe(instances[0]?.['value']);
    const settings = carried['settings']?.map((row) => (row === instances[1] ? instances[0] : row));
    expect({ ...carried, audit_entries: entries, settings }).toEqual(rows);
    await large.start();
    expect(await answers(large)).toEqual(replies);
    expect((await large.cli(['doctor', '--json'])).stdout).toMatch(/"master key",\s+"verdict": "ok"/);
  });

  it('does not go into a database in which there is something, or on which a service runs', async () => {
    const onto = (...more: string[]) =>
      large.cli(['backup', 'restore', file('last.age'), '--json', ...more], { settings: PASSPHRASE });
    expect(await onto('--replace')).toMatchObject({ code: 1, json: { code: 'restore_failed' } });
    expect(await large.stop()).toBe(0);
    expect(await onto()).toMatchObject({ code: 5, json: { code: 'database_not_empty' } });
    expect((await large.cli(['server', 'list', '--json'])).stdout).toBe(before[0]);
    expect(await onto('--replace')).toMatchObject({ code: 0 });
  });

  it('goes back into SQLite by a key, and a damaged one leaves nothing behind', async () => {
    const made = await large.cli(['backup', 'keygen', file('key.txt'), '--json']);
    const { recipient } = made.json as { recipient: string };
    const [open, locked] = [file('key.txt'), file('large.age')];
    expect(await large.cli(['backup', 'create', locked, '--recipient', recipient])).toMatchObject({
      code: 0,
    });
    const third = await Service.prepare();
    try {
      const damaged = await readFile(locked);
      await writeFile(file('damaged.age'), damaged.subarray(0, -100));
      const refused = await third.cli([
        'backup',
        'restore',
        file('damaged.age'),
        '--identity',
        open,
        '--json',
      ]);
      expect(refused).toMatchObject({ code: 1, json: { code: 'backup_unreadable' } });
      const wrong = await third.cli(['backup', 'restore', locked, '--json'], { settings: PASSPHRASE });
      expect(wrong).toMatchObject({ code: 1, json: { code: 'backup_unreadable' } });
      expect(await third.cli(['backup', 'verify', locked, '--identity', open])).toMatchObject({ code: 0 });
      expect(await third.cli(['backup', 'restore', locked, '--identity', open])).toMatchObject({ code: 0 });
      expect((await third.cli(['server', 'list', '--json'])).stdout).toBe(before[0]);
      // Each records its own actions.
      const rowsOf = async (service: Service) => {
        const { settings = [], ...rows } = await withDatabase(service, everyRow);
        return { ...rows, audit_entries: null, settings: settings.filter(({ name }) => name !== 'instance') };
      };
      expect(await rowsOf(third)).toEqual(await rowsOf(large));
    } finally {
      await third.remove();
    }
  });
});
