import { Actor } from '../../domain/actor.ts';
import { auditEntry } from '../../domain/audit-entry.ts';
import { type BackupSource, selectSources } from '../../domain/backup-source.ts';
import { isDomainError } from '../../domain/errors.ts';
import { HOUR } from '../../domain/instant.ts';
import { applyRetention, type RetentionDecision } from '../../domain/retention-policy.ts';
import type { Snapshot } from '../../domain/snapshot.ts';
import type { BackupEngine } from '../ports/backup-engine.ts';
import type { Clock } from '../ports/clock.ts';
import type { SnapshotStore } from '../ports/snapshot-store.ts';
import type { SourceStore } from '../ports/source-store.ts';
import type { JobContext, JobRunner, RunResult } from './runner.ts';

/** A result stays readable: of longer lists it names this many and counts the rest. */
const MOST_NAMED = 100;

interface Decided {
  readonly source: BackupSource;
  readonly decision: RetentionDecision<Snapshot>;
}

/** Removes the snapshots that no rule of their source keeps. */
export class RetentionRunner implements JobRunner {
  readonly types = ['retention'] as const;
  readonly timeLimitMs = 6 * HOUR;
  readonly #engine: BackupEngine;
  readonly #sources: SourceStore;
  readonly #snapshots: SnapshotStore;
  readonly #clock: Clock;

  constructor(deps: { engine: BackupEngine; sources: SourceStore; snapshots: SnapshotStore; clock: Clock }) {
    this.#engine = deps.engine;
    this.#sources = deps.sources;
    this.#snapshots = deps.snapshots;
    this.#clock = deps.clock;
  }

  async plan(context: JobContext): Promise<RunResult> {
    const decided = await this.#decide(context);
    const count = decided.reduce((sum, { decision }) => sum + decision.remove.length, 0);
    return {
      summary: `Dry run: retention would remove ${count} snapshot(s). Nothing was changed.`,
      result: { dry_run: true, sources: decided.map((each) => decisionResult(each, each.decision.remove)) },
    };
  }

  async apply(context: JobContext): Promise<RunResult> {
    const sources = [];
    let removedCount = 0;
    let inUseCount = 0;
    for (const each of await this.#decide(context)) {
      const removed: Snapshot[] = [];
      await this.#finishRemovals(context, each.source);
      const inUse: Snapshot[] = [];
      for (const snapshot of each.decision.remove) {
        context.signal.throwIfAborted();
        context.progress(`Removing ${each.source.name} ${snapshot.name}`, null);
        const outcome = await this.#remove(context, snapshot);
        if (outcome === 'removed') removed.push(snapshot);
        if (outcome === 'in use') inUse.push(snapshot);
      }
      removedCount += removed.length;
      inUseCount += inUse.length;
      sources.push(decisionResult(each, removed, inUse));
    }
    const left =
      inUseCount > 0 ? ` ${inUseCount} more are being restored from; run retention again later.` : '';
    return { summary: `Removed ${removedCount} snapshot(s).${left}`, result: { dry_run: false, sources } };
  }

  /**
   * Takes it off the list first, then off the disk: a crash in between leaves a whole snapshot that the next run removes,
   * and never a listed one that is not whole.
   */
  async #remove(context: JobContext, snapshot: Snapshot): Promise<'removed' | 'in use' | 'gone'> {
    const retention = Actor.system('retention');
    try {
      await this.#snapshots.remove(snapshot.id, {
        audit: [
          auditEntry(retention, this.#clock.now(), 'snapshot.remove', `snapshot:${snapshot.id}`, {
            jobId: context.job.id,
            serverId: snapshot.serverId,
            source: snapshot.sourceName,
            name: snapshot.name,
          }),
        ],
      });
    } catch (error) {
      if (isDomainError(error, 'snapshot_in_use') || isDomainError(error, 'snapshot_not_found')) {
        context.log(`Left ${snapshot.sourceName} ${snapshot.name}: ${error.message}`);
        return error.code === 'snapshot_in_use' ? 'in use' : 'gone';
      }
      throw error;
    }
    await this.#engine.remove(snapshot);
    context.log(`Removed ${snapshot.sourceName} ${snapshot.name}.`);
    return 'removed';
  }

  /** Published, not listed, and no newer than what was recorded last: its removal was cut off. */
  async #finishRemovals(context: JobContext, source: BackupSource): Promise<void> {
    const listed = new Set((await this.#snapshots.ofSource(source.id)).map((snapshot) => snapshot.name));
    for (const found of await this.#engine.published(source)) {
      if (listed.has(found.name) || found.startedAt > (source.lastSuccessAt ?? 0)) continue;
      context.log(`Finishing the removal of ${source.name} ${found.name}.`);
      await this.#engine.remove(found);
    }
  }

  async #decide(context: JobContext): Promise<readonly Decided[]> {
    const all = await this.#sources.ofServer(context.server.id);
    const decided: Decided[] = [];
    for (const source of selectSources(all, context.job.params.sourceFilter)) {
      const decision = applyRetention(source.retention, await this.#snapshots.ofSource(source.id));
      context.log(
        `Source "${source.name}": ${decision.keep.length} to keep, ${decision.remove.length} to remove.`,
      );
      decided.push({ source, decision });
    }
    return decided;
  }
}

function decisionResult(
  { source, decision }: Decided,
  removed: readonly Snapshot[],
  inUse: readonly Snapshot[] = [],
): object {
  const named = (snapshots: readonly Snapshot[]): object[] =>
    snapshots
      .slice(0, MOST_NAMED)
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
