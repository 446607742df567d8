import type { Actor } from '../../domain/access/actor.ts';
import { type Dump, dumpNotFound, restoreByHand, restoreDatabase } from '../../domain/backups/dump.ts';
import { plannedDump } from '../../domain/backups/dump-plan.ts';
import { InvalidInput } from '../../domain/base/errors.ts';
import type { Job } from '../../domain/jobs/job.ts';
import { UseCase } from '../base/use-case.ts';
import { existingServer } from '../fleet/get-server.ts';
import { DUMP_PLAN, driftFrom, plannedChanges } from '../jobs/job-plans.ts';
import type { TriggerJob } from '../jobs/trigger-job.ts';
import type { BrowseSnapshot } from './browse-snapshot.ts';

export interface DumpRestoreRequest {
  readonly snapshotId: number;
  /** For a dump that the snapshot's source still has: its connection and password are used. */
  readonly name: string;
  /** A different database from the original one; `null`: the original. */
  readonly database: string | null;
  readonly dryRun: boolean;
  /** The job of the dry run that the restore keeps to; never of a dry run. */
  readonly planId?: number | undefined;
  /** The server's name, given again; not of a dry run. */
  readonly confirmation: string;
}

/** Starts the job that restores a dump into its database. For users only, as with files. */
export class RequestDumpRestore extends UseCase<
  'servers' | 'dumps' | 'jobs.find',
  { readonly browseSnapshot: Pick<BrowseSnapshot, 'admit'>; readonly triggerJob: Pick<TriggerJob, 'execute'> }
> {
  /**
   * Throws as `BrowseSnapshot.admit` and `TriggerJob` do, `dump_not_found`, `invalid_input`, and `plan_drifted` if the
   * dump's connection changed since the dry run.
   */
  async execute(actor: Actor, request: DumpRestoreRequest): Promise<Job> {
    const { name, dryRun, planId } = request;
    const { id, serverId, sourceId } = await this.deps.browseSnapshot.admit(actor, request.snapshotId);
    const server = await existingServer(this.deps.servers, actor, serverId);
    const dump = (await this.deps.dumps.ofSource(sourceId)).find((each) => each.name === name);
    if (!dump) throw dumpNotFound(name);
    const byHand = restoreByHand(dump);
    if (byHand !== null) throw new InvalidInput([{ path: '/name', message: byHand }]);
    const database = restoreDatabase(dump, request.database);
    if (!dryRun && request.confirmation.trim() !== server.name) {
      throw new InvalidInput([
        {
          path: '/confirmation',
          message: `A database on ${server.name} will be replaced. To confirm, enter the server's name exactly.`,
        },
      ]);
    }
    if (planId !== undefined) await this.#checkConnection(planId, { ...dump, database });
    return this.deps.triggerJob.execute(actor, {
      serverId,
      jobType: 'dump_restore',
      snapshotId: id,
      dump: { name, database },
      dryRun,
      planId,
    });
  }

  /** Whether there is such a plan, and for this snapshot, `TriggerJob` checks. */
  async #checkConnection(planId: number, dump: Dump): Promise<void> {
    const plan = await this.deps.jobs.find(planId);
    if (plan?.jobType !== 'dump_restore' || plan.status !== 'success') return;
    const now = plannedDump({ ...dump, password: dump.hasPassword ? '' : null });
    const drift = driftFrom(plannedChanges(plan, DUMP_PLAN), [now], DUMP_PLAN);
    if (drift) throw drift.failure;
  }
}
