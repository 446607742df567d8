import * as z from 'zod';
import { type BackupRepository, REPOSITORY_KINDS } from '../../../../domain/backups/backup-repository.ts';
import { toIso, toIsoOrNull } from '../../../../domain/base/instant.ts';
import { id, text, time, timeOrNull } from './values.ts';

/** A repository; its password is never shown. */
export const repositorySchema = z.strictObject({
  id,
  name: text,
  kind: z.enum(REPOSITORY_KINDS),
  url: text.describe('As servers reach it, without user name and password'),
  initialised_at: timeOrNull.describe('When a backup first found or created it; null: not used yet'),
  created_at: time,
});

export const repositoryView = (repository: BackupRepository): z.output<typeof repositorySchema> => ({
  id: repository.id,
  name: repository.name,
  kind: repository.kind,
  url: repository.url,
  initialised_at: toIsoOrNull(repository.initialisedAt),
  created_at: toIso(repository.createdAt),
});
