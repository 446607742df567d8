import { z } from 'zod';
import type { BackupSource } from '../../../domain/backup-source.ts';
import type { RetentionPolicy } from '../../../domain/retention-policy.ts';
import { fromJson, Strings } from './json.ts';

const Retention: z.ZodType<RetentionPolicy> = z.object({
  keepLast: z.number(),
  keepDaily: z.number(),
  keepWeekly: z.number(),
  keepMonthly: z.number(),
  keepYearly: z.number(),
});

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
  lastSuccessAt: row.last_success_at,
  createdAt: row.created_at,
});
