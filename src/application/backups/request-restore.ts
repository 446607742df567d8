import type { Actor } from '../../domain/access/actor.ts';
import { InvalidInput } from '../../domain/base/errors.ts';
import { withoutEnd } from '../../domain/base/without-end.ts';
import { JailPath } from '../../domain/files/jail-path.ts';
import type { Job } from '../../domain/jobs/job.ts';
import { UseCase } from '../base/use-case.ts';
import { existingServer } from '../fleet/get-server.ts';
import type { TriggerJob } from '../jobs/trigger-job.ts';
import type { BrowseSnapshot } from './browse-snapshot.ts';

export interface RestoreRequest {
  readonly snapshotId: number;
  /** Paths in the snapshot, with or without leading slash; none: all of it. */
  readonly paths: readonly string[];
  /** An absolute directory on the snapshot's server, or `null`: the original location, overwriting existing files. */
  readonly directory: string | null;
  /** For a restore into a directory: even if it is not empty. */
  readonly overwrite: boolean;
  /** The server's name, given again where files are written over. */
  readonly confirmation: string;
}

/** As many files and directories in one restore; more are restored with the directory that they are in. */
export const MAX_RESTORED_PATHS = 100;

/** Starts the job that restores files to their server. For users only. */
export class RequestRestore extends UseCase<
  'servers',
  { readonly browseSnapshot: Pick<BrowseSnapshot, 'admit'>; readonly triggerJob: Pick<TriggerJob, 'execute'> }
> {
  /** Throws as `BrowseSnapshot.admit` and `TriggerJob` do, and `invalid_input`. */
  async execute(actor: Actor, request: RestoreRequest): Promise<Job> {
    const { id, serverId } = await this.deps.browseSnapshot.admit(actor, request.snapshotId);
    const server = await existingServer(this.deps.servers, actor, serverId);
    const { directory, overwrite } = request;
    const subpaths = restoredPaths(request.paths);
    if (directory !== null) restoreDirectory(directory);
    const writesOver = directory === null || overwrite;
    if (writesOver && request.confirmation.trim() !== server.name) {
      throw new InvalidInput([
        {
          path: '/confirmation',
          message: `Files of ${server.name} will be replaced. To confirm, enter the server's name exactly.`,
        },
      ]);
    }
    return this.deps.triggerJob.execute(actor, {
      serverId,
      jobType: 'restore',
      snapshotId: id,
      restore: {
        directory: directory ?? '/',
        subpaths,
        overwrite: writesOver,
      },
    });
  }
}

/** As paths in the snapshot, without leading slash. Throws `invalid_input`. */
export function restoredPaths(paths: readonly string[]): readonly string[] {
  const subpaths = paths
    .map((path) => String(JailPath.parse(withoutEnd(path.replace(/^\/+/, ''), '/'), '/path')))
    .filter((path) => path !== '');
  if (subpaths.length > MAX_RESTORED_PATHS) {
    throw new InvalidInput([
      { path: '/path', message: `At most ${MAX_RESTORED_PATHS} files or directories.` },
    ]);
  }
  return subpaths;
}

/** A directory that is not the original place. Throws `invalid_input`. */
export function restoreDirectory(directory: string): string {
  const parts = directory.split('/');
  const fault = !directory.startsWith('/')
    ? 'Must be an absolute directory on the server, starting with "/".'
    : parts.some((part) => part === '..' || part === '.')
      ? 'Must not contain "." or ".." parts.'
      : parts.every((part) => part === '')
        ? '"/" is not a separate directory. To restore files to their original location, choose that option.'
        : /[\p{Cc}\p{Cs}]/u.test(directory)
          ? 'Must not contain control characters.'
          : null;
  if (fault !== null) throw new InvalidInput([{ path: '/directory', message: fault }]);
  return directory;
}
