import type { BackupSource } from '../../domain/backups/backup-source.ts';
import { coverageOf, isDamaged, type Snapshot } from '../../domain/backups/snapshot.ts';
import { count } from '../../domain/base/count.ts';
import { DomainError, isDomainError } from '../../domain/base/errors.ts';
import { MIN_JUMP_MS } from '../../domain/fleet/clock-jump.ts';
import type { ServerFacts } from '../../domain/fleet/server.ts';
import { UseCase } from '../base/use-case.ts';
import type { JobContext } from '../jobs/runner.ts';
import type { RemoteHost } from '../ports/fleet/remote-host.ts';
import type { RecordFileChanges } from './record-file-changes.ts';
import type { SettleSnapshots } from './settle-snapshots.ts';
import type { SourceDumps } from './source-dumps.ts';
import type { JobHooks, SourceHooks } from './source-hooks.ts';

interface Deps {
  readonly settleSnapshots: SettleSnapshots;
  readonly recordFileChanges: Pick<RecordFileChanges, 'execute'>;
  readonly sourceDumps: Pick<SourceDumps, 'files'>;
  readonly sourceHooks: SourceHooks;
}

/** Takes snapshots of sources, within a job, each with its dumps and between its hooks. */
export class TakeSnapshots extends UseCase<'engines' | 'snapshots' | 'serviceData' | 'clock', Deps> {
  /** The hooks of a job, for `execute`: first `resume` them. */
  hooksOf(context: JobContext): JobHooks {
    return this.deps.sourceHooks.of(context);
  }

  /** Every source is tried; then throws the failure of the first. */
  async execute(
    context: JobContext,
    sources: readonly BackupSource[],
    hooks: JobHooks,
  ): Promise<readonly Snapshot[]> {
    const host = await context.openHost('bulk');
    const taken: Snapshot[] = [];
    const failures: { readonly source: string; readonly error: DomainError }[] = [];
    for (const source of sources) {
      try {
        taken.push(
          await hooks.around(source, () => this.#backUp(stepsOf(context, sources, source), host, source)),
        );
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
          ? ` ${count(taken.length, 'other source was', 'other sources were')} backed up.`
          : '';
      throw new DomainError(
        first.error.code,
        `Backup of "${first.source}" failed: ${first.error.message}${others}`,
        {
          cause: first.error,
        },
      );
    }
    return taken;
  }

  async #backUp(context: JobContext, host: RemoteHost, source: BackupSource): Promise<Snapshot> {
    await this.#adopt(context, source);
    if (source.kind === 'service') {
      context.log('Taking a consistent copy of the database.');
      context.log(
        'The master key is left out. Keep a copy of it elsewhere, or use `drover backup create`, which encrypts it together with the data.',
      );
      await this.deps.serviceData.writeDatabaseCopy();
    }
    const made = await this.deps.engines.of(source).backup(
      {
        host,
        source,
        jobId: context.job.id,
        startedAt: this.deps.clock.now(),
        extraExcludes: this.excludes(source),
        dumps: await this.deps.sourceDumps.files(source.id, host),
        distrusted: (await this.deps.snapshots.ofSource(source.id)).filter(isDamaged).map(({ name }) => name),
      },
      context,
    );
    const snapshot = await this.deps.snapshots.add(made);
    await this.deps.recordFileChanges.execute(source, snapshot, context.signal);
    return snapshot;
  }

  /** A crash between publishing and recording leaves a complete snapshot without a record. */
  async #adopt(context: JobContext, source: BackupSource): Promise<void> {
    const adopted = await this.deps.settleSnapshots.adopt(source);
    if (adopted.length === 0) return;
    const listed = await this.deps.snapshots.ofSource(source.id);
    for (const { name } of adopted) {
      context.log(`Found the complete snapshot ${name} of an interrupted job and added it to the list.`);
      const snapshot = listed.find((each) => each.name === name);
      if (snapshot) await this.deps.recordFileChanges.execute(source, snapshot, context.signal);
    }
  }

  /** The server counts as backed up from the moment at which its least fresh source was. */
  async coverage(serverId: number): Promise<Partial<ServerFacts>> {
    const { lastBackupAt } = coverageOf(
      await this.deps.snapshots.coverage(serverId, this.deps.clock.now() + MIN_JUMP_MS),
    );
    return lastBackupAt === null ? {} : { lastBackupAt };
  }

  /** The source as it is read here and now. */
  current(source: BackupSource): BackupSource {
    // The directory may have moved, or be another one in the process that runs this.
    return source.kind === 'service' ? { ...source, paths: [this.deps.serviceData.directory] } : source;
  }

  excludes(source: BackupSource): readonly string[] {
    return source.kind === 'service' ? this.deps.serviceData.excludes : [];
  }
}

/** Of several sources each is one step; of a single one, the steps of its backup are shown. */
function stepsOf(context: JobContext, { length }: readonly unknown[], { name }: BackupSource): JobContext {
  if (length === 1) return context;
  const phase = `Backing up ${name}`;
  return {
    ...context,
    progress: (current, percent, detail) => context.progress(current, percent, { ...detail, phase }),
  };
}
