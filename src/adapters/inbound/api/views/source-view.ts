import * as z from 'zod';
import type { SourcePreview } from '../../../../application/backups/preview-exclusions.ts';
import { type BackupSource, ENGINES } from '../../../../domain/backups/backup-source.ts';
import { type Dump, dumpsOf } from '../../../../domain/backups/dump.ts';
import { HOOK_KINDS } from '../../../../domain/backups/hook.ts';
import { toIso, toIsoOrNull } from '../../../../domain/base/instant.ts';
import { dumpSchema, dumpView } from './dump-view.ts';
import { count, id, text, time, timeOrNull } from './values.ts';

/** A backup source. */
export const sourceSchema = z.strictObject({
  id,
  server_id: id,
  name: text,
  kind: z.enum(['files', 'service']).describe("service: Drover's own data directory"),
  engine: z.enum(ENGINES),
  repository_id: id.nullable().describe("null: its snapshots are in Drover's own store"),
  paths: z.array(text),
  excludes: z.array(text).describe('Exclusion patterns (rsync syntax)'),
  retention: z.strictObject({
    keep_last: count,
    keep_daily: count,
    keep_weekly: count,
    keep_monthly: count,
    keep_yearly: count,
  }),
  compare_content_every: count.describe('Every Nth backup compares the contents of all files; 0: never'),
  hooks: z
    .array(z.strictObject({ kind: z.enum(HOOK_KINDS), name: text }))
    .describe('What is stopped during the backup and started afterwards'),
  dumps: z.array(dumpSchema).describe('Databases that each backup dumps into its snapshot'),
  last_success_at: timeOrNull,
  created_at: time,
});

/** `dumps`: of all sources of the server. */
export const sourceView = (source: BackupSource, dumps: readonly Dump[]): z.output<typeof sourceSchema> => ({
  id: source.id,
  server_id: source.serverId,
  name: source.name,
  kind: source.kind,
  engine: source.engine,
  repository_id: source.repositoryId,
  paths: [...source.paths],
  excludes: [...source.excludes],
  retention: {
    keep_last: source.retention.keepLast,
    keep_daily: source.retention.keepDaily,
    keep_weekly: source.retention.keepWeekly,
    keep_monthly: source.retention.keepMonthly,
    keep_yearly: source.retention.keepYearly,
  },
  compare_content_every: source.compareContentEvery,
  hooks: source.hooks.map(({ kind, name }) => ({ kind, name })),
  dumps: dumpsOf(source, dumps).map(dumpView),
  last_success_at: toIsoOrNull(source.lastSuccessAt),
  created_at: toIso(source.createdAt),
});

const amount = { files: count.describe('All entries except directories'), bytes: count };

/** The effect of exclude patterns. */
export const sourcePreviewSchema = z.strictObject({
  server_id: id,
  paths: z.array(text),
  kept: z.strictObject(amount),
  left_out: z.strictObject(amount),
  patterns: z
    .array(
      z.strictObject({ pattern: text, matches: count.describe('0: the pattern has no match'), ...amount }),
    )
    .describe('What each pattern excludes on its own; a file that two patterns match counts for both'),
  largest: z
    .array(
      z.strictObject({
        path: text.describe('As the host names it'),
        escaped: z.boolean().describe('The name has bytes that are shown with backslashes'),
        kind: z.enum(['file', 'dir']),
        ...amount,
      }),
    )
    .describe('The largest excluded paths, at most 20'),
  unreadable: count.describe('Paths that could not be read'),
  complete: z.boolean().describe('false: the time or path limit was reached, and the rest was not counted'),
});

export const sourcePreviewView = (
  serverId: number,
  { paths, preview }: SourcePreview,
): z.output<typeof sourcePreviewSchema> => ({
  server_id: serverId,
  paths: [...paths],
  kept: preview.kept,
  left_out: preview.leftOut,
  patterns: preview.patterns.map(({ pattern, matches, files, bytes }) => ({
    pattern,
    matches,
    files,
    bytes,
  })),
  largest: preview.largest.map(({ path, isDirectory, files, bytes }) => ({
    path: path.text,
    escaped: path.escaped,
    kind: isDirectory ? ('dir' as const) : ('file' as const),
    files,
    bytes,
  })),
  unreadable: preview.unreadable,
  complete: preview.isComplete,
});
