import { z } from 'zod';
import type { StoredDump } from '../../../../../application/ports/backups/dump-store.ts';
import { DUMP_CLIENTS, type DumpKind, type NewDump } from '../../../../../domain/backups/dump.ts';
import { columns, int, json, oneOf, orNull, type Row, text } from './columns.ts';

const Connection = z.object({
  client: z.enum(DUMP_CLIENTS),
  container: z.string().nullable(),
  database: z.string().nullable(),
  user: z.string().nullable(),
  host: z.string().nullable(),
  port: z.number().nullable(),
});

export const DUMPS = columns({
  id: int,
  sourceId: int,
  name: text,
  kind: oneOf<DumpKind>(),
  connection: json(Connection),
  sealedPassword: orNull(text),
  createdAt: int,
});

export type DumpRow = Row<typeof DUMPS>;

export function toDump(row: DumpRow): StoredDump {
  const { connection, ...dump } = DUMPS.read(row);
  return { ...dump, ...connection, hasPassword: dump.sealedPassword !== null };
}

/** How a dump's client connects, as it is kept. */
export const connectionOf = ({ client, container, database, user, host, port }: NewDump) => ({
  client,
  container,
  database,
  user,
  host,
  port,
});
