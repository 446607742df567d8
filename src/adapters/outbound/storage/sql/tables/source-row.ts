import { z } from 'zod';
import type { BackupSource } from '../../../../../domain/backups/backup-source.ts';
import { type BackupHook, HOOK_KINDS } from '../../../../../domain/backups/hook.ts';
import type { RetentionPolicy } from '../../../../../domain/backups/retention-policy.ts';
import { columns, int, json, listOrNull, oneOf, orNull, type Row, text } from './columns.ts';
import { Strings } from './json.ts';

const Retention: z.ZodType<RetentionPolicy> = z.object({
  keepLast: z.number(),
  keepDaily: z.number(),
  keepWeekly: z.number(),
  keepMonthly: z.number(),
  keepYearly: z.number(),
});

const Hooks: z.ZodType<readonly BackupHook[]> = z.array(
  z.object({ kind: z.enum(HOOK_KINDS), name: z.string() }),
);

/** Editable fields of a source. */
export const SOURCE_SETTINGS = columns({
  paths: json(Strings),
  excludes: json(Strings),
  retention: json(Retention),
  compareContentEvery: int,
  hooks: listOrNull(Hooks),
});
export const SOURCES = columns({
  id: int,
  serverId: int,
  name: text,
  kind: oneOf<BackupSource['kind']>(),
  engine: oneOf<BackupSource['engine']>(),
  repositoryId: orNull(int),
  lastSuccessAt: orNull(int),
  createdAt: int,
  ...SOURCE_SETTINGS.shape,
});

export type SourceRow = Row<typeof SOURCES>;
export const toSource: (row: SourceRow) => BackupSource = SOURCES.read;
