import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import { unpackRelease } from '../../scripts/lib/releases.mjs';
import { openDatabase } from '../../src/adapters/outbound/storage/sql/database.ts';
import { doneMigrations } from '../../src/adapters/outbound/storage/sql/migrate.ts';
import { MIGRATIONS } from '../../src/adapters/outbound/storage/sql/migrations/index.ts';
import { dumpSchema } from '../adapters/outbound/storage/sql/schema-dump.ts';
import { expectAddedOnly } from '../support/added-only.ts';
import { describeWith } from '../support/capabilities.ts';
import { freshMariaDb } from '../support/mariadb.ts';
import { eventually } from '../support/processes.ts';
import { RestClient } from '../support/rest-client.ts';
import { Service } from '../support/service.ts';
import { type Sshd, startSshd } from '../support/sshd.ts';
import { listed } from './snapshots.ts';

const WITHIN_MS = 60_000;
const FUTURE = '2099-01-01T00:00:00.000Z';
const CONTENT = 'written in the days of the first release';
/** Of the machine itself, and of the host over SSH. */
const [OWN, HOST] = [1, 2];

const Token = z.object({ id: z.int(), secret: z.string() });
const Batch = z.object({ batch_id: z.int() });

/** All answers of the first release about its data. */
const PATHS = [
  '/servers',
  `/servers/${OWN}`,
  `/servers/${HOST}`,
  `/servers/${HOST}/snapshots`,
  `/servers/${OWN}/snapshots`,
  `/servers/${HOST}/inventory`,
  '/jobs',
  `/servers/${HOST}/jobs`,
  '/jobs/1?detail=true',
  '/jobs/2?detail=true',
  '/jobs/3?detail=true',
  '/batches',
  '/batches/1',
  '/schedules',
  '/schedules/1',
  '/windows',
];

interface Place {
  readonly url: string | null;
  readonly drop: () => Promise<void>;
}

function upgrades(kind: 'sqlite' | 'mysql', makePlace: () => Promise<Place>): void {
  let home: string;
  let dataDir: string;
  let place: Place;
  let sshd: Sshd;
  let source: string;
  let service: Service;
  let token: string;
  let revoked: string;
  let answers: ReadonlyMap<string, unknown>;

  beforeAll(async () => {
    home = await unpackRelease('first');
    dataDir = await mkdtemp(join(tmpdir(), 'drover-upgrade-'));
    place = await makePlace();
    sshd = await startSshd();
    source = join(sshd.directory, 'source');
    await mkdir(source);
    await writeFile(join(source, 'note'), CONTENT);
    const first = await Service.start({ settings: settings(), dataDir, home });
    try {
      await fill(first);
      answers = await read(first);
    } finally {
      await first.stop();
    }
    service = await Service.prepare({ settings: settings(), dataDir });
  });
  afterAll(async () => {
    await service?.remove();
    await sshd?.stop();
    await place?.drop();
    for (const dir of [dataDir, home, dataDir && `${dataDir}-restored`])
      if (dir) await rm(dir, { recursive: true, force: true });
  });

  const settings = (): Record<string, string> =>
    place.url === null ? {} : { SERVICE_DATABASE_URL: place.url };

  async function withDatabase<T>(
    work: (database: ReturnType<typeof openDatabase>) => Promise<T>,
  ): Promise<T> {
    const database = openDatabase({ url: place.url, dataDir });
    try {
      return await work(database);
    } finally {
      await database.close();
    }
  }

  /** Something of everything that there was. */
  async function fill(first: Service): Promise<void> {
    const run = (...args: string[]) => first.ask(z.unknown(), args);
    const create = ['token', 'create', '--name', 'script', '--scopes', 'read,jobs,edit,files'];
    token = (await first.ask(Token, [...create, '--expires', FUTURE, '--cidr', '127.0.0.0/8'])).secret;
    const lost = await first.ask(Token, ['token', 'create', '--name', 'lost', '--scopes', 'read']);
    revoked = lost.secret;
    await run('token', 'revoke', String(lost.id));
    const imported = await first.cli(['key', 'import', 'mine'], { input: sshd.privateKey });
    expect(imported).toMatchObject({ code: 0 });
    const address = ['--host', '127.0.0.1', '--port', String(sshd.port), '--user', userInfo().username];
    const trust = ['--key', 'mine', '--host-key', sshd.hostKeys['ed25519']?.fingerprint ?? ''];
    await run('server', 'add', 'web', ...address, ...trust, '--features', 'backup=on', '--tag', 'red,blue');
    await run('source', 'add', 'web', '--name', 'data', '--path', source, '--exclude', '*.tmp');
    await run('server', 'edit', 'web', '--jail', '/srv');
    await run('window', 'add', 'nights', '--server', 'web', '--cron', '0 3 * * *', '--for', '2h');
    const rest = new RestClient(first.url, token);
    // Of the machine itself, of the host, and a list of removals.
    await rest.run(OWN, { job_type: 'backup' });
    await rest.run(HOST, { job_type: 'backup' });
    await rest.run(HOST, { job_type: 'retention', dry_run: true });
    const batch = await rest.post('/api/v1/jobs', { selector: { tags: ['red'] }, job_type: 'backup' });
    const { batch_id } = Batch.parse(batch.body);
    await eventually('the batch has ended', WITHIN_MS, async () =>
      (await rest.get(`/api/v1/batches/${batch_id}`)).text.includes('"done":true') ? true : undefined,
    );
    const schedule = { selector: { ids: [OWN] }, cron: '0 4 * * *', job_type: 'backup' };
    expect((await rest.post('/api/v1/schedules', { name: 'nightly', ...schedule })).status).toBe(201);
    const off = { name: 'off', ...schedule, enabled: false };
    expect((await rest.post('/api/v1/schedules', off)).status).toBe(201);
  }

  async function read(from: Service): Promise<ReadonlyMap<string, unknown>> {
    const rest = new RestClient(from.url, token);
    const replies = new Map<string, unknown>();
    for (const path of PATHS) {
      const { status, body, text } = await rest.get(`/api/v1${path}`);
      expect(status, `${path}: ${text}`).toBe(200);
      replies.set(path, body);
    }
    return replies;
  }

  it('ends in the schema that a new database gets', async () => {
    const before = await withDatabase(doneMigrations);
    await service.start();
    // Lines below `warn` are written many at a time: this one may come after the first answer.
    await eventually('it says that it brought the database up to date', WITHIN_MS, async () =>
      service.log.includes('the database was brought up to date') ? true : undefined,
    );
    const after = await withDatabase(doneMigrations);
    const added = after.filter((name) => !before.includes(name));
    expect(added).toEqual(MIGRATIONS.slice(before.length).map(({ name }) => name));
    expect(added.length).toBeGreaterThanOrEqual(8);
    const schema = await readFile(new URL(`../golden/schema.${kind}.sql`, import.meta.url), 'utf8');
    expect(await withDatabase(dumpSchema)).toBe(schema);
  });

  it('answers as before, with more', async () => {
    const now = await read(service);
    for (const [path, before] of answers) expectAddedOnly(path, before, now.get(path));
  });

  it('lets the same users in, and no one else', async () => {
    expect((await new RestClient(service.url, revoked).get('/api/v1/servers')).status).toBe(401);
    const all = await service.ask(z.object({ tokens: z.array(z.unknown()) }), ['token', 'list']);
    expect(all.tokens).toMatchObject([
      { name: 'lost', active: false },
      { name: 'script', active: true, expires_at: FUTURE, allowed_cidrs: ['127.0.0.0/8'] },
    ]);
  });

  it('opens what was encrypted, and goes on where its backups were', async () => {
    const rest = new RestClient(service.url, token);
    const job = await rest.run(HOST, { job_type: 'backup' });
    expect(job, job.error ?? '').toMatchObject({
      status: 'success',
      result: { snapshots: [{ files: 1, transferred_bytes: 0 }] },
    });
    const oldest = (await listed(rest, HOST)).at(-1);
    const target = `${dataDir}-restored`;
    await service.ask(z.unknown(), ['restore', String(oldest?.id), '--to', target]);
    expect(await readFile(join(target, source, 'note'), 'utf8')).toBe(CONTENT);
  });

  it('fires the schedules that were there', async () => {
    await withDatabase((database) =>
      database
        .knex('schedules')
        .where({ name: 'nightly' })
        .update({ cron: '* * * * *', handled_to: database.nowPlus(-60_000), due_at: database.nowMs() }),
    );
    const rest = new RestClient(service.url, token);
    await eventually('it fires', WITHIN_MS, async () =>
      (await rest.get('/api/v1/schedules/1')).text.includes('"started"') ? true : undefined,
    );
  });

  it('finds nothing wrong with the audit log, nor with itself', async () => {
    expect(await service.cli(['audit', 'verify'])).toMatchObject({ code: 0 });
    expect(await service.cli(['doctor'])).toMatchObject({ code: 0 });
  });
}

describeWith(['ssh', 'rsync'], 'an upgrade from the first release on SQLite', () =>
  upgrades('sqlite', async () => ({ url: null, drop: async () => {} })),
);
describeWith(['ssh', 'rsync', 'mariadb'], 'an upgrade from the first release on MariaDB', () =>
  upgrades('mysql', freshMariaDb),
);
