import { AdvanceBatches } from '../../application/automation/advance-batches.ts';
import { RunDueSchedules } from '../../application/automation/run-due-schedules.ts';
import { BackupRunner } from '../../application/backups/backup-runner.ts';
import { RestoreRunner } from '../../application/backups/restore-runner.ts';
import { RetentionRunner } from '../../application/backups/retention-runner.ts';
import { SnapshotVerifyRunner } from '../../application/backups/snapshot-verify-runner.ts';
import type { UseCases } from '../../application/base/parts.ts';
import { DeliverMessages } from '../../application/events/deliver-messages.ts';
import { HandOutEvents } from '../../application/events/hand-out-events.ts';
import { WatchConditions } from '../../application/fleet/watch-conditions.ts';
import { ClaimJobs } from '../../application/jobs/claim-jobs.ts';
import { RunClaimedJob } from '../../application/jobs/run-claimed-job.ts';
import { type JobRunner, JobRunners } from '../../application/jobs/runner.ts';
import type { Clock } from '../../application/ports/base/clock.ts';
import { DAY, SECOND } from '../../domain/base/instant.ts';
import { DEMO_STATES, DEMO_SURVEY, demoFacts, demoLog } from '../demo/demo-answers.ts';
import { demoServerName } from '../demo/demo-bulk.ts';
import { DemoEngines } from '../demo/demo-engine.ts';
import { demoFiles, demoFileTime } from '../demo/demo-files.ts';
import { DemoHosts } from '../demo/demo-hosts.ts';
import { keepBusy } from '../demo/demo-jobs.ts';
import { DemoLiveFiles } from '../demo/demo-live-files.ts';
import { DemoRunner } from '../demo/demo-runner.ts';
import { DEMO_SENDERS } from '../demo/demo-senders.ts';
import { Dispatcher } from '../inbound/worker/dispatcher.ts';
import { JobLoop } from '../inbound/worker/job-loop.ts';
import { Periodic } from '../inbound/worker/periodic.ts';
import { InMemoryFiles } from '../outbound/hosts/jail/memory/in-memory-files.ts';
import { InMemoryJails } from '../outbound/hosts/jail/memory/in-memory-jails.ts';
import type { Core } from './core.ts';
import type { MadeUp } from './modules/hosts.ts';
import type { AllParts } from './program.ts';

/** What the files of one visitor may take up on each simulated server. */
const MAX_FILE_BYTES = 256 * 1_024;

/** The simulated disk that holds the backups. */
const DEMO_SPACE = { total: 4 * 2 ** 40, free: 1.3 * 2 ** 40 };

const ON_THE_ENGINE = [BackupRunner, RetentionRunner, RestoreRunner, SnapshotVerifyRunner] as const;

/** Simulated hosts, files and jobs: nothing outside of the demo's own database is read or changed. */
export function simulated({
  clock,
  paceMs,
}: {
  readonly clock: Clock;
  readonly paceMs: number;
}): Required<Omit<MadeUp, 'clock'>> {
  const servers = new Map<number, InMemoryFiles>();
  const filesOf = (serverId: number): InMemoryFiles => {
    const known = servers.get(serverId);
    if (known) return known;
    const files = new InMemoryFiles({ maxBytes: MAX_FILE_BYTES });
    const name = demoServerName(serverId);
    const at = clock.now();
    files.now = () => at - DAY;
    for (const [path, text] of demoFiles(name, at, ['/etc', '/srv', '/var']))
      files.put(path, {
        kind: 'file',
        bytes: Buffer.from(text),
        mode: 0o644,
        owner: 'account',
        names: 1,
        changedAt: demoFileTime(name, { path, text, at }) ?? at,
      });
    files.now = () => clock.now();
    servers.set(serverId, files);
    return files;
  };
  return {
    hosts: (parts) => new DemoHosts(parts.servers),
    answers: ({ inventories }) => ({
      facts: demoFacts(inventories, () => clock.now()),
      hostStates: DEMO_STATES,
      survey: DEMO_SURVEY,
      logs: async (_host, container, { lines, since = null }) =>
        demoLog(container, clock.now(), { lines, since }),
    }),
    jails: new InMemoryJails(filesOf),
    storeSpace: { now: async () => DEMO_SPACE },
    senders: DEMO_SENDERS,
    liveFiles: new DemoLiveFiles(filesOf, () => clock.now()),
    engines: new DemoEngines({
      clock,
      paceMs,
      put: (serverId, path, text) => filesOf(serverId).file(path, text),
    }),
    runners: (useCases: UseCases, { inventories, digest }: AllParts) => {
      const real = ON_THE_ENGINE.map((runner): JobRunner => useCases.get<JobRunner>(runner));
      const demo = new DemoRunner(
        { inventories, digest, clock, paceMs },
        real.flatMap(({ types }) => types),
      );
      return new JobRunners([...real.map(resumable), demo]);
    },
  };
}

/** In a visitor's copy of the database, a running job starts again instead of failing. */
const resumable = (runner: JobRunner): JobRunner => ({
  types: runner.types,
  timeLimitMs: runner.timeLimitMs,
  plan: (context) => runner.plan(context),
  apply: async (context) => {
    await context.detached.mark('demo');
    return runner.apply(context);
  },
});

/** Runs jobs, batches, alerts and simulated deliveries. Nothing is sent anywhere. */
export function demoLoops(
  core: Core,
  { keepsBusy }: { readonly keepsBusy: boolean },
): { stop(): Promise<void> } {
  const { clock, log, wakeup, leases, owner, processMetrics, replicas, version, box } = core.parts;
  const startedAt = clock.now();
  const loops = [
    new JobLoop({
      claim: core.get(ClaimJobs),
      run: core.get(RunClaimedJob),
      wakeup,
      clock,
      log,
      concurrency: 20,
      metrics: processMetrics,
    }),
    new Dispatcher({
      schedules: core.get(RunDueSchedules),
      batches: core.get(AdvanceBatches),
      wakeup,
      leases,
      owner,
      clock,
      log,
    }),
    new Periodic(
      {
        name: 'report, and check for alerts',
        everyMs: 5 * SECOND,
        work: async (signal) => {
          await replicas.beat({ owner, version, startedAt, keyIds: box.keyIds });
          await core.get(WatchConditions).execute(signal);
          await core.get(HandOutEvents).execute(signal);
          await core.get(DeliverMessages).execute(signal);
          if (keepsBusy) await keepBusy(core.parts, clock.now());
        },
      },
      { clock, log },
    ),
  ];
  for (const loop of loops) loop.start();
  return { stop: async () => void (await Promise.all(loops.map((loop) => loop.stop()))) };
}
