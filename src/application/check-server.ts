import type { Actor } from '../domain/actor.ts';
import type { Inventory } from '../domain/inventory.ts';
import type { Server } from '../domain/server.ts';
import { existingServer } from './get-server.ts';
import type { HostOpener } from './host-opener.ts';
import type { ServerStore } from './ports/server-store.ts';
import type { RefreshInventory } from './refresh-inventory.ts';

/** The fleet user's compose directory where there is one, else its home; where it really is, since a jail is no link. */
const SUGGEST_JAIL =
  'for each in "$HOME/compose" "$HOME/docker" "$HOME/stacks" /srv/compose /opt/compose /opt/stacks; do if [ -d "$each" ] && [ -w "$each" ]; then break; fi; each=$HOME; done; cd -P -- "$each" && printf %s "$PWD"';

export interface ServerCheck {
  readonly server: Server;
  readonly inventory: Inventory;
  /** A directory that would do as a jail; nothing is set. */
  readonly suggestedJail: string | null;
}

/** Connects to a server and takes its inventory: the proof that the service can work with it. */
export class CheckServer {
  readonly #servers: ServerStore;
  readonly #hosts: HostOpener;
  readonly #inventory: RefreshInventory;

  constructor(deps: { servers: ServerStore; hosts: HostOpener; inventory: RefreshInventory }) {
    this.#servers = deps.servers;
    this.#hosts = deps.hosts;
    this.#inventory = deps.inventory;
  }

  /** For operators. Throws `server_not_found`, and as connecting and reading a host do. */
  async execute(actor: Actor, id: number, signal: AbortSignal): Promise<ServerCheck> {
    actor.requireRole('operator');
    const server = await existingServer(this.#servers, actor, id);
    const inventory = await this.#inventory.execute(server, signal);
    return {
      server: await existingServer(this.#servers, actor, id),
      inventory,
      suggestedJail: await this.#suggestJail(server, signal),
    };
  }

  async #suggestJail(server: Server, signal: AbortSignal): Promise<string | null> {
    const host = await this.#hosts.open(server, { signal });
    try {
      const { exitCode, stdout } = await host.run({ script: SUGGEST_JAIL }, { signal, timeoutMs: 10_000 });
      const directory = stdout.toString('utf8');
      return exitCode === 0 && directory.startsWith('/') ? directory : null;
    } finally {
      host.release();
    }
  }
}
