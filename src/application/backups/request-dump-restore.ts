import type { Actor } from '../../domain/access/actor.ts';
import { dumpNotFound, restoreByHand, restoreDatabase } from '../../domain/backups/dump.ts';
import { InvalidInput } from '../../domain/base/errors.ts';
import type { Job } from '../../domain/jobs/job.ts';
import { existingServer } from '../fleet/get-server.ts';
import type { TriggerJob } from '../jobs/trigger-job.ts';
import type { DumpStore } from '../ports/backups/dump-store.ts';
import type { ServerStore } from '../ports/fleet/server-store.ts';
import type { BrowseSnapshot } from './browse-snapshot.ts';

export interface DumpRestoreRequest {
  readonly snapshotId: number;
  /** Of a dump that the snapshot's source still has: its connection and password are used. */
  readonly name: string;
  /** Another database than it came from; `null`: that one. */
  readonly database: string | null;
  readonly dryRun: boolean;
  /** The server's name, given again; not of a dry run. */
  readonly confirmation: string;
}

interface Deps {
  readonly browseSnapshot: Pick<BrowseSnapshot, 'admit'>;
  readonly servers: ServerStore;
  readonly dumps: DumpStore;
  readonly triggerJob: Pick<TriggerJob, 'execute'>;
}

/** Starts the job that restores a dump into its database. Only people do this, as with files. */
export class RequestDumpRestore {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Throws as `BrowseSnapshot.admit` and `TriggerJob` do, `dump_not_found`, and `invalid_input`. */
  async execute(actor: Actor, request: DumpRestoreRequest): Promise<Job> {
    const { name, dryRun } = request;
    const { id, serverId, sourceId } = await this.#deps.browseSnapshot.admit(actor, request.snapshotId);
    const server = await existingServer(this.#deps.servers, actor, serverId);
    const dump = (await this.#deps.dumps.ofSource(sourceId)).find((each) => each.name === name);
    if (!dump) throw dumpNotFound(name);
    const byHand = restoreByHand(dump);
    if (byHand !== null) throw new InvalidInput([{ path: '/name', message: byHand }]);
    const database = restoreDatabase(dump, request.database);
    if (!dryRun && request.confirmation.trim() !== server.name) {
      throw new InvalidInput([
        {
          path: '/confirmation',
          message: `A database on ${server.name} will be replaced: give the server's name, exactly as it stands there.`,
        },
      ]);
    }
    return this.#deps.triggerJob.execute(actor, {
      serverId,
      jobType: 'dump_restore',
      snapshotId: id,
      dump: { name, database },
      dryRun,
    });
  }
}
