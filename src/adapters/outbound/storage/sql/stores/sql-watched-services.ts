import { z } from 'zod';
import type { WatchedServices } from '../../../../../application/ports/automation/watched-services.ts';
import type { WatchedService } from '../../../../../domain/automation/unhealthy-service.ts';
import { SqlStore } from '../database.ts';
import { columns, hostWritten, int, json, orNull, type Row, shortText } from '../tables/columns.ts';

const WATCHED = columns({
  serverId: int,
  directory: hostWritten,
  service: hostWritten,
  checks: int,
  restarts: json(z.array(z.number())),
  gaveUpAt: orNull(int),
});
type WatchedRow = Row<typeof WATCHED> & { readonly id: number };

export class SqlWatchedServices extends SqlStore implements WatchedServices {
  async ofServer(serverId: number): Promise<readonly WatchedService[]> {
    const rows: WatchedRow[] = await this.database
      .knex('watched_services')
      .where({ server_id: serverId })
      .orderBy('id')
      .select(WATCHED.names);
    return rows.map(WATCHED.read);
  }

  async replace(...[serverId, services, label]: Parameters<WatchedServices['replace']>): Promise<void> {
    await this.database.transaction(async (trx) => {
      // Two checks of one server meet here.
      const server = await trx('servers').where({ id: serverId }).forUpdate().first('removed_at');
      const rows: WatchedRow[] = await trx('watched_services')
        .where({ server_id: serverId })
        .select(['id', ...WATCHED.names]);
      const ids = new Map(rows.map((row) => [keyOf(WATCHED.read(row)), row.id]));
      const left = server?.removed_at === null ? services : [];
      for (const service of left) {
        const id = ids.get(keyOf(service));
        ids.delete(keyOf(service));
        const row = { ...WATCHED.write(service), label: shortText.write(label(service)) };
        if (id === undefined) await trx('watched_services').insert(row);
        else await trx('watched_services').where({ id }).update(row);
      }
      if (ids.size > 0)
        await trx('watched_services')
          .whereIn('id', [...ids.values()])
          .delete();
    });
  }

  async keepServers(serverIds: readonly number[]): Promise<void> {
    const kept = new Set(serverIds);
    const rows: { server_id: number }[] = await this.database.knex('watched_services').distinct('server_id');
    for (const { server_id } of rows) {
      if (!kept.has(server_id))
        await this.database.write((knex) => knex('watched_services').where({ server_id }).delete());
    }
  }
}

const keyOf = ({ directory, service }: WatchedService): string => JSON.stringify([directory, service]);
