import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import { unpackRelease } from '../../scripts/lib/releases.mjs';
import { type Database, openDatabase } from '../../src/adapters/outbound/storage/sql/database.ts';
import { doneMigrations, migrate } from '../../src/adapters/outbound/storage/sql/migrate.ts';
import { MIGRATIONS } from '../../src/adapters/outbound/storage/sql/migrations/index.ts';
import { RecordingLogger } from '../fakes/recording-logger.ts';
import { useHost } from '../fleet/use-host.ts';
import { Agent } from '../support/agent.ts';
import { describeWith } from '../support/capabilities.ts';
import { freshMariaDb } from '../support/mariadb.ts';
import { nextSchema } from '../support/next-schema.ts';
import { PageClient } from '../support/page-client.ts';
import { eventually } from '../support/processes.ts';
import { answers, Receiver } from '../support/receiver.ts';
import { RestClient } from '../support/rest-client.ts';
import { Service } from '../support/service.ts';
import { CrashLoad } from '../torture/crash-load.ts';
import { enrol } from './enrol.ts';
import { SlowPatches } from './slow-patches.ts';

const WITHIN_MS = 60_000;
const PERSON = { name: 'ann', password: 'quilt-harbor-ninety-violin' };
/** The machine of the service, which is there from the start. */
const OWN = 1;
const PAUSE_MS = 200;
/** Of a schedule: the previous release does not report everything that this one does. */
const Made = z.object({ id: z.int() });

describeWith(['fleet', 'rsync', 'mariadb'], 'a rolling upgrade from the previous release', () => {
  const host = useHost();
  const patches = new SlowPatches(host);
  const receiver = new Receiver('');
  const over = new AbortController();
  const calls = { answered: 0, unanswered: 0 };
  let home: string;
  let dataDir: string;
  let dropDatabase: () => Promise<void>;
  let database: Database;
  let old: Service;
  let next: Service;
  let token: string;
  let session: PageClient;
  let hostId: number;
  let load: CrashLoad;
  let work: Promise<unknown>;
  let patch: number;
  let first: number;

  beforeAll(async () => {
    home = await unpackRelease('former');
    dataDir = await mkdtemp(join(tmpdir(), 'drover-rolling-'));
    const maria = await freshMariaDb();
    dropDatabase = maria.drop;
    const settings = {
      SERVICE_DATABASE_URL: maria.url,
      SERVICE_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
      SERVICE_WEBHOOK_ALLOW_PRIVATE: '1',
    };
    old = await Service.prepare({ settings, dataDir, home });
    next = await Service.prepare({ settings, dataDir });
    database = openDatabase({ url: maria.url, dataDir });
    await old.start();
    await patches.prepare();
    token = await old.token();
    hostId = await enrol(old, host(), 'web', { options: ['--features', 'os_patch=on,backup=on'] });
    await host().exec('mkdir -p /srv/data && echo content >/srv/data/file');
    await old.ask(z.unknown(), ['source', 'add', 'web', '--name', 'data', '--path', '/srv/data']);
    const url = `http://127.0.0.1:${await receiver.listen()}/`;
    const Added = z.object({ secret: z.string() });
    receiver.secret = (await old.ask(Added, ['webhook', 'add', 'all', '--url', url])).secret;
    receiver.always = answers(204);
  });
  afterAll(async () => {
    over.abort();
    await work;
    for (const replica of [old, next]) await replica?.remove();
    await receiver.close();
    await database?.close();
    await dropDatabase?.();
    for (const dir of [dataDir, home]) if (dir) await rm(dir, { recursive: true, force: true });
  });

  /** One that is immediately due, as if it had waited some minutes without a service. */
  async function schedule(name: string, by: Service): Promise<number> {
    const made = await new RestClient(by.url, token).post('/api/v1/schedules', {
      name,
      selector: { ids: [OWN] },
      cron: '* * * * *',
      job_type: 'backup',
    });
    await database
      .knex('schedules')
      .where({ name })
      .update({ handled_to: database.nowPlus(-5 * 60_000), due_at: database.nowMs() });
    return Made.parse(made.body).id;
  }

  /** Waits for its job, and switches it off: it would be in the way of the next. */
  async function fired(id: number, by: Service): Promise<void> {
    await eventually('the schedule has fired', WITHIN_MS, async () => {
      const runs = await database.knex('schedule_runs').where({ schedule_id: id }).whereNotNull('job_id');
      return runs.length > 0 ? true : undefined;
    });
    const off = JSON.stringify({ enabled: false });
    const reply = await new RestClient(by.url, token).send('PATCH', `/api/v1/schedules/${id}`, off);
    expect(reply.status, reply.text).toBe(200);
  }

  /** Jobs that this release has seen to their end. */
  const endedBy = ({ log }: Service): number => log.split('"job ended"').length - 1;

  /** An agent that looks and asks, at either of them, until all is over. */
  async function agentCalls(): Promise<void> {
    const agents = new Map<string, Agent>();
    for (let turn = 0; !over.signal.aborted; turn += 1) {
      const url = [old.url, next.url][turn % 2] ?? '';
      try {
        const agent = agents.get(url) ?? (await Agent.connect(url, token));
        agents.set(url, agent);
        for (const name of ['summary', 'list_jobs', 'health']) {
          const { isError, body } = await agent.call(name);
          if (isError) throw new Error(`${name}: ${JSON.stringify(body)}`);
          calls.answered += 1;
        }
      } catch (error) {
        // One is not there yet, or no longer.
        if (!String(error).includes('fetch failed')) throw error;
        calls.unanswered += 1;
      }
      await sleep(PAUSE_MS);
    }
  }

  it('starts with the previous release at work', async () => {
    await PageClient.setUp(old.url, old.process.stdout, PERSON);
    session = await PageClient.signIn(old.url, PERSON);
    patch = await patches.begin(new RestClient(old.url, token), hostId);
    load = new CrashLoad([old.url, next.url], token, [hostId]);
    const isEnough = () => sleep(PAUSE_MS).then(() => over.signal.aborted);
    work = Promise.all([load.script(hostId, 'backup', isEnough), agentCalls()]);
    // Callers that wait for it see the failure there.
    work.catch(() => undefined);
    await eventually('it has ended a job', WITHIN_MS, async () => endedBy(old) > 0 || undefined);
    first = await schedule('before', old);
  });

  it('brings the database up to date beside it, by what only adds', async () => {
    const before = await doneMigrations(database);
    const pending = MIGRATIONS.map(({ name }) => name).filter((name) => !before.includes(name));
    await next.start();
    if (pending.length > 0) {
      // Its log comes a moment later than its first answer.
      await eventually('it says so', WITHIN_MS, async () =>
        next.log.includes('the database was brought up to date') ? true : undefined,
      );
    }
    // Possible additions of the next release, whether or not this one made them.
    await migrate(database, {
      owner: 'the next release',
      log: new RecordingLogger(),
      migrations: [...MIGRATIONS, nextSchema],
    });
    await fired(first, next);
  });

  it('lets both work: each takes jobs and ends them, and schedules fire', async () => {
    const seen = { old: endedBy(old), next: endedBy(next) };
    const beside = await schedule('beside', next);
    await eventually('each has ended more jobs', WITHIN_MS, async () =>
      endedBy(old) > seen.old && endedBy(next) > seen.next ? true : undefined,
    );
    await fired(beside, old);
  });

  it('keeps tokens and sessions of one valid at the other', async () => {
    const Token = z.object({ id: z.int(), secret: z.string() });
    const make = ['token', 'create', '--name', 'from-the-next', '--scopes', 'read'];
    const { id, secret: made } = await next.ask(Token, make);
    const later = await PageClient.signIn(next.url, PERSON);
    for (const { url } of [old, next]) {
      for (const secret of [token, made]) {
        expect(await new RestClient(url, secret).get('/api/v1/servers')).toMatchObject({ status: 200 });
        const agent = await Agent.connect(url, secret);
        expect((await agent.call('get_server', { server_id: hostId })).isError).toBe(false);
        await agent.close();
      }
      for (const each of [session, later]) expect((await each.get(`${url}/servers`)).status).toBe(200);
    }
    await next.ask(z.unknown(), ['token', 'revoke', String(id)]);
    await eventually('the other knows that it is revoked', WITHIN_MS, async () =>
      (await new RestClient(old.url, made).get('/api/v1/servers')).status === 401 ? true : undefined,
    );
  });

  it('answers a request that is sent again with its key as the other did', async () => {
    for (const [one, other] of [
      [old, next],
      [next, old],
    ] as const) {
      const key = { 'Idempotency-Key': `to-${one.port}-first` };
      const body = JSON.stringify({ job_type: 'retention', dry_run: true });
      const send = ({ url }: Service) =>
        new RestClient(url, token).send('POST', `/api/v1/servers/${hostId}/jobs`, body, key);
      const reply = await send(one);
      expect(reply.status, reply.text).toBe(202);
      const replay = await send(other);
      expect([replay.status, replay.text]).toEqual([reply.status, reply.text]);
      expect(replay.headers.get('idempotency-replayed')).toBe('true');
      const Started = z.object({ job_id: z.int() });
      await new RestClient(other.url, token).jobEnd(Started.parse(reply.body).job_id);
    }
  });

  it('continues with the new one alone, including the running work of the old one', async () => {
    const rest = new RestClient(next.url, token);
    expect(await rest.job(patch)).toMatchObject({ status: 'running' });
    expect(await old.stop()).toBe(0);
    const after = await schedule('after', next);
    const ended = await patches.end(rest, patch);
    expect(ended.log_lines?.join('\n')).toContain('Resuming the work that continues on the host.');
    await patches.expectWhole(ended);
    await fired(after, next);
  });

  it('lets one of the previous release start again on the newer schema', async () => {
    await old.start();
    expect(old.process.stderr).toContain('prepared by a later version');
    expect(old.process.stderr).toContain(nextSchema.name);
    const seen = endedBy(old);
    await eventually('it has ended a job', WITHIN_MS, async () => (endedBy(old) > seen ? true : undefined));
    expect((await session.get(`${old.url}/servers`)).status).toBe(200);
    expect(await old.stop()).toBe(0);
  });

  it('has answered all, done each job once, fired each slot once and delivered each event once', async () => {
    over.abort();
    await work;
    expect(calls.answered).toBeGreaterThan(0);
    expect(load.begun.filter(({ status }) => status !== 'success')).toEqual([]);
    const { knex } = database;
    const scheduled: number[] = await knex('jobs').where({ scheduled: 1 }).orderBy('id').pluck('id');
    const slots = knex('schedule_runs').whereNotNull('job_id').orderBy('job_id').pluck('job_id');
    expect(scheduled).toEqual(await slots);
    expect(scheduled.length).toBeGreaterThanOrEqual(3);
    await eventually('no job is under way', WITHIN_MS, async () =>
      (await knex('jobs').whereNull('finished_at')).length === 0 ? true : undefined,
    );
    expect(await knex('jobs').whereNot({ status: 'success' }).select('id', 'error_code')).toEqual([]);
    await eventually('every event has arrived', WITHIN_MS, async () => {
      const written: { uid: string }[] = await knex('outbox_events').select('uid');
      return written.every(({ uid }) => receiver.ids.includes(uid)) ? true : undefined;
    });
    // Each of the two stops may interrupt the current message, which is sent again with its id.
    expect(receiver.ids.length - new Set(receiver.ids).size).toBeLessThanOrEqual(2);
    expect(receiver.received.every(({ verified }) => verified)).toBe(true);
  });
});
