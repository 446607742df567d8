import type { ForgetSignIns } from '../../../application/access/forget-sign-ins.ts';
import type { RestartUnhealthy } from '../../../application/automation/restart-unhealthy.ts';
import type { SweepSnapshotStore } from '../../../application/backups/sweep-snapshot-store.ts';
import type { ForgetRequests } from '../../../application/base/forget-requests.ts';
import type { RecordReads } from '../../../application/events/record-reads.ts';
import type { SealAudit } from '../../../application/events/seal-audit.ts';
import type { JailSweep } from '../../../application/files/jail-sweep.ts';
import type { RefreshDueInventories } from '../../../application/fleet/refresh-due-inventories.ts';
import type { ExpireApprovals } from '../../../application/jobs/expire-approvals.ts';
import type { SweepJobs } from '../../../application/jobs/sweep-jobs.ts';
import type { Clock } from '../../../application/ports/base/clock.ts';
import type { Logger } from '../../../application/ports/base/logger.ts';
import type { SecretBox } from '../../../application/ports/base/secret-box.ts';
import type { LeaseStore } from '../../../application/ports/jobs/lease-store.ts';
import type { ProcessList } from '../../../application/ports/service/process-list.ts';
import type { ReplicaStore } from '../../../application/ports/service/replica-store.ts';
import type { ForgetHistory } from '../../../application/service/forget-history.ts';
import type { WatchClock } from '../../../application/service/watch-clock.ts';
import { HOUR, MINUTE, SECOND } from '../../../domain/base/instant.ts';
import { LeasedLoop } from './leased-loop.ts';
import { Periodic } from './periodic.ts';

const BEAT_EVERY_MS = 10 * SECOND;
const CLOCK_EVERY_MS = 10 * SECOND;
const SWEEP_EVERY_MS = 5 * SECOND;
const EXPIRE_EVERY_MS = 15 * SECOND;
const SEAL_EVERY_MS = 2 * SECOND;
const READS_EVERY_MS = 5 * SECOND;
const NOTE_HEAD_EVERY_MS = HOUR;
const INVENTORY_EVERY_MS = MINUTE;
const HEALTH_EVERY_MS = MINUTE;
const STORE_SWEEP_EVERY_MS = 6 * HOUR;
const LEFTOVERS_EVERY_MS = MINUTE;
const FORGET_EVERY_MS = 10 * MINUTE;
const FORGET_HISTORY_EVERY_MS = HOUR;

/** A service process's work besides jobs: heartbeat, ending jobs of dead processes, reading hosts, cleaning up. */
export class Housekeeping {
  readonly #loops: readonly { start(): void; stop(): Promise<void> }[];
  readonly #replicas: ReplicaStore;
  readonly #leases: LeaseStore;
  readonly #owner: string;
  readonly #reads: Pick<RecordReads, 'flush'>;

  constructor(deps: {
    replicas: ReplicaStore;
    leases: LeaseStore;
    processes: ProcessList;
    clockWatch: Pick<WatchClock, 'execute' | 'holdsBack'>;
    box: Pick<SecretBox, 'keyIds' | 'refresh'>;
    sweep: SweepJobs;
    approvals: ExpireApprovals;
    audit: SealAudit;
    reads: Pick<RecordReads, 'flush'>;
    snapshotStore: SweepSnapshotStore;
    inventories: RefreshDueInventories;
    health: Pick<RestartUnhealthy, 'execute'>;
    jails: JailSweep;
    requests: ForgetRequests;
    signIns: ForgetSignIns;
    history: ForgetHistory;
    clock: Clock;
    log: Logger;
    version: string;
  }) {
    const {
      replicas,
      leases,
      sweep,
      snapshotStore,
      inventories,
      jails,
      requests,
      signIns,
      history,
      clock,
      log,
      version,
    } = deps;
    const owner = deps.processes.self;
    const startedAt = clock.now();
    this.#replicas = replicas;
    this.#leases = leases;
    this.#owner = owner;
    this.#reads = deps.reads;
    const beat = async (): Promise<void> => {
      deps.box.refresh();
      await replicas.beat({ owner, version, startedAt, keyIds: deps.box.keyIds });
    };
    const endOrphans = async (): Promise<void> => {
      for (const job of await sweep.execute())
        log.warn('ended the job of a worker that is gone', { jobId: job.id });
    };
    const expire = async (signal: AbortSignal): Promise<void> => {
      const ended = await deps.approvals.execute(signal);
      if (ended > 0) log.info('ended approval requests without a decision', { requests: ended });
    };
    const readHosts = async (signal: AbortSignal): Promise<void> => {
      // One process reads for all; the lease outlives a run, so that the others stay out until it is due again.
      if (await leases.hold(INVENTORY_LEASE, owner, 3 * INVENTORY_EVERY_MS))
        await inventories.execute(signal);
    };
    // Likewise: two processes would count each check twice.
    const checkHealth = async (signal: AbortSignal): Promise<void> => {
      if (await leases.hold(HEALTH_LEASE, owner, 3 * HEALTH_EVERY_MS)) await deps.health.execute(signal);
    };
    // Each process: a store belongs to its machine, and two sweeps of one store do no harm.
    const sweepSnapshots = (signal: AbortSignal): Promise<void> => snapshotStore.execute(signal);
    this.#loops = [
      new Periodic({ name: 'showing that this process lives', everyMs: BEAT_EVERY_MS, work: beat }, deps),
      new Periodic(
        { name: 'watching the clock', everyMs: CLOCK_EVERY_MS, work: () => deps.clockWatch.execute() },
        deps,
      ),
      new Periodic({ name: 'looking for orphaned jobs', everyMs: SWEEP_EVERY_MS, work: endOrphans }, deps),
      new Periodic({ name: 'expire approval requests', everyMs: EXPIRE_EVERY_MS, work: expire }, deps),
      new Periodic(
        {
          name: 'chaining the audit log',
          everyMs: SEAL_EVERY_MS,
          work: (signal) => deps.audit.execute(signal),
        },
        deps,
      ),
      new Periodic(
        {
          name: 'noting where the audit log ends',
          everyMs: NOTE_HEAD_EVERY_MS,
          work: () => deps.audit.noteHead(),
        },
        deps,
      ),
      new Periodic(
        { name: 'recording reads', everyMs: READS_EVERY_MS, work: () => deps.reads.flush() },
        deps,
      ),
      new Periodic({ name: 'reading hosts', everyMs: INVENTORY_EVERY_MS, work: readHosts }, deps),
      new Periodic({ name: 'checking containers', everyMs: HEALTH_EVERY_MS, work: checkHealth }, deps),
      new Periodic(
        { name: 'sweeping the snapshot store', everyMs: STORE_SWEEP_EVERY_MS, work: sweepSnapshots },
        deps,
      ),
      new Periodic(
        {
          name: 'sweeping what cut-off writes left',
          everyMs: LEFTOVERS_EVERY_MS,
          work: (signal) => jails.execute(signal),
        },
        deps,
      ),
      new Periodic(
        {
          name: 'delete old request keys',
          everyMs: FORGET_EVERY_MS,
          work: (signal) => requests.execute(signal),
        },
        deps,
      ),
      new Periodic(
        {
          name: 'delete old sessions',
          everyMs: FORGET_EVERY_MS,
          work: (signal) => signIns.execute(signal),
        },
        deps,
      ),
      new LeasedLoop(
        {
          name: 'delete old jobs',
          lease: 'old-jobs',
          everyMs: FORGET_HISTORY_EVERY_MS,
          work: async (signal) => {
            if (!(await deps.clockWatch.holdsBack())) await history.execute(signal);
          },
        },
        { ...deps, owner },
      ),
    ];
  }

  start(): void {
    for (const loop of this.#loops) loop.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#loops.map((loop) => loop.stop()));
    await this.#reads.flush();
    await this.#leases.release(INVENTORY_LEASE, this.#owner);
    await this.#leases.release(HEALTH_LEASE, this.#owner);
    await this.#replicas.leave(this.#owner);
  }
}

const INVENTORY_LEASE = 'inventory';
const HEALTH_LEASE = 'health';
