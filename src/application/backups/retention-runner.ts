import { Actor } from '../../domain/access/actor.ts';
import { type BackupSource, selectSources } from '../../domain/backups/backup-source.ts';
import { type RetentionDecision, retainSnapshots } from '../../domain/backups/retention-policy.ts';
import { type Snapshot, snapshotLabel } from '../../domain/backups/snapshot.ts';
import { count } from '../../domain/base/count.ts';
import { DomainError, type ErrorCode, isDomainError } from '../../domain/base/errors.ts';
import { HOUR } from '../../domain/base/instant.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import { UseCase } from '../base/use-case.ts';
import {
  drifted,
  driftFrom,
  MAX_PLANNED,
  type PlanKind,
  plannedChanges,
  planResult,
} from '../jobs/job-plans.ts';
import { type JobContext, type JobRunner, type RunResult, reachOf } from '../jobs/runner.ts';
import type { Reach } from '../ports/backups/backup-engine.ts';
import type { WatchClock } from '../service/watch-clock.ts';
import type { SettleSnapshots } from './settle-snapshots.ts';

/** A result stays readable: of longer lists it names this many and counts the rest. */
const MAX_NAMED = 100;

interface SourceDecision {
  readonly source: BackupSource;
  readonly decision: RetentionDecision<Snapshot>;
}

interface SourceFailure {
  readonly source: string;
  readonly error: DomainError;
}

/** The result for a source's snapshots. */
interface RemovalResult {
  readonly removed: Snapshot[];
  readonly inUse: Snapshot[];
}

/** Removes the snapshots that no rule of their source keeps. */
export class RetentionRunner
  extends UseCase<
    'engines' | 'sources' | 'snapshots' | 'jobs' | 'digest' | 'clock',
    { readonly settleSnapshots: SettleSnapshots; readonly clockWatch: Pick<WatchClock, 'holdsBack'> }
  >
  implements JobRunner
{
  readonly types = ['retention'] as const;
  readonly timeLimitMs = 6 * HOUR;
  async plan(context: JobContext): Promise<RunResult> {
    const decided = await this.#decide(context);
    const removals = removalsOf(decided);
    return {
      summary: `Dry run: retention would remove ${count(removals.length, 'snapshot')}. Nothing was changed.`,
      result: {
        dry_run: true,
        ...planResult(context.job, removals.map(REMOVAL_PLAN.line), this.deps.clock.now(), this.deps.digest),
        changes_count: removals.length,
        changes: removals.slice(0, MAX_PLANNED),
        sources: decided.map((each) => decisionResult(each, each.decision.remove)),
      },
    };
  }

  /** A source that fails keeps no other from its turn: one repository may be damaged, or out of reach. */
  async apply(context: JobContext): Promise<RunResult> {
    if (await this.deps.clockWatch.holdsBack()) throw clockJumped();
    const sources = [];
    const failures: SourceFailure[] = [];
    let removedCount = 0;
    let inUseCount = 0;
    const decided = await this.#decide(context);
    const { planId } = context.job.params;
    if (planId !== undefined) {
      const planned = plannedChanges(await this.deps.jobs.find(planId), REMOVAL_PLAN);
      const drift = driftFrom(planned, removalsOf(decided), REMOVAL_PLAN);
      if (drift) return drifted(planId, drift);
    }
    const reach = reachOf(context);
    for (const each of decided) {
      const went: RemovalResult = { removed: [], inUse: [] };
      try {
        await this.#thin(context, reach, each, went);
      } catch (error) {
        context.signal.throwIfAborted();
        if (!isDomainError(error)) throw error;
        context.log(`Source "${each.source.name}" failed: ${error.message}`);
        failures.push({ source: each.source.name, error });
      }
      removedCount += went.removed.length;
      inUseCount += went.inUse.length;
      sources.push(decisionResult(each, went.removed, went.inUse));
    }
    const left =
      inUseCount > 0 ? ` Kept because they are in use: ${inUseCount}. Run retention again later.` : '';
    return {
      summary: `Removed ${count(removedCount, 'snapshot')}.${left}`,
      result: { dry_run: false, ...(planId === undefined ? {} : { plan_id: planId }), sources },
      failure: failureOf(failures, decided.length),
    };
  }

  /** Removes what the decision says of one source; `went` has the progress, even if it throws. */
  async #thin(
    context: JobContext,
    reach: Reach,
    { source, decision }: SourceDecision,
    went: RemovalResult,
  ): Promise<void> {
    const finished = await this.#finishRemovals(context, reach, source);
    for (const [done, snapshot] of decision.remove.entries()) {
      context.signal.throwIfAborted();
      context.progress(`Removing ${snapshotLabel(snapshot)}`, null, {
        phase: `Removing snapshots of ${source.name}`,
        amount: { done, total: decision.remove.length, unit: 'snapshots' },
      });
      const outcome = await this.#remove(context, reach, snapshot);
      if (outcome === 'removed') went.removed.push(snapshot);
      if (outcome === 'in use') went.inUse.push(snapshot);
    }
    if (went.removed.length + finished > 0)
      await this.deps.engines.of(source).reclaim(source, reach, context);
  }

  /**
   * Takes it off the list first, then off the disk: a crash in between leaves a whole snapshot that the next run, or the
   * sweep of the store, removes, and never a listed one that is not whole.
   */
  async #remove(
    context: JobContext,
    reach: Reach,
    snapshot: Snapshot,
  ): Promise<'removed' | 'in use' | 'gone'> {
    const retention = Actor.system('retention');
    try {
      await this.deps.snapshots.remove(snapshot.id, {
        audit: [
          auditEntry(retention, this.deps.clock.now(), 'snapshot.remove', `snapshot:${snapshot.id}`, {
            jobId: context.job.id,
            serverId: snapshot.serverId,
            source: snapshot.sourceName,
            name: snapshot.name,
          }),
        ],
      });
    } catch (error) {
      const outcome = isDomainError(error) ? LEFT[error.code] : undefined;
      if (outcome === undefined || !isDomainError(error)) throw error;
      context.log(`Kept ${snapshotLabel(snapshot)}: ${error.message}`);
      return outcome;
    }
    await this.deps.engines.of(snapshot).remove(snapshot, reach, context);
    context.log(`Removed ${snapshotLabel(snapshot)}.`);
    return 'removed';
  }

  /** In the store, and removed from the list: its removal was cut off. */
  async #finishRemovals(context: JobContext, reach: Reach, source: BackupSource): Promise<number> {
    const finished = await this.deps.settleSnapshots.finishRemovals(source, reach, context);
    for (const { name } of finished) context.log(`Finished the removal of ${source.name} ${name}.`);
    return finished.length;
  }

  async #decide(context: JobContext): Promise<readonly SourceDecision[]> {
    const all = await this.deps.sources.ofServer(context.server.id);
    const decided: SourceDecision[] = [];
    for (const source of selectSources(all, context.job.params.sourceFilter)) {
      const decision = retainSnapshots(
        source.retention,
        await this.deps.snapshots.ofSource(source.id),
        this.deps.clock.now(),
      );
      context.log(
        `Source "${source.name}": ${decision.keep.length} to keep, ${decision.remove.length} to remove.`,
      );
      decided.push({ source, decision });
    }
    return decided;
  }
}

/** Refusals that leave a snapshot for the next run. It may have been pinned, read or deleted since the decision. */
const LEFT: Partial<Record<ErrorCode, 'in use' | 'gone'>> = {
  snapshot_in_use: 'in use',
  snapshot_protected: 'in use',
  snapshot_not_found: 'gone',
};

const clockJumped = (): DomainError =>
  new DomainError(
    'clock_jumped',
    "The service's clock jumped ahead, so nothing is removed because of its age. Correct the clock, or acknowledge the alert if the time is right.",
  );

function failureOf([first]: readonly SourceFailure[], all: number): DomainError | null {
  if (!first) return null;
  const others = all > 1 ? ' The other sources were processed; see the log.' : '';
  return new DomainError(
    first.error.code,
    `Retention of "${first.source}" failed: ${first.error.message}${others}`,
    { cause: first.error },
  );
}

/** A snapshot that goes. */
interface Removal {
  readonly source: string;
  readonly id: number;
  readonly name: string;
}

const removalsOf = (decided: readonly SourceDecision[]): readonly Removal[] =>
  decided.flatMap(({ source, decision }) =>
    decision.remove.map(({ id, name }) => ({ source: source.name, id, name })),
  );

const lineOf = ({ source, id, name }: Removal): string => JSON.stringify([source, id, name]);

function isRemoval(value: unknown): value is Removal {
  if (typeof value !== 'object' || value === null) return false;
  const { source, id, name } = value as Partial<Record<keyof Removal, unknown>>;
  return typeof source === 'string' && typeof id === 'number' && typeof name === 'string';
}

const REMOVAL_PLAN: PlanKind<Removal> = {
  line: lineOf,
  describe: ({ source, name }) => `the removal of ${name} (${source})`,
  isChange: isRemoval,
};

function decisionResult(
  { source, decision }: SourceDecision,
  removed: readonly Snapshot[],
  inUse: readonly Snapshot[] = [],
): object {
  const named = (snapshots: readonly Snapshot[]): object[] =>
    snapshots
      .slice(0, MAX_NAMED)
      .map(({ id, name }) => ({ id, name, reasons: decision.reasons[name] ?? [] }));
  return {
    source: source.name,
    kept_count: decision.keep.length,
    removed_count: removed.length,
    in_use_count: inUse.length,
    kept: named(decision.keep),
    removed: named(removed),
  };
}
