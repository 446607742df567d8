import type { Actor } from '../../domain/access/actor.ts';
import { isPath } from '../../domain/compose/compose-names.ts';
import { jailDirectory } from '../../domain/files/jail-directory.ts';
import type { Inventory } from '../../domain/fleet/inventory.ts';
import type { Server } from '../../domain/fleet/server.ts';
import { UseCase } from '../base/use-case.ts';
import { existingServer } from './get-server.ts';
import { type HostOpener, withHost } from './host-opener.ts';
import type { RefreshInventory } from './refresh-inventory.ts';

/**
 * The first Compose directory that the account can write to ("$@" are the server's known ones), or /srv/drover; never
 * a home directory, which holds keys and settings. Prints the resolved path, since a file root cannot be a symbolic
 * link.
 */
export const SUGGEST_JAIL = `
home=$(cd -P -- "$HOME" 2>/dev/null && pwd -P)
for each in "$@" "$HOME/compose" "$HOME/docker" "$HOME/stacks" /srv/compose /opt/compose /opt/stacks /srv/drover; do
  [ -d "$each" ] && [ -w "$each" ] && cd -P -- "$each" && [ "$PWD" != "$home" ] || continue
  printf %s "$PWD"
  exit 0
done`;

const UNFIT = 'The host suggested a file root ("jail") that cannot be one, so it is not shown.';

export interface ServerCheck {
  readonly server: Server;
  readonly inventory: Inventory;
  /** A suggestion for a file root; nothing is set. */
  readonly suggestedJail: string | null;
  /** Why the host's suggestion is not shown; `null`: it is shown, or there is none. */
  readonly jailNote: string | null;
}

/** Connects to a server and takes its inventory: the proof that the service can work with it. */
export class CheckServer extends UseCase<
  'servers',
  { readonly opener: HostOpener; readonly refreshInventory: RefreshInventory }
> {
  /** For operators. Throws `server_not_found`, and as connecting and reading a host do. */
  async execute(actor: Actor, id: number, signal: AbortSignal): Promise<ServerCheck> {
    actor.requireRole('operator', id);
    const server = await existingServer(this.deps.servers, actor, id);
    const inventory = await this.deps.refreshInventory.execute(server, signal);
    return {
      server: await existingServer(this.deps.servers, actor, id),
      inventory,
      ...(await this.#suggestJail(server, signal)),
    };
  }

  async #suggestJail(
    server: Server,
    signal: AbortSignal,
  ): Promise<Pick<ServerCheck, 'suggestedJail' | 'jailNote'>> {
    const { exitCode, stdout } = await withHost(this.deps.opener, server, { signal }, (host) =>
      host.run({ script: SUGGEST_JAIL, args: server.composeDirs }, { signal, timeoutMs: 10_000 }),
    );
    const directory = stdout.toString('utf8');
    if (exitCode !== 0 || directory === '') return { suggestedJail: null, jailNote: null };
    return mayBeJail(directory)
      ? { suggestedJail: directory, jailNote: null }
      : { suggestedJail: null, jailNote: UNFIT };
  }
}

/** A host may answer anything: apply the rules for file roots, and refuse invisible characters. */
function mayBeJail(directory: string): boolean {
  try {
    return isPath(directory) && jailDirectory(directory) === directory;
  } catch {
    return false;
  }
}
