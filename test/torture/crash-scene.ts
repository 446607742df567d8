import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import { type Database, openDatabase } from '../../src/adapters/outbound/storage/sql/database.ts';
import { enrol } from '../e2e/enrol.ts';
import type { FleetHost } from '../fleet/host.ts';
import { useHosts } from '../fleet/use-host.ts';
import { eventually } from '../support/processes.ts';
import { answers, Receiver } from '../support/receiver.ts';
import { Service, type ServiceOptions } from '../support/service.ts';
import { CrashLoad } from './crash-load.ts';

const DELIVERED_WITHIN_MS = 180_000;
const SEALED_WITHIN_MS = 60_000;

/** Each run of apt-get update writes its run down, and there is a package that is not yet as new as it could be. */
const COUNT_RUNS = `mkdir -p /srv/data /srv/repo && echo content >/srv/data/file
cat >/etc/apt/apt.conf.d/99count <<'END'
APT::Update::Pre-Invoke {"echo $DROVER_RUN >>/srv/ran";};
END
echo 'deb [trusted=yes] file:/srv/repo ./' >/etc/apt/sources.list.d/repo.list
: >/srv/repo/Packages && : >/srv/ran`;

/** What can fail, each for a while. */
export type Blow = (random: number) => Promise<void>;

/** The replicas' data directories. */
export interface Ground {
  /** `null`: SQLite, in the data directory. */
  readonly url: string | null;
  stop(): Promise<void>;
}

export interface CrashScene<G extends Ground> {
  readonly ground: G;
  readonly replicas: readonly Service[];
  readonly hosts: readonly FleetHost[];
  readonly load: CrashLoad;
  /** The number of failures, for the report. */
  readonly blows: Record<string, number>;
}

export function anyOf<T>(list: readonly T[], random: number): T {
  const one = list[Math.floor(random * list.length)];
  if (one === undefined) throw new Error('there is one');
  return one;
}

/**
 * Replicas, hosts that count the work on them, a receiver of webhooks, and scripts that start jobs. The caller
 * decides what fails, and for how long; the final state is checked here.
 */
export function survives<G extends Ground>(
  { replicas: count, hosts: hostCount, leastDone, makeGround }: CrashOptions<G>,
  strike: (scene: CrashScene<G>) => Promise<void>,
): void {
  const hosts = useHosts(hostCount);
  const receiver = new Receiver('');
  const replicas: Service[] = [];
  let scene: CrashScene<G>;
  let ground: G | undefined;
  let dataDir: string;
  let database: Database | undefined;

  beforeAll(async () => {
    const made = await makeGround();
    ground = made;
    dataDir = await mkdtemp(join(tmpdir(), 'drover-crash-'));
    const settings: NonNullable<ServiceOptions['settings']> = {
      ...(made.url === null ? {} : { SERVICE_DATABASE_URL: made.url }),
      SERVICE_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
      SERVICE_WEBHOOK_ALLOW_PRIVATE: '1',
    };
    for (let n = 0; n < count; n += 1) replicas.push(await Service.prepare({ settings, dataDir }));
    await Promise.all(replicas.map((replica) => replica.start()));
    const first = anyOf(replicas, 0);
    const url = `http://127.0.0.1:${await receiver.listen()}/`;
    const Added = z.object({ secret: z.string() });
    receiver.secret = (await first.ask(Added, ['webhook', 'add', 'all', '--url', url])).secret;
    receiver.always = answers(204);
    const ids = await Promise.all(
      hosts().map(async (host, index) => {
        await host.exec(COUNT_RUNS);
        const name = `crash-${index}`;
        const id = await enrol(first, host, name, { options: ['--features', 'os_patch=on,backup=on'] });
        const added = await first.cli(['source', 'add', name, '--name', 'data', '--path', '/srv/data']);
        expect(added).toMatchObject({ code: 0 });
        return id;
      }),
    );
    const urls = replicas.map(({ url: address }) => address);
    const load = new CrashLoad(urls, await first.token(), ids);
    scene = { ground: made, replicas, hosts: hosts(), load, blows: {} };
  });
  afterAll(async () => {
    await database?.close();
    await Promise.all(replicas.map((replica) => replica.remove()));
    await receiver.close();
    await ground?.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('sees all jobs through while everything is struck', () => strike(scene));

  it('has lost no job, and each has one end', async () => {
    const { load, blows } = scene;
    // Not before: a connection of the test to SQLite's file would do work that the service has to do.
    database = openDatabase({ url: scene.ground.url, dataDir });
    const rows: { id: number; status: string; error_code: string | null }[] = await database
      .knex('jobs')
      .select('id', 'status', 'error_code');
    const told = new Map(load.begun.map(({ id, status }) => [id, status]));
    const kept = new Map(rows.map(({ id, status }) => [id, status]));
    // a reported end is the end, and no job exists that no script started
    expect(kept).toEqual(told);
    const ends = rows.map(({ status, error_code }) => error_code ?? status);
    const counts = Object.fromEntries(
      [...new Set(ends)].map((end) => [end, ends.filter((each) => each === end).length]),
    );
    process.stderr.write(
      `${rows.length} jobs: ${JSON.stringify(counts)}; struck: ${JSON.stringify(blows)}; scripts: ${JSON.stringify(load.counts)}\n`,
    );
    // the last one: killed between recording the start of work on the host and starting it
    const allowed = [
      'success',
      'worker_lost',
      'host_unreachable',
      'host_connection_lost',
      'work_not_started',
    ];
    expect(Object.keys(counts).filter((end) => !allowed.includes(end))).toEqual([]);
    expect(counts['success']).toBeGreaterThan(rows.length * leastDone);
  });

  it('has run none twice: the hosts have counted', async () => {
    const ran = (await Promise.all(scene.hosts.map((host) => host.exec('cat /srv/ran')))).flatMap(
      (text, host) =>
        text
          .trim()
          .split('\n')
          .map((line) => `${host} ${line}`),
    );
    expect(ran.filter((line, index) => ran.indexOf(line) !== index)).toEqual([]);
    const patches = scene.load.begun.filter(({ type }) => type === 'os_patch');
    expect(ran.length).toBeGreaterThanOrEqual(patches.filter(({ status }) => status === 'success').length);
    expect(ran.length).toBeLessThanOrEqual(patches.length);
  });

  it('has had no lane with two', async () => {
    const overlapping = await known(database)
      .knex('jobs as one')
      .join('jobs as other', function () {
        this.on('one.server_id', 'other.server_id')
          .andOn('one.job_type', 'other.job_type')
          .andOn('one.id', '<', 'other.id');
      })
      .whereRaw('one.started_at < other.finished_at and other.started_at < one.finished_at')
      .select('one.id', 'other.id');
    expect(overlapping).toEqual([]);
  });

  it('has delivered every event', async () => {
    const arrived = await eventually('every event has arrived', DELIVERED_WITHIN_MS, async () => {
      const written: { uid: string }[] = await known(database).knex('outbox_events').select('uid');
      const got = new Set(receiver.ids);
      return written.every(({ uid }) => got.has(uid)) ? written.length : undefined;
    });
    expect(arrived).toBeGreaterThanOrEqual(scene.load.begun.length);
    expect(receiver.received.every(({ verified }) => verified)).toBe(true);
  });

  it('has its audit chain whole, with a request for each job', async () => {
    const requested: { object: string }[] = await known(database)
      .knex('audit_entries')
      .where({ action: 'job.request', outcome: 'done' })
      .select('object');
    const jobs = scene.load.begun.map(({ id }) => `job:${id}`);
    expect(requested.map(({ object }) => object).toSorted()).toEqual(jobs.toSorted());
    await eventually('all is sealed', SEALED_WITHIN_MS, async () => {
      const left = await known(database).knex('audit_entries').whereNull('seq').first('id');
      return left ? undefined : true;
    });
    const verdict = await anyOf(replicas, 0).cli(['audit', 'verify', '--json']);
    expect(verdict).toMatchObject({ code: 0, json: { ok: true, fault: null, pruned: 0 } });
    const { checked } = z.object({ checked: z.int() }).parse(verdict.json);
    expect(checked).toBeGreaterThan(jobs.length);
  });
}

interface CrashOptions<G extends Ground> {
  readonly replicas: number;
  readonly hosts: number;
  /** The share of jobs that came to something all the same, at the least. */
  readonly leastDone: number;
  readonly makeGround: () => Promise<G>;
}

function known<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the test before has opened it');
  return value;
}
