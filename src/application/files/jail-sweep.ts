import { type ErrorCode, isDomainError } from '../../domain/base/errors.ts';
import { DAY } from '../../domain/base/instant.ts';
import { UseCase } from '../base/use-case.ts';
import type { HostOpener } from '../fleet/host-opener.ts';
import type { LeftWrite } from '../ports/files/jail-write-journal.ts';

/** A host that was unreachable for this long is not asked again. */
const LONGEST = 30 * DAY;

/** The directory no longer exists, and neither do its leftovers. */
const GONE: ReadonlySet<ErrorCode> = new Set([
  'file_not_found',
  'not_a_directory',
  'path_refused',
  'jail_unusable',
  'host_permission_denied',
]);

/**
 * Removes the temporary files of interrupted writes from file roots, wherever the journal lists some. An unreachable
 * host is asked again next time.
 */
export class JailSweep extends UseCase<
  'journal' | 'servers' | 'jails' | 'clock',
  { readonly opener: Pick<HostOpener, 'accessTo'> }
> {
  async execute(signal: AbortSignal): Promise<void> {
    const silent = new Set<number>();
    for (const left of await this.deps.journal.left()) {
      signal.throwIfAborted();
      if (silent.has(left.serverId)) continue;
      const swept = await this.#sweep(left, signal);
      if (swept === 'host silent') silent.add(left.serverId);
      const over = swept === 'clean' || this.deps.clock.now() - left.begunAt > LONGEST;
      if (over) await this.deps.journal.end(left.id);
    }
  }

  /** `still there`: a writer may still be at it. */
  async #sweep(
    { serverId, jail, directory }: LeftWrite,
    signal: AbortSignal,
  ): Promise<'clean' | 'still there' | 'host silent'> {
    const server = await this.deps.servers.find(serverId);
    if (!server) return 'clean';
    try {
      const fs = await this.deps.jails.open(await this.deps.opener.accessTo(server), jail, { signal });
      try {
        return (await fs.sweep(directory)) === 0 ? 'clean' : 'still there';
      } finally {
        fs.close();
      }
    } catch (error) {
      if (!isDomainError(error)) throw error;
      return GONE.has(error.code) ? 'clean' : 'host silent';
    }
  }
}
