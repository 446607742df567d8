import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import mysql from 'mysql2/promise';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import { type Database, openDatabase } from '../../src/adapters/sql/database.ts';
import { enrol } from '../e2e/enrol.ts';
import type { FleetHost } from '../fleet/host.ts';
import { useHosts } from '../fleet/use-host.ts';
import { describeWith } from '../support/capabilities.ts';
import { GaleraCluster } from '../support/galera.ts';
import { startMariaDb } from '../support/mariadb-server.ts';
import { eventually } from '../support/processes.ts';
import { answers, Receiver } from '../support/receiver.ts';
import { rounds, TORTURE } from '../support/rounds.ts';
import { Service } from '../support/service.ts';
import { CrashLoad } from './crash-load.ts';

const REPLICAS = 3;
const HOSTS = 2;
/** Of each type and on each host; two scripts share them. */
const JOBS_EACH = rounds(6, 126);
/** Longer than a worker's lease, so that what it did is taken over while it still believes that it is its own. */
const PAUSE_MS = 35_000;
const DELIVERED_WITHIN_MS = 180_000;

/** Each run of apt-get update writes its run down, and there is a package that is not yet as new as it could be. */
const COUNT_RUNS = `mkdir -p /srv/data /srv/repo && echo content >/srv/data/file
cat >/etc/apt/apt.conf.d/99count <<'END'
APT::Update::Pre-Invoke {"echo $DROVER_RUN >>/srv/ran";};
END
echo 'deb [trusted=yes] file:/srv/repo ./' >/etc/apt/sources.list.d/repo.list
: >/srv/repo/Packages && : >/srv/ran`;

/** What can fall out, each for a while. */
type Blow = (random: number) => Promise<void>;

interface Ground {
  readonly url: string;
  readonly kill: Blow;
  stop(): Promise<void>;
}

async function oneMariaDb(): Promise<Ground> {
  const server = await startMariaDb({ durable: true });
  const connection = await mysql.createConnection({ uri: server.origin });
  await connection.query('CREATE DATABASE drover');
  await connection.end();
  return {
    url: `${server.origin}/drover`,
    kill: async (random) => {
      await server.kill9();
      await sleep(random * 1_500);
      await server.start();
    },
    stop: () => server.stop(),
  };
}

/** Whichever node dies, the replicas go on at the others, and it joins again. */
async function galera(): Promise<Ground> {
  const nodes = [0, 1, 2];
  const cluster = await GaleraCluster.start();
  return {
    url: cluster.url(...nodes),
    kill: async (random) => {
      const node = anyOf(nodes, random);
      await cluster.kill9(node);
      await sleep(random * 10_000);
      await cluster.start(node);
    },
    stop: () => cluster.stop(),
  };
}

function anyOf<T>(list: readonly T[], random: number): T {
  const one = list[Math.floor(random * list.length)];
  if (one === undefined) throw new Error('there is one');
  return one;
}

function survives(makeGround: () => Promise<Ground>): void {
  const hosts = useHosts(HOSTS);
  const receiver = new Receiver('');
  const replicas: Service[] = [];
  const blows: Record<string, number> = {};
  let ground: Ground;
  let database: Database;
  let load: CrashLoad;
  let ids: number[];
  let dataDir: string;

  beforeAll(async () => {
    ground = await makeGround();
    dataDir = await mkdtemp(join(tmpdir(), 'drover-crash-'));
    const settings = {
      SERVICE_DATABASE_URL: ground.url,
      SERVICE_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
      SERVICE_WEBHOOK_ALLOW_PRIVATE: '1',
    };
    for (let n = 0; n < REPLICAS; n += 1) replicas.push(await Service.prepare({ settings, dataDir }));
    await Promise.all(replicas.map((replica) => replica.start()));
    const [first] = replicas;
    if (!first) throw new Error('there are replicas');
    const url = `http://127.0.0.1:${await receiver.listen()}/`;
    const Added = z.object({ secret: z.string() });
    receiver.secret = (await first.ask(Added, ['webhook', 'add', 'all', '--url', url])).secret;
    receiver.always = answers(204);
    ids = [];
    for (const [index, host] of hosts().entries()) {
      await host.exec(COUNT_RUNS);
      const name = `crash-${index}`;
      ids.push(await enrol(first, host, name, { options: ['--features', 'os_patch=on,backup=on'] }));
      const added = await first.cli(['source', 'add', name, '--name', 'data', '--path', '/srv/data']);
      expect(added).toMatchObject({ code: 0 });
    }
    database = openDatabase({ url: ground.url, dataDir });
    load = new CrashLoad(
      replicas.map(({ url: address }) => address),
      await first.token(),
    );
  });
  afterAll(async () => {
    await database?.close();
    await Promise.all(replicas.map((replica) => replica.remove()));
    await receiver.close();
    await ground?.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  const kill: Blow = async (random) => {
    const replica = anyOf(replicas, random);
    await replica.kill9();
    await sleep(random * 2_000);
    await replica.start();
  };
  const pause: Blow = async (random) => {
    const { process } = anyOf(replicas, random);
    process.signal('SIGSTOP');
    await sleep(PAUSE_MS);
    process.signal('SIGCONT');
  };
  const killDatabase: Blow = (random) => ground.kill(random);
  const cutHost: Blow = (random) => anyOf<FleetHost>(hosts(), random).killConnections();
  const all = { kill, cutHost, killDatabase, pause };

  /** First each once, so that a short run has them all, then any. */
  async function strikeUntil(isOver: () => boolean): Promise<void> {
    const names = Object.keys(all) as (keyof typeof all)[];
    for (let n = 0; !isOver(); n += 1) {
      const name =
        names[n] ?? anyOf(['kill', 'kill', 'cutHost', 'cutHost', 'killDatabase', ...names], Math.random());
      await all[name](Math.random());
      blows[name] = (blows[name] ?? 0) + 1;
      await sleep(500 + Math.random() * 2_500);
    }
  }

  it(`sees ${JOBS_EACH * HOSTS * 2} jobs through while everything is struck in turn`, async () => {
    let driving = 4 * HOSTS;
    const drivers = ids.flatMap((id) =>
      ['os_patch', 'backup', 'os_patch', 'backup'].map((type) =>
        load.drive(id, type, JOBS_EACH / 2).finally(() => {
          driving -= 1;
        }),
      ),
    );
    const [struck] = await Promise.allSettled([
      strikeUntil(() => driving === 0 && Object.keys(blows).length === Object.keys(all).length),
      ...drivers,
    ]);
    if (struck.status === 'rejected') throw struck.reason;
    await Promise.all(drivers);
  });

  it('has lost no job, and each has one end', async () => {
    const rows: { id: number; status: string; error_code: string | null }[] = await database
      .knex('jobs')
      .select('id', 'status', 'error_code');
    const told = new Map(load.begun.map(({ id, status }) => [id, status]));
    expect(told.size).toBe(JOBS_EACH * HOSTS * 2);
    const kept = new Map(rows.map(({ id, status }) => [id, status]));
    // what a script was told of the end is the end, and no job is there that no script began
    expect(kept).toEqual(told);
    const ends = rows.map(({ status, error_code }) => error_code ?? status);
    const counts = Object.fromEntries(
      [...new Set(ends)].map((end) => [end, ends.filter((each) => each === end).length]),
    );
    process.stderr.write(
      `${rows.length} jobs: ${JSON.stringify(counts)}; struck: ${JSON.stringify(blows)}; scripts: ${JSON.stringify(load.counts)}\n`,
    );
    const allowed = ['success', 'worker_lost', 'host_unreachable', 'host_connection_lost'];
    expect(Object.keys(counts).filter((end) => !allowed.includes(end))).toEqual([]);
    expect(counts['success']).toBeGreaterThan(rows.length / 2);
  });

  it('has run none twice: the hosts have counted', async () => {
    const ran = (await Promise.all(hosts().map((host) => host.exec('cat /srv/ran')))).flatMap((text, host) =>
      text
        .trim()
        .split('\n')
        .map((line) => `${host} ${line}`),
    );
    expect(ran.filter((line, index) => ran.indexOf(line) !== index)).toEqual([]);
    const patches = load.begun.filter(({ type }) => type === 'os_patch');
    expect(ran.length).toBeGreaterThanOrEqual(patches.filter(({ status }) => status === 'success').length);
    expect(ran.length).toBeLessThanOrEqual(patches.length);
  });

  it('has had no lane with two', async () => {
    const overlapping = await database
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
      const written: { uid: string }[] = await database.knex('outbox_events').select('uid');
      const got = new Set(receiver.ids);
      return written.every(({ uid }) => got.has(uid)) ? written.length : undefined;
    });
    expect(arrived).toBeGreaterThanOrEqual(JOBS_EACH * HOSTS * 2);
    expect(receiver.received.every(({ verified }) => verified)).toBe(true);
  });
}

describeWith(['fleet', 'rsync', 'mariadb'], `${REPLICAS} replicas on one MariaDB, all of which may die`, () =>
  survives(oneMariaDb),
);
// Nodes that come back take long.
if (TORTURE) {
  describeWith(
    ['fleet', 'rsync', 'galera'],
    `${REPLICAS} replicas on a Galera cluster, all of which may die`,
    () => survives(galera),
  );
}
