import type { Actor } from '../../domain/access/actor.ts';
import { InvalidInput } from '../../domain/base/errors.ts';
import type { Page, PageRequest } from '../../domain/base/page.ts';
import type { ServerPackage } from '../../domain/fleet/installed-package.ts';
import { UseCase } from '../base/use-case.ts';
import { existingServer } from './get-server.ts';
import { visibleIds } from './list-servers.ts';

export interface PackageQuery extends PageRequest {
  readonly name?: string | undefined;
  readonly version?: string | undefined;
  readonly serverId?: number | undefined;
}

/** Installed packages of the servers that the caller may see, from the database; contacts no host. */
export class SearchPackages extends UseCase<'servers' | 'packages.search'> {
  /** By server and name. Throws `server_not_found`, and `invalid_input` without a name, version or server. */
  async execute(
    actor: Actor,
    { name, version, serverId, ...page }: PackageQuery,
  ): Promise<Page<ServerPackage> & { readonly complete: boolean }> {
    actor.require('read');
    if (serverId !== undefined) await existingServer(this.deps.servers, actor, serverId);
    else if (!name && !version)
      throw new InvalidInput([{ path: '/name', message: 'Enter a part of a name or version.' }]);
    const serverIds = serverId === undefined ? visibleIds(actor) : [serverId];
    return this.deps.packages.search({ name, version, serverIds }, page);
  }
}
