import { counted } from '../../domain/base/counted.ts';
import { MINUTE } from '../../domain/base/instant.ts';
import type { JobContext, JobRunner, RunResult } from '../jobs/runner.ts';
import type { RefreshInventory } from './refresh-inventory.ts';

interface Deps {
  readonly refreshInventory: RefreshInventory;
}

/** Reads the file systems of a host. */
export class DiskCheckRunner implements JobRunner {
  readonly types = ['disk_check'] as const;
  readonly timeLimitMs = 5 * MINUTE;
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async plan(context: JobContext): Promise<RunResult> {
    return this.#check(context, true);
  }

  async apply(context: JobContext): Promise<RunResult> {
    return this.#check(context, false);
  }

  async #check(context: JobContext, dryRun: boolean): Promise<RunResult> {
    const host = await context.openHost();
    const { disks } = await this.#deps.refreshInventory.gather(context.server.id, host, context.signal);
    return {
      summary: `Read ${counted(disks?.length ?? 0, 'file system')}.`,
      result: { dry_run: dryRun, disks },
    };
  }
}
