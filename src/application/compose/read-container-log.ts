import type { Actor } from '../../domain/access/actor.ts';
import { DomainError } from '../../domain/base/errors.ts';
import { readableText } from '../../domain/base/visible-text.ts';
import { requireControl } from '../../domain/fleet/own-machine.ts';
import { UseCase } from '../base/use-case.ts';
import { existingServer } from '../fleet/get-server.ts';
import { type HostOpener, withHost } from '../fleet/host-opener.ts';

/** The numbers of lines that a reader can choose from. */
export const LOG_LINES = [100, 500, 2_000] as const;
export type LogLines = (typeof LOG_LINES)[number];

/** Reads the end of a container's log from its host. For operators; on the service's own machine, for those who control it. */
export class ReadContainerLog extends UseCase<
  'servers' | 'inventories' | 'engine.logs',
  { readonly opener: Pick<HostOpener, 'open'> }
> {
  /** Lines without sequences for terminals, oldest first. Throws `not_found` for a container that the inventory lacks. */
  async execute(
    actor: Actor,
    serverId: number,
    container: string,
    { lines: most, signal }: { readonly lines: LogLines; readonly signal: AbortSignal },
  ): Promise<readonly string[]> {
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
    const text = await withHost(this.deps.opener, server, { signal }, (host) =>
      this.deps.engine.logs(host, container, { engine, lines: most, signal }),
    );
    const lines = readableText(text).split('\n');
    return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
  }
}
