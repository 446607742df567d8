import * as z from 'zod';
import { DUMP_CLIENTS, DUMP_KINDS, type Dump, dumpPath } from '../../../../domain/backups/dump.ts';
import { toIso } from '../../../../domain/base/instant.ts';
import { count, id, text, time } from './values.ts';

/** A database that backups dump. Its password is in no view. */
export const dumpSchema = z.strictObject({
  id,
  source_id: id,
  name: text,
  kind: z.enum(DUMP_KINDS).describe('mysql: also MariaDB'),
  client: z.enum(DUMP_CLIENTS).describe("Which client creates it: the server's own, or one in a container"),
  container: text.nullable(),
  database: text.nullable().describe('For sqlite the path of the file; null: all databases'),
  user: text.nullable(),
  host: text.nullable().describe('null: the local database server'),
  port: count.nullable(),
  has_password: z.boolean(),
  path: text.describe('In the snapshot'),
  created_at: time,
});

export const dumpView = (dump: Dump): z.output<typeof dumpSchema> => ({
  id: dump.id,
  source_id: dump.sourceId,
  name: dump.name,
  kind: dump.kind,
  client: dump.client,
  container: dump.container,
  database: dump.database,
  user: dump.user,
  host: dump.host,
  port: dump.port,
  has_password: dump.hasPassword,
  path: dumpPath(dump),
  created_at: toIso(dump.createdAt),
});
