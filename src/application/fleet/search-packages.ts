import type { Actor } from '../../domain/access/actor.ts';
import { InvalidInput } from '../../domain/base/errors.ts';
import type { Page, PageRequest } from '../../domain/base/page.ts';
import type { ServerPackage } from '../../domain/fleet/installed-package.ts';
import type { PackageStore } from '../ports/fleet/package-store.ts';
import type { ServerStore } from '../ports/fleet/server-store.ts';
import { existingServer } from './get-server.ts';
import { visibleIds } from './list-servers.ts';

export interface PackageQuery extends PageRequest {
  readonly name?: string | undefined;
  readonly version?: string | undefined;
  readonly serverId?: number | undefined;
}

interface Deps {
  readonly servers: ServerStore;
  readonly packages: Pick<PackageStore, 'search'>;
}

/** Installed packages of the servers that the caller may see, from the database; contacts no host. */
export class SearchPackages {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** By server and name. Throws `server_not_found`, and `invalid_input` without a name, version or server. */
  async execute(
    actor: Actor,
    { name, version, serverId, ...page }: PackageQuery,
  ): Promise<Page<ServerPackage> & { readonly complete: boolean }> {
    actor.require('read');
    if (serverId !== undefined) await existingServer(this.#deps.servers, actor, serverId);
    else if (!name && !version)
      throw new InvalidInput([{ path: '/name', message: 'Enter a part of a name or version.' }]);
    const serverIds = serverId === undefined ? visibleIds(actor) : [serverId];
    return this.#deps.packages.search({ name, version, serverIds }, page);
  }
}
