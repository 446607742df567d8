import { type BackupSource, selectSources } from '../../domain/backups/backup-source.ts';
import { hookWords } from '../../domain/backups/hook.ts';
import { coverageOf, isDamaged, type Snapshot } from '../../domain/backups/snapshot.ts';
import { counted } from '../../domain/base/counted.ts';
import { DomainError, isDomainError } from '../../domain/base/errors.ts';
import { formatBytes } from '../../domain/base/format-bytes.ts';
import { HOUR } from '../../domain/base/instant.ts';
import { MIN_JUMP_MS } from '../../domain/fleet/clock-jump.ts';
import type { ServerFacts } from '../../domain/fleet/server.ts';
import { drifted, driftFrom, plannedChanges, planResult } from '../jobs/job-plans.ts';
import type { JobContext, JobRunner, RunResult } from '../jobs/runner.ts';
import type { BackupEngines } from '../ports/backups/backup-engine.ts';
import type { SnapshotStore } from '../ports/backups/snapshot-store.ts';
import type { SourceStore } from '../ports/backups/source-store.ts';
import type { Clock } from '../ports/base/clock.ts';
import type { Digest } from '../ports/base/digest.ts';
import type { RemoteHost } from '../ports/fleet/remote-host.ts';
import type { JobStore } from '../ports/jobs/job-store.ts';
import type { ServiceData } from '../ports/service/service-data.ts';
import { type PlannedTransfer, plannedTransfer, TRANSFER_PLAN } from './planned-transfer.ts';
import type { SettleSnapshots } from './settle-snapshots.ts';
import type { SourceChecks } from './source-checks.ts';
import type { SourceDumps } from './source-dumps.ts';
import type { SourceHooks } from './source-hooks.ts';

interface Deps {
  readonly engines: BackupEngines;
  readonly settleSnapshots: SettleSnapshots;
  readonly sources: SourceStore;
  readonly snapshots: SnapshotStore;
  readonly sourceDumps: Pick<SourceDumps, 'files'>;
  readonly serviceData: ServiceData;
  readonly jobs: JobStore;
  readonly sourceHooks: SourceHooks;
  readonly sourceChecks: Pick<SourceChecks, 'of'>;
  readonly digest: Digest;
  readonly clock: Clock;
}

/** Takes a snapshot of each of a server's sources. */
export class BackupRunner implements JobRunner {
  readonly types = ['backup'] as const;
  readonly timeLimitMs = 24 * HOUR;
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async plan(context: JobContext): Promise<RunResult> {
    const host = await context.openHost('bulk');
    const sources = await this.#selected(context);
    await this.#check(context, host, sources);
    const changes = await this.#transfers(context, host, sources);
    const stops = sources.flatMap(({ name: source, hooks }) => hooks.map((hook) => ({ source, ...hook })));
    const stopped =
      stops.length === 0 ? '' : ` It would stop and start again: ${stops.map(hookWords).join(', ')}.`;
    const bytes = changes.reduce((sum, { transfer_bytes }) => sum + transfer_bytes, 0);
    return {
      summary: `Dry run: a backup would transfer ${formatBytes(bytes)} of ${counted(changes.length, 'source')}.${stopped} Nothing was changed.`,
      result: {
        dry_run: true,
        ...planResult(
          context.job,
          changes.map(TRANSFER_PLAN.line),
          this.#deps.clock.now(),
          this.#deps.digest,
        ),
        changes,
        sources: changes,
        ...(stops.length > 0 ? { stops } : {}),
      },
    };
  }

  /** Throws what the first hook or dump would fail with. */
  async #check(context: JobContext, host: RemoteHost, sources: readonly BackupSource[]): Promise<void> {
    for (const source of sources) {
      for (const { problem } of await this.#deps.sourceChecks.of(source, host, context.signal)) {
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
      const plan = await this.#deps.engines
        .of(source)
        .plan({ host, source, extraExcludes: this.#excludes(source) }, context);
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
    const planned = plannedChanges(await this.#deps.jobs.find(planId), TRANSFER_PLAN);
    const drift = driftFrom(planned, await this.#transfers(context, host, sources), TRANSFER_PLAN);
    return drift && drifted(planId, drift);
  }

  /** Every source is tried; the job fails at the end if one of them did. */
  async apply(context: JobContext): Promise<RunResult> {
    const hooks = this.#deps.sourceHooks.of(context);
    await hooks.resume();
    const host = await context.openHost('bulk');
    const sources = await this.#selected(context);
    const drift = await this.#driftOf(context, host, sources);
    if (drift) return drift;
    const taken: Snapshot[] = [];
    const failures: { readonly source: string; readonly error: DomainError }[] = [];
    for (const source of sources) {
      try {
        taken.push(await hooks.around(source, () => this.#backUp(context, host, source)));
      } catch (error) {
        // Services that were not started again are always reported.
        if (!isDomainError(error, 'hook_failed')) context.signal.throwIfAborted();
        if (!isDomainError(error)) throw error;
        context.log(`Source "${source.name}" failed: ${error.message}`);
        failures.push({ source: source.name, error });
        if (context.signal.aborted) break;
      }
    }
    const first = failures.find(({ error }) => error.code === 'hook_failed') ?? failures[0];
    if (first) {
      const others =
        taken.length > 0
          ? ` ${counted(taken.length, 'other source was', 'other sources were')} backed up.`
          : '';
      throw new DomainError(
        first.error.code,
        `Backup of "${first.source}" failed: ${first.error.message}${others}`,
        {
          cause: first.error,
        },
      );
    }
    const transferred = taken.reduce((sum, snapshot) => sum + snapshot.transferredBytes, 0);
    const total = taken.reduce((sum, snapshot) => sum + snapshot.totalBytes, 0);
    return {
      summary: `Backed up ${counted(taken.length, 'source')}: ${formatBytes(total)} total, ${formatBytes(transferred)} transferred.`,
      result: { dry_run: false, snapshots: taken.map(snapshotResult) },
      facts: await this.#coverage(context.server.id),
    };
  }

  async #backUp(context: JobContext, host: RemoteHost, source: BackupSource): Promise<Snapshot> {
    await this.#adopt(context, source);
    if (source.kind === 'service') {
      context.log('Taking a consistent copy of the database.');
      context.log(
        'The master key is left out. Keep a copy of it elsewhere, or use `drover backup create`, which encrypts it together with the data.',
      );
      await this.#deps.serviceData.writeDatabaseCopy();
    }
    const made = await this.#deps.engines.of(source).backup(
      {
        host,
        source,
        jobId: context.job.id,
        startedAt: this.#deps.clock.now(),
        extraExcludes: this.#excludes(source),
        dumps: await this.#deps.sourceDumps.files(source.id, host),
        distrusted: (await this.#deps.snapshots.ofSource(source.id))
          .filter(isDamaged)
          .map(({ name }) => name),
      },
      context,
    );
    return this.#deps.snapshots.add(made);
  }

  /** A crash between publishing and recording leaves a complete snapshot without a record. */
  async #adopt(context: JobContext, source: BackupSource): Promise<void> {
    for (const found of await this.#deps.settleSnapshots.adopt(source))
      context.log(`Found the whole snapshot ${found.name} of an interrupted job and listed it.`);
  }

  /** The server counts as backed up from the moment at which its least fresh source was. */
  async #coverage(serverId: number): Promise<Partial<ServerFacts>> {
    const { lastBackupAt } = coverageOf(
      await this.#deps.snapshots.coverage(serverId, this.#deps.clock.now() + MIN_JUMP_MS),
    );
    return lastBackupAt === null ? {} : { lastBackupAt };
  }

  async #selected(context: JobContext): Promise<readonly BackupSource[]> {
    const sources = await this.#deps.sources.ofServer(context.server.id);
    return selectSources(sources, context.job.params.sourceFilter).map((source) =>
      // The directory may have moved, or be another one in the process that runs this.
      source.kind === 'service' ? { ...source, paths: [this.#deps.serviceData.directory] } : source,
    );
  }

  #excludes(source: BackupSource): readonly string[] {
    return source.kind === 'service' ? this.#deps.serviceData.excludes : [];
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
