import { z } from 'zod';
import type { StoredDump } from '../../../../../application/ports/backups/dump-store.ts';
import { DUMP_CLIENTS, type DumpKind, type NewDump } from '../../../../../domain/backups/dump.ts';
import { fromJson } from './json.ts';

const Connection = z.object({
  client: z.enum(DUMP_CLIENTS),
  container: z.string().nullable(),
  database: z.string().nullable(),
  user: z.string().nullable(),
  host: z.string().nullable(),
  port: z.number().nullable(),
});

export interface DumpRow {
  readonly id: number;
  readonly source_id: number;
  readonly name: string;
  readonly kind: DumpKind;
  readonly connection: string;
  readonly sealed_password: string | null;
  readonly created_at: number;
}

export const DUMP_COLUMNS = [
  'id',
  'source_id',
  'name',
  'kind',
  'connection',
  'sealed_password',
  'created_at',
] as const satisfies readonly (keyof DumpRow)[];

export const toDump = (row: DumpRow): StoredDump => ({
  id: row.id,
  sourceId: row.source_id,
  name: row.name,
  kind: row.kind,
  ...fromJson(Connection, row.connection),
  hasPassword: row.sealed_password !== null,
  createdAt: row.created_at,
  sealedPassword: row.sealed_password,
});

export const connectionText = ({ client, container, database, user, host, port }: NewDump): string =>
  JSON.stringify({ client, container, database, user, host, port });
