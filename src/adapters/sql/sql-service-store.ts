import type { Knex } from 'knex';
import type { ServiceFilter, ServiceStore } from '../../application/ports/service-store.ts';
import type { Page, PageRequest } from '../../domain/page.ts';
import type { Service } from '../../domain/service.ts';
import type { Database } from './database.ts';
import { pageOf } from './page.ts';
import { SEARCH_SEPARATOR } from './rows/server-row.ts';
import { SERVICE_COLUMNS, type ServiceRow, severityOf, toService } from './rows/service-row.ts';

export class SqlServiceStore implements ServiceStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async list(filter: ServiceFilter, page: PageRequest): Promise<Page<Service>> {
    return pageOf(this.#matching(filter), page, async (window) => {
      const rows: (ServiceRow & { server_name: string })[] = await window
        .select(SERVICE_COLUMNS.map((column) => `services.${column}`))
        .select({ server_name: 'servers.name' })
        .orderBy(['services.severity', 'services.server_id', 'services.label', 'services.id']);
      return rows.map(toService);
    });
  }

  #matching({ serverId, serverIds, state, q }: ServiceFilter): Knex.QueryBuilder {
    const query = this.#database.knex('services').join('servers', 'servers.id', 'services.server_id');
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
