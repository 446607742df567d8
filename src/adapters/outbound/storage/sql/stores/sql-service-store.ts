import type { Knex } from 'knex';
import type { ServiceFilter, ServiceStore } from '../../../../../application/ports/fleet/service-store.ts';
import type { Page, PageRequest } from '../../../../../domain/base/page.ts';
import type { Service } from '../../../../../domain/fleet/service.ts';
import { SqlStore } from '../database.ts';
import { pageOf, pageOfFound } from '../page.ts';
import { SEARCH_SEPARATOR } from '../tables/server-row.ts';
import { SERVICE_COLUMNS, type ServiceRow, severityOf, toService } from '../tables/service-row.ts';

const ORDER = ['services.severity', 'services.server_id', 'services.label', 'services.id'];

export class SqlServiceStore extends SqlStore implements ServiceStore {
  async list(filter: ServiceFilter, page: PageRequest): Promise<Page<Service>> {
    const matching = this.#matching(filter);
    const ids = matching.clone().select('services.id').orderBy(ORDER);
    if (filter.q) return pageOfFound(ids, page, (found) => this.#read(found));
    // By the index of the order alone: services are many, and whole rows of all would have to be sorted.
    return pageOf(matching, page, async (window) => {
      const found: { id: number }[] = await window.select('services.id').orderBy(ORDER);
      return this.#read(found.map(({ id }) => id));
    });
  }

  async #read(ids: readonly number[]): Promise<readonly Service[]> {
    if (ids.length === 0) return [];
    const rows: (ServiceRow & { server_name: string })[] = await this.#withServers()
      .whereIn('services.id', ids)
      .select(SERVICE_COLUMNS.map((column) => `services.${column}`))
      .select({ server_name: 'servers.name' })
      .orderBy(ORDER);
    return rows.map(toService);
  }

  #withServers(): Knex.QueryBuilder {
    return this.database.knex('services').join('servers', 'servers.id', 'services.server_id');
  }

  /** There is no service without a server: only a search has to check this. */
  #matching({ serverId, serverIds, state, q }: ServiceFilter): Knex.QueryBuilder {
    const query = q ? this.#withServers() : this.database.knex('services');
    if (serverId !== undefined) query.where('services.server_id', serverId);
    if (serverIds) query.whereIn('services.server_id', serverIds);
    if (state !== undefined) query.where('services.severity', severityOf(state));
    if (q?.includes(SEARCH_SEPARATOR)) query.whereRaw('1 = 0');
    else if (q) {
      const needle = q.toLowerCase();
      query.whereRaw('(INSTR(services.search_text, ?) > 0 OR INSTR(servers.search_text, ?) > 0)', [
        needle,
        needle,
      ]);
    }
    return query;
  }
}
