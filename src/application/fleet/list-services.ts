import type { Actor } from '../../domain/access/actor.ts';
import type { Page, PageRequest } from '../../domain/base/page.ts';
import type { Service, ServiceState } from '../../domain/fleet/service.ts';
import { UseCase } from '../base/use-case.ts';
import { existingServer } from './get-server.ts';
import { visibleIds } from './list-servers.ts';

export interface ServiceQuery extends PageRequest {
  readonly serverId?: number | undefined;
  readonly state?: ServiceState | undefined;
  readonly q?: string | undefined;
}

/** Containers and failed units of the servers that the caller may see, from the database; no host is asked. */
export class ListServices extends UseCase<'services' | 'servers'> {
  /** Throws `server_not_found` for a server that does not exist or that the caller may not see. */
  async execute(actor: Actor, query: ServiceQuery): Promise<Page<Service>> {
    actor.require('read');
    if (query.serverId !== undefined) await existingServer(this.deps.servers, actor, query.serverId);
    return this.deps.services.list(
      {
        serverIds: visibleIds(actor),
        ...(query.serverId === undefined ? {} : { serverId: query.serverId }),
        ...(query.state === undefined ? {} : { state: query.state }),
        ...(query.q ? { q: query.q } : {}),
      },
      query,
    );
  }
}
