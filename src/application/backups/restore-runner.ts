import { type Snapshot, snapshotLabel, snapshotNotFound } from '../../domain/backups/snapshot.ts';
import { DomainError } from '../../domain/base/errors.ts';
import { formatBytes } from '../../domain/base/format-bytes.ts';
import { HOUR } from '../../domain/base/instant.ts';
import { count } from '../../domain/base/spans.ts';
import type { RestoreParams } from '../../domain/jobs/job.ts';
import { UseCase } from '../base/use-case.ts';
import { whileHeld } from '../base/while-held.ts';
import type { JobContext, JobRunner, RunResult } from '../jobs/runner.ts';

interface RestoreTarget {
  readonly snapshot: Snapshot;
  readonly restore: RestoreParams;
}

/** Restores a snapshot, or parts of it, to its server, and verifies the result. */
export class RestoreRunner extends UseCase<'engines' | 'snapshots' | 'clock'> implements JobRunner {
  readonly types = ['restore'] as const;
  readonly timeLimitMs = 24 * HOUR;
  async plan(context: JobContext): Promise<RunResult> {
    const wanted = await this.#wanted(context);
    return {
      summary: `Dry run: the job would restore ${wordsOf(wanted)}. Nothing was written.`,
      result: { dry_run: true, ...resultOf(wanted) },
    };
  }

  async apply(context: JobContext): Promise<RunResult> {
    const wanted = await this.#wanted(context);
    const { snapshot, restore } = wanted;
    context.log(`Restoring ${wordsOf(wanted)}.`);
    const host = await context.openHost('bulk');
    const deps = { snapshots: this.deps.snapshots, clock: this.deps.clock };
    const { files, bytes } = await whileHeld(deps, snapshot, () =>
      this.deps.engines.of(snapshot).restore({ ...restore, snapshot, host }, context),
    );
    return {
      summary: `Restored ${count(files, 'file')} (${formatBytes(bytes)}), and compared them with the snapshot.`,
      result: { dry_run: false, ...resultOf(wanted), files, bytes },
    };
  }

  async #wanted({ job, server }: JobContext): Promise<RestoreTarget> {
    const { snapshotId, restore } = job.params;
    if (snapshotId === undefined || restore === undefined) {
      throw new DomainError('invalid_input', 'The job does not specify what to restore.');
    }
    const snapshot = await this.deps.snapshots.find(snapshotId);
    if (snapshot?.serverId !== server.id) throw snapshotNotFound(snapshotId);
    return { snapshot, restore };
  }
}

const wordsOf = ({ snapshot, restore: { directory, subpaths } }: RestoreTarget): string => {
  const what = subpaths.length === 0 ? 'everything' : subpaths.map((path) => `/${path}`).join(', ');
  const where = directory === '/' ? 'its original location' : directory;
  return `${what} of ${snapshotLabel(snapshot)} to ${where}`;
};

const resultOf = ({ snapshot, restore }: RestoreTarget): object => ({
  snapshot_id: snapshot.id,
  source: snapshot.sourceName,
  directory: restore.directory,
  subpaths: restore.subpaths,
  overwrite: restore.overwrite,
});
