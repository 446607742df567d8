import { Readable } from 'node:stream';
import type { ListServers } from '../../../../../application/fleet/list-servers.ts';
import { type Instant, toIso } from '../../../../../domain/base/instant.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import { stateNeeds } from '../../../../../domain/fleet/server-list.ts';
import { type CsvValue, csvRow } from '../../../api/csv.ts';
import { fileReply, type SignedInVisit } from '../../route.ts';
import { serverSearchOf } from '../../server-names.ts';

const PAGE = 500;
/** Of a larger fleet, the first by name. */
const MAX_ROWS = 20_000;

const time = (at: Instant | null): string | null => (at === null ? null : toIso(at));

const COLUMNS: Readonly<Record<string, (server: Server, staleBefore: Instant) => CsvValue>> = {
  id: ({ id }) => id,
  name: ({ name }) => name,
  hostname: ({ address }) => address.hostname,
  tags: ({ tags }) => tags.join(' '),
  needs: (server, staleBefore) => stateNeeds(server, staleBefore).join(' '),
  system: ({ facts }) => facts.osPretty,
  updates: ({ facts }) => facts.osUpdatesCount,
  security_updates: ({ facts }) => facts.securityUpdatesCount,
  last_backup_at: ({ facts }) => time(facts.lastBackupAt),
  disk_used_bytes: ({ facts }) => facts.diskUsedBytes,
  disk_total_bytes: ({ facts }) => facts.diskTotalBytes,
  last_seen_at: ({ facts }) => time(facts.lastSeenAt),
};

/** The servers that the filter of the list matches, as CSV, page by page: nothing accumulates. */
export const serverExport = (
  listServers: Pick<ListServers, 'execute'>,
  { visitor, query, now }: SignedInVisit,
  staleBefore: Instant,
) =>
  fileReply({
    name: `drover-servers-${toIso(now).slice(0, 10)}.csv`,
    size: null,
    sha256: null,
    content: Readable.from(
      (async function* () {
        yield `${Object.keys(COLUMNS).join(',')}\r\n`;
        for (let offset = 0; offset < MAX_ROWS; offset += PAGE) {
          const found = { ...serverSearchOf(query), limit: PAGE, offset };
          const { items } = await listServers.execute(visitor.actor, found);
          for (const server of items)
            yield csvRow(Object.values(COLUMNS).map((of) => of(server, staleBefore)));
          if (items.length < PAGE) return;
        }
      })(),
    ),
  });
