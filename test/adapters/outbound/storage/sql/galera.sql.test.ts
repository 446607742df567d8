import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { type Database, openDatabase } from '../../../../../src/adapters/outbound/storage/sql/database.ts';
import { migrate, pendingMigrations } from '../../../../../src/adapters/outbound/storage/sql/migrate.ts';
import { SqlDatabaseHealth } from '../../../../../src/adapters/outbound/storage/sql/stores/sql-database-health.ts';
import { RecordingLogger } from '../../../../fakes/recording-logger.ts';
import { describeWith } from '../../../../support/capabilities.ts';
import { expectRefusal } from '../../../../support/expect-refusal.ts';
import { GaleraCluster } from '../../../../support/galera.ts';
import { Acknowledged, GaleraReplica } from '../../../../support/galera-work.ts';
import { eventually } from '../../../../support/processes.ts';
import { sqlStores } from '../../../../support/sql-stores.ts';
import { openApiFixture } from '../../../inbound/http/api-fixture.ts';

const NODES = [0, 1, 2];
/** A cluster stalls for some seconds when a node dies; a request that died with its node is held for thirty. */
const GOES_ON_WITHIN_MS = 60_000;
const SOME_JOBS = 20;
const READS = 200;

describeWith('galera', 'a Galera cluster of three nodes, two replicas on it', () => {
  let cluster: GaleraCluster;
  let replicas: GaleraReplica[];
  const acknowledged = new Acknowledged();

  beforeAll(async () => {
    cluster = await GaleraCluster.start();
    replicas = ['a', 'b'].map((name) => new GaleraReplica(cluster.url(...NODES), name, acknowledged));
  });
  afterAll(async () => {
    await Promise.all((replicas ?? []).map(({ database }) => database.close()));
    await cluster?.stop();
  });

  const open = (...order: number[]): Database => {
    const database = openDatabase({ url: cluster.url(...order), dataDir: '/nowhere', poolSize: 1 });
    onTestFinished(() => database.close());
    return database;
  };
  const portOf = async ({ knex }: Database): Promise<number> =>
    (await knex.raw('SELECT @@port AS port'))[0][0].port;
  const nodesInUse = (): Promise<number[]> => Promise.all(replicas.map(({ database }) => portOf(database)));
  const moreIsDone = async (what: string): Promise<void> => {
    const before = acknowledged.finished.size;
    await eventually(
      what,
      GOES_ON_WITHIN_MS,
      async () => acknowledged.finished.size >= before + SOME_JOBS || undefined,
    );
  };
  /** This node's data, once it has all that the others have acknowledged. */
  const reader = async (node: number): Promise<Database['knex']> => {
    const { knex } = open(node);
    await knex.raw('SET SESSION wsrep_sync_wait = 1');
    return knex;
  };
  const kept = async (node: number) => {
    const knex = await reader(node);
    const audit: { object: string; action: string }[] = await knex('audit_entries').select(
      'object',
      'action',
    );
    const events: { job_id: number; message: string }[] = await knex('outbox_events').select(
      'job_id',
      'message',
    );
    const replies: { body: string }[] = await knex('idempotent_requests').whereNotNull('body').select('body');
    return {
      jobs: await knex('jobs').orderBy('id').select('id', 'server_id', 'status', 'fence', 'lane_key'),
      audit: audit.map(({ object, action }) => `${object.slice('job:'.length)} ${action}`).toSorted(),
      events: events.map(({ job_id, message }) => `${job_id} ${message}`).toSorted(),
      replies: replies.map(({ body }) => Number(body)),
    };
  };

  it('gets its tables once, on every node', async () => {
    const log = new RecordingLogger();
    await Promise.all(replicas.map(({ database }, n) => migrate(database, { owner: `replica-${n}`, log })));
    for (const node of NODES) expect(await pendingMigrations(open(node))).toEqual([]);
  });

  it('loses nothing and doubles nothing when the node that all are with is killed, and comes back', async () => {
    let asking = true;
    let asked = false;
    const strike = async (): Promise<void> => {
      await moreIsDone('jobs are done');
      expect(await nodesInUse()).toEqual([cluster.portOf(0), cluster.portOf(0)]);
      await cluster.kill9(0);
      await moreIsDone('the others go on');
      expect(await nodesInUse()).toEqual([cluster.portOf(1), cluster.portOf(1)]);
      await cluster.start(0);
      await moreIsDone('they go on beside the node that is back');
    };
    const isDone = (): boolean => asked && acknowledged.finished.size === acknowledged.jobs.size;
    await Promise.all([
      strike().finally(() => {
        asking = false;
      }),
      Promise.all(replicas.map((replica) => replica.request(() => !asking))).finally(() => {
        asked = true;
      }),
      ...replicas.map((replica) => replica.work(isDone)),
    ]);
    process.stderr.write(
      `${acknowledged.finished.size} jobs; the database was away ${acknowledged.away} times\n`,
    );

    const jobs = [...acknowledged.jobs]
      .map(([server_id, id]) => ({ id, server_id, status: 'success', fence: 1, lane_key: null }))
      .toSorted((a, b) => a.id - b.id);
    const ofEach = (...told: string[]): string[] =>
      jobs.flatMap(({ id }) => told.map((each) => `${id} ${each}`)).toSorted();
    expect([...acknowledged.claims.values()].filter((times) => times !== 1)).toEqual([]);
    for (const node of NODES) {
      const found = await kept(node);
      expect(found.jobs).toEqual(jobs);
      expect(found.audit).toEqual(ofEach('job.request', 'job.claim', 'job.finish'));
      expect(found.events).toEqual(ofEach('pending', 'running', 'success'));
      expect(found.replies.toSorted((a, b) => a - b)).toEqual(jobs.map(({ id }) => id));
    }
  });

  it(`shows a job to the replica at another node at once, ${READS} times of ${READS}`, async () => {
    const a = await openApiFixture({ stores: sqlStores(open(0)) });
    const b = await openApiFixture({ stores: sqlStores(open(1)) });
    const token = await a.token(['read', 'jobs']);
    const backup = { method: 'POST', token, json: { job_type: 'backup' } };
    for (let read = 0; read < READS; read += 1) {
      const [one, other] = read % 2 === 0 ? [a, b] : [b, a];
      const { json } = await one.request(`/api/v1/servers/${a.alpha.id}/jobs`, backup);
      const path = `/api/v1/jobs/${json.job_id}`;
      expect(await other.request(path, { token })).toMatchObject({
        status: 200,
        json: { status: 'pending' },
      });
      await other.request(`${path}/cancel`, { method: 'POST', token });
      expect(await one.request(path, { token })).toMatchObject({ json: { status: 'cancelled' } });
    }
    await Promise.all([a.close(), b.close()]);
  });

  it('is asked at another node where the one in use, or the first, is cut off from the rest', async () => {
    const inUse = open(1, 2, 0);
    expect(await portOf(inUse)).toBe(cluster.portOf(1));
    const many = openDatabase({ url: cluster.url(1, 2, 0), dataDir: '/nowhere', poolSize: 4 });
    onTestFinished(() => many.close());
    const ports = (): Promise<number[]> => Promise.all([1, 2, 3, 4].map(() => portOf(many)));
    expect(new Set(await ports())).toEqual(new Set([cluster.portOf(1)]));
    const alone = new SqlDatabaseHealth(open(1));
    await alone.ping();
    await cluster.isolate(1);
    // the node can select 1, but nothing that a service could work with
    await expectRefusal(alone.ping(), 'database_unavailable');
    await expectRefusal(alone.ping(), 'database_unavailable');
    // with others to go to, one ping finds out for all connections
    const health = new SqlDatabaseHealth(many);
    await expectRefusal(health.ping(), 'database_unavailable');
    await health.ping();
    expect(new Set(await ports())).toEqual(new Set([cluster.portOf(2)]));
    // it accepts connections as before, but reports that it is not ready
    expect(await portOf(open(1, 2, 0))).toBe(cluster.portOf(2));
    const write = () =>
      inUse
        .knex('settings')
        .insert({ name: 'after', value: 'x' })
        .then(
          () => true,
          () => undefined,
        );
    await eventually('the pool goes on elsewhere', GOES_ON_WITHIN_MS, write);
    expect(await portOf(inUse)).toBe(cluster.portOf(2));
    expect(await (await reader(0))('settings').where({ name: 'after' })).toHaveLength(1);
    await expect(open(1).rows('SELECT name FROM settings', [])).rejects.toMatchObject({
      code: 'database_unavailable',
    });
  });
});
