import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '../support/capabilities.ts';
import { freshMariaDb } from '../support/mariadb.ts';
import { eventually } from '../support/processes.ts';
import { RestClient } from '../support/rest-client.ts';
import { Service } from '../support/service.ts';

const WITHIN_MS = 60_000;
const PASSPHRASE = { SERVICE_BACKUP_PASSPHRASE: 'correct horse battery' };
/** What a script would see of everything that there is. */
const PATHS = [
  '/servers',
  '/servers/1',
  '/inventory',
  '/services',
  '/jobs',
  '/jobs/1?detail=true',
  '/servers/1/snapshots',
  '/schedules',
  '/notifications',
  '/repositories',
];

describeWith(['mariadb', 'rsync'], 'a backup of the service', () => {
  let directory: string;
  let maria: Awaited<ReturnType<typeof freshMariaDb>>;
  let small: Service;
  let large: Service;
  let token: string;
  let before: readonly string[];
  const file = (name: string): string => join(directory, name);
  const answers = async (service: Service): Promise<string[]> =>
    Promise.all(
      PATHS.map(async (path) => {
        const reply = await fetch(`${service.url}/api/v1${path}`, {
          headers: { authorization: `Bearer ${token}` },
        });
        expect(reply.status, path).toBe(200);
        return reply.text();
      }),
    );

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
      (await answers(small))[1]?.includes('"inventory_at":null') ? undefined : true,
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
    // A second one of what is there now: the stop itself was noted.
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
    expect(restored.stdout).toContain('Not in it: the files of snapshots');
    expect(await lists(large)).toEqual(before);
    await large.start();
    expect(await answers(large)).toEqual(replies);
    expect((await large.cli(['doctor', '--json'])).stdout).toMatch(/"master key",\s+"verdict": "ok"/);
  });

  it('does not go into a database in which there is something, or on which a service runs', async () => {
    const onto = (...more: string[]) =>
      large.cli(['backup', 'restore', file('small.age'), '--json', ...more], { settings: PASSPHRASE });
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
    } finally {
      await third.remove();
    }
  });
});
