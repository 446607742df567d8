import { afterAll, beforeAll, expect, it } from 'vitest';
import { HostOpener } from '../../../../../src/application/fleet/host-opener.ts';
import { OsSupport } from '../../../../../src/application/fleet/os-support.ts';
import { RefreshInventory } from '../../../../../src/application/fleet/refresh-inventory.ts';
import { ClaimJobs } from '../../../../../src/application/jobs/claim-jobs.ts';
import { LEASE_TIMES } from '../../../../../src/application/jobs/claimed-job.ts';
import { JobWakeup } from '../../../../../src/application/jobs/job-wakeup.ts';
import { RunClaimedJob } from '../../../../../src/application/jobs/run-claimed-job.ts';
import { type JobContext, JobRunners, type RunResult } from '../../../../../src/application/jobs/runner.ts';
import { Actor } from '../../../../../src/domain/access/actor.ts';
import { describeServer } from '../../../../../src/domain/fleet/server-description.ts';
import { FakeClock } from '../../../../fakes/fake-clock.ts';
import { FakeHostFacts } from '../../../../fakes/fake-host-facts.ts';
import { FakeRemoteHosts } from '../../../../fakes/fake-remote-hosts.ts';
import { PlainSecretBox } from '../../../../fakes/plain-secret-box.ts';
import { RecordingLogger } from '../../../../fakes/recording-logger.ts';
import { sqliteDatabase, type TestDatabase } from '../../../../support/databases.ts';
import { inventoryOf } from '../../../../support/inventories.ts';
import { sqlAutomation } from '../../../../support/sql-automation.ts';

const HOSTS = 20;
/** For a job that reads its host, writes a line and stores its findings, with its share of its batch. */
const MAX_STATEMENTS = 29;

let opened: TestDatabase;
beforeAll(async () => {
  opened = await sqliteDatabase();
});
afterAll(() => opened.drop());

/** A worker like the service's, whose jobs read hosts that always answer the same. */
function workerOn({ stores }: ReturnType<typeof sqlAutomation>) {
  const clock = new FakeClock();
  const hosts = new FakeRemoteHosts();
  const opener = new HostOpener({
    ...stores,
    hosts,
    box: new PlainSecretBox(),
    contacts: { succeeded: async () => {}, failed: async () => {} },
    agentSocket: null,
  });
  const facts = new FakeHostFacts(inventoryOf());
  const inventory = new RefreshInventory({
    ...stores,
    opener: opener,
    facts,
    clock,
    recordHostState: { execute: async () => {} },
    osSupport: new OsSupport({ ...stores, clock }),
  });
  const look = async (context: JobContext): Promise<RunResult> => {
    const host = await context.openHost();
    const found = await inventory.gather(context.server.id, host, context.signal);
    context.log(`${found.packagesCount} packages`);
    await inventory.save(context.server, found);
    return { summary: 'Read.', result: {} };
  };
  const runner = {
    types: ['os_update_check' as const],
    timeLimitMs: 1_000,
    plan: look,
    apply: look,
  };
  const parts = { queue: stores.queue, servers: stores.servers, clock, wakeup: new JobWakeup() };
  const claims = new ClaimJobs({ ...parts, owner: 'me', leaseMs: LEASE_TIMES.leaseMs });
  const run = new RunClaimedJob({
    ...parts,
    runners: new JobRunners([runner]),
    opener: opener,
    gate: { pass: () => Promise.resolve() },
    log: new RecordingLogger(),
    leaseTimes: LEASE_TIMES,
    instance: 'here',
  });
  return async (): Promise<void> => {
    const claimed = await claims.execute(HOSTS);
    await Promise.all(claimed.map((claim) => run.execute(claim, new AbortController().signal)));
  };
}

it('keeps a job of a batch, its log, events, audit entries and findings with few statements', async () => {
  const automation = sqlAutomation(opened.database);
  const { stores } = automation;
  const work = workerOn(automation);
  const ids: number[] = [];
  for (let n = 1; n <= HOSTS; n += 1) {
    const server = { name: `host-${n}`, connection: 'local', features: { os_patch: true } } as const;
    ids.push((await stores.servers.add(describeServer(server), 0, () => ({}))).id);
  }
  let statements = 0;
  opened.database.knex.on('query', () => {
    statements += 1;
  });
  const batch = await automation.startBatch.execute(Actor.operator('tester'), {
    selector: { ids },
    jobType: 'os_update_check',
    bounds: { maxParallel: HOSTS },
  });
  const { signal } = new AbortController();
  await automation.advance.execute(signal);
  await work();
  await automation.advance.execute(signal);
  const ended = await stores.batches.find(batch.id);
  expect(ended).toMatchObject({ status: 'success', counts: { success: HOSTS } });
  expect(await stores.inventories.find(ids[0] ?? 0)).not.toBeNull();
  expect(statements / HOSTS).toBeLessThanOrEqual(MAX_STATEMENTS);
});
