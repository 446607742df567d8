import { z } from 'zod';
import type { BackupSource } from '../../../../../domain/backups/backup-source.ts';
import { type BackupHook, HOOK_KINDS } from '../../../../../domain/backups/hook.ts';
import type { RetentionPolicy } from '../../../../../domain/backups/retention-policy.ts';
import { fromJson, Strings } from './json.ts';

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

export const hooksText = (hooks: readonly BackupHook[]): string | null =>
  hooks.length === 0 ? null : JSON.stringify(hooks);

export interface SourceRow {
  readonly id: number;
  readonly server_id: number;
  readonly name: string;
  readonly kind: BackupSource['kind'];
  readonly paths: string;
  readonly excludes: string;
  readonly engine: BackupSource['engine'];
  readonly repository_id: number | null;
  readonly retention: string;
  readonly compare_content_every: number;
  /** `null`: none, as in rows of before there were any. */
  readonly hooks: string | null;
  readonly last_success_at: number | null;
  readonly created_at: number;
}

export const SOURCE_COLUMNS = [
  'id',
  'server_id',
  'name',
  'kind',
  'paths',
  'excludes',
  'engine',
  'repository_id',
  'retention',
  'compare_content_every',
  'hooks',
  'last_success_at',
  'created_at',
] as const satisfies readonly (keyof SourceRow)[];

export const toSource = (row: SourceRow): BackupSource => ({
  id: row.id,
  serverId: row.server_id,
  name: row.name,
  paths: fromJson(Strings, row.paths),
  excludes: fromJson(Strings, row.excludes),
  kind: row.kind,
  engine: row.engine,
  repositoryId: row.repository_id,
  retention: fromJson(Retention, row.retention),
  compareContentEvery: row.compare_content_every,
  hooks: row.hooks === null ? [] : fromJson(Hooks, row.hooks),
  lastSuccessAt: row.last_success_at,
  createdAt: row.created_at,
});
