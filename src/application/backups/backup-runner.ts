import { type BackupSource, selectSources } from '../../domain/backups/backup-source.ts';
import { hookWords } from '../../domain/backups/hook.ts';
import type { Snapshot } from '../../domain/backups/snapshot.ts';
import { count } from '../../domain/base/count.ts';
import { DomainError } from '../../domain/base/errors.ts';
import { formatBytes } from '../../domain/base/format-bytes.ts';
import { HOUR } from '../../domain/base/instant.ts';
import { UseCase } from '../base/use-case.ts';
import { drifted, driftFrom, plannedChanges, planResult } from '../jobs/job-plans.ts';
import type { JobContext, JobRunner, RunResult } from '../jobs/runner.ts';
import type { RemoteHost } from '../ports/fleet/remote-host.ts';
import { type PlannedTransfer, plannedTransfer, TRANSFER_PLAN } from './planned-transfer.ts';
import type { SourceChecks } from './source-checks.ts';
import type { TakeSnapshots } from './take-snapshots.ts';

/** Takes a snapshot of each of a server's sources. */
export class BackupRunner
  extends UseCase<
    'engines' | 'sources' | 'jobs' | 'digest' | 'clock',
    { readonly takeSnapshots: TakeSnapshots; readonly sourceChecks: Pick<SourceChecks, 'of'> }
  >
  implements JobRunner
{
  readonly types = ['backup'] as const;
  readonly timeLimitMs = 24 * HOUR;
  async plan(context: JobContext): Promise<RunResult> {
    const host = await context.openHost('bulk');
    const sources = await this.#selected(context);
    await this.#check(context, host, sources);
    const changes = await this.#transfers(context, host, sources);
    const stops = sources.flatMap(({ name: source, hooks }) => hooks.map((hook) => ({ source, ...hook })));
    const stopped =
      stops.length === 0
        ? ''
        : ` It would stop these, and start them again: ${stops.map(hookWords).join(', ')}.`;
    // Its size is known only once it is written.
    const copy = sources.some(({ kind }) => kind === 'service') ? " and a copy of Drover's database" : '';
    const bytes = changes.reduce((sum, { transfer_bytes }) => sum + transfer_bytes, 0);
    return {
      summary: `Dry run: a backup would transfer ${formatBytes(bytes)} of ${count(changes.length, 'source')}${copy}.${stopped} Nothing was changed.`,
      result: {
        dry_run: true,
        ...planResult(context.job, changes.map(TRANSFER_PLAN.line), this.deps.clock.now(), this.deps.digest),
        changes,
        sources: changes,
        ...(stops.length > 0 ? { stops } : {}),
      },
    };
  }

  /** Throws what the first hook or dump would fail with. */
  async #check(context: JobContext, host: RemoteHost, sources: readonly BackupSource[]): Promise<void> {
    for (const source of sources) {
      for (const { problem } of await this.deps.sourceChecks.of(source, host, context.signal)) {
        if (problem === null) continue;
        const message = `A backup of "${source.name}" would fail: ${problem.message}`;
        throw new DomainError(problem.code, message, { cause: problem });
      }
    }
  }

  async #transfers(
    context: JobContext,
    host: RemoteHost,
    sources: readonly BackupSource[],
  ): Promise<readonly PlannedTransfer[]> {
    const transfers: PlannedTransfer[] = [];
    for (const source of sources) {
      const plan = await this.deps.engines
        .of(source)
        .plan({ host, source, extraExcludes: this.deps.takeSnapshots.excludes(source) }, context);
      transfers.push(plannedTransfer(source, plan));
    }
    return transfers;
  }

  /** How the current file list differs from what the job may send; `null` if it does not. */
  async #driftOf(
    context: JobContext,
    host: RemoteHost,
    sources: readonly BackupSource[],
  ): Promise<RunResult | null> {
    const { planId } = context.job.params;
    if (planId === undefined) return null;
    const planned = plannedChanges(await this.deps.jobs.find(planId), TRANSFER_PLAN);
    const drift = driftFrom(planned, await this.#transfers(context, host, sources), TRANSFER_PLAN);
    return drift && drifted(planId, drift);
  }

  /** Every source is tried; the job fails at the end if one of them did. */
  async apply(context: JobContext): Promise<RunResult> {
    const hooks = this.deps.takeSnapshots.hooksOf(context);
    await hooks.resume();
    const host = await context.openHost('bulk');
    const sources = await this.#selected(context);
    const drift = await this.#driftOf(context, host, sources);
    if (drift) return drift;
    const taken = await this.deps.takeSnapshots.execute(context, sources, hooks);
    const transferred = taken.reduce((sum, snapshot) => sum + snapshot.transferredBytes, 0);
    const total = taken.reduce((sum, snapshot) => sum + snapshot.totalBytes, 0);
    return {
      summary: `Backed up ${count(taken.length, 'source')}: ${formatBytes(total)} total, ${formatBytes(transferred)} transferred.`,
      result: { dry_run: false, snapshots: taken.map(snapshotResult) },
      facts: await this.deps.takeSnapshots.coverage(context.server.id),
    };
  }

  async #selected(context: JobContext): Promise<readonly BackupSource[]> {
    const sources = await this.deps.sources.ofServer(context.server.id);
    return selectSources(sources, context.job.params.sourceFilter).map((source) =>
      this.deps.takeSnapshots.current(source),
    );
  }
}

const snapshotResult = (snapshot: Snapshot): object => ({
  id: snapshot.id,
  source: snapshot.sourceName,
  name: snapshot.name,
  files: snapshot.fileCount,
  total_bytes: snapshot.totalBytes,
  transferred_bytes: snapshot.transferredBytes,
  vanished: snapshot.vanishedCount,
});
