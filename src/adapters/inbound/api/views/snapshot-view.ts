import * as z from 'zod';
import { CHECK_OUTCOMES, type Snapshot } from '../../../../domain/backups/snapshot.ts';
import { toIso, toIsoOrNull } from '../../../../domain/base/instant.ts';
import { count, id, text, textOrNull, time, timeOrNull } from './values.ts';

export const snapshotSchema = z.strictObject({
  id,
  server_id: id,
  source_id: id,
  source: text.describe("The backup source's name"),
  job_id: id.nullable(),
  engine: text,
  name: text,
  started_at: time,
  finished_at: time,
  file_count: count,
  total_bytes: count,
  transferred_bytes: count,
  vanished_count: count.describe('Files that were deleted during the backup'),
  manifest_sha256: text,
  last_verified_at: timeOrNull.describe('When it was last restored and compared without differences'),
  checked_at: timeOrNull.describe('When it was last restored as a check, with any result'),
  check_outcome: z.enum(CHECK_OUTCOMES).nullable(),
  check_detail: textOrNull.describe('The damage, if it is damaged'),
  pinned_at: timeOrNull.describe('When it was pinned; retention keeps it, and it cannot be deleted'),
});

export const snapshotView = (snapshot: Snapshot): z.output<typeof snapshotSchema> => ({
  id: snapshot.id,
  server_id: snapshot.serverId,
  source_id: snapshot.sourceId,
  source: snapshot.sourceName,
  job_id: snapshot.jobId,
  engine: snapshot.engine,
  name: snapshot.name,
  started_at: toIso(snapshot.startedAt),
  finished_at: toIso(snapshot.finishedAt),
  file_count: snapshot.fileCount,
  total_bytes: snapshot.totalBytes,
  transferred_bytes: snapshot.transferredBytes,
  vanished_count: snapshot.vanishedCount,
  manifest_sha256: snapshot.manifestSha256,
  last_verified_at: toIsoOrNull(snapshot.lastVerifiedAt),
  checked_at: toIsoOrNull(snapshot.check?.at ?? null),
  check_outcome: snapshot.check?.outcome ?? null,
  check_detail: snapshot.check?.detail ?? null,
  pinned_at: toIsoOrNull(snapshot.pinnedAt),
});
