import type { Actor } from '../../domain/access/actor.ts';
import { DomainError } from '../../domain/base/errors.ts';
import { SECOND, toIso } from '../../domain/base/instant.ts';
import { isLogStamp, type LoggedLine, linesAfter, loggedLines } from '../../domain/compose/container-log.ts';
import { requireControl } from '../../domain/fleet/own-machine.ts';
import { UseCase } from '../base/use-case.ts';
import { existingServer } from '../fleet/get-server.ts';
import { type HostOpener, withHost } from '../fleet/host-opener.ts';

/** The numbers of lines that a reader can choose from. */
export const LOG_LINES = [100, 500, 2_000] as const;
export type LogLines = (typeof LOG_LINES)[number];

/** The most of them. */
const MOST_LINES = 2_000;
const LOOK_EVERY_MS = 2 * SECOND;

type FollowLog = (
  options: { readonly after: string | null; readonly signal: AbortSignal },
  onLines: (lines: readonly LoggedLine[], last: string) => Promise<void>,
) => Promise<void>;

/** Reads the end of a container's log from its host. For operators; on the service's own machine, for those who control it. */
export class ReadContainerLog extends UseCase<
  'servers' | 'inventories' | 'engine.logs' | 'clock',
  { readonly opener: Pick<HostOpener, 'open'> }
> {
  /** Lines as they were written, oldest first. Throws `not_found` for a container that the inventory lacks. */
  async execute(
    actor: Actor,
    serverId: number,
    container: string,
    { lines, signal }: { readonly lines: LogLines; readonly signal: AbortSignal },
  ): Promise<readonly LoggedLine[]> {
    const read = await this.#reader(actor, serverId, container);
    return loggedLines(await read({ lines, signal }));
  }

  /**
   * Throws as `execute`. What it returns hands out lines as they are written, until the signal is aborted: those after a
   * stamp, or `null` for all of the end. `last` is the stamp to continue from. Between looks, other work can have the
   * connection.
   */
  async follow(actor: Actor, serverId: number, container: string): Promise<FollowLog> {
    const read = await this.#reader(actor, serverId, container);
    return async ({ after, signal }, onLines) => {
      let last = after !== null && isLogStamp(after) ? after : null;
      while (!signal.aborted) {
        const text = await read({ lines: MOST_LINES, signal, ...(last === null ? {} : { since: last }) });
        const lines = linesAfter(loggedLines(text), last);
        if (lines.length > 0) {
          last = lines.findLast(({ stamp }) => stamp !== null)?.stamp ?? toIso(this.deps.clock.now());
          await onLines(lines, last);
        }
        await this.deps.clock.sleep(LOOK_EVERY_MS, signal);
      }
    };
  }

  async #reader(actor: Actor, serverId: number, container: string) {
    actor.requireRole('operator', serverId);
    const server = await existingServer(this.deps.servers, actor, serverId);
    requireControl(actor, server, 'container.log');
    const inventory = await this.deps.inventories.find(serverId);
    const engine = inventory?.containerEngine ?? null;
    if (engine === null || !inventory?.containers?.some(({ name }) => name === container)) {
      throw new DomainError(
        'not_found',
        'The inventory of this server has no such container. Refresh it first.',
      );
    }
    return (wanted: { readonly lines: number; readonly signal: AbortSignal; readonly since?: string }) =>
      withHost(this.deps.opener, server, { signal: wanted.signal }, (host) =>
        this.deps.engine.logs(host, container, { engine, ...wanted }),
      );
  }
}
