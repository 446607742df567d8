import type { ServiceFilter, ServiceStore } from '../../src/application/ports/fleet/service-store.ts';
import type { Page, PageRequest } from '../../src/domain/base/page.ts';
import type { Server } from '../../src/domain/fleet/server.ts';
import { SERVICE_STATES, type Service } from '../../src/domain/fleet/service.ts';
import { InMemoryWorld } from './in-memory-world.ts';
import { pageOf } from './page-of.ts';

export class InMemoryServiceStore implements ServiceStore {
  readonly #world: InMemoryWorld;

  constructor(world = new InMemoryWorld()) {
    this.#world = world;
  }

  async list(filter: ServiceFilter, page: PageRequest): Promise<Page<Service>> {
    const { serverId, serverIds = null, state, q } = filter;
    const found = [...this.#world.servers.values()]
      .filter(({ id }) => (serverId === undefined || id === serverId) && (serverIds?.includes(id) ?? true))
      .flatMap((server) => this.#ofServer(server, q?.toLowerCase()))
      .filter((service) => state === undefined || service.state === state);
    return pageOf(found.toSorted(inOrder), page);
  }

  #ofServer(server: Server, q: string | undefined): Service[] {
    const { id: serverId, name: serverName, address, tags } = server;
    const named = [serverName, address.hostname, ...tags];
    return (this.#world.services.get(serverId) ?? [])
      .filter(({ label, project, container }) => {
        const texts = [...named, label, project ?? '', container ?? ''];
        return q === undefined || texts.some((text) => text.toLowerCase().includes(q));
      })
      .map((service) => ({ ...service, serverId, serverName }));
  }
}

const inOrder = (a: Service, b: Service): number =>
  SERVICE_STATES.indexOf(a.state) - SERVICE_STATES.indexOf(b.state) ||
  a.serverId - b.serverId ||
  (a.label < b.label ? -1 : a.label > b.label ? 1 : a.id - b.id);
