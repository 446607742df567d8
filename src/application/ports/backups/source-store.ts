import type { BackupSource, NewBackupSource, SourceSettings } from '../../../domain/backups/backup-source.ts';
import type { Instant } from '../../../domain/base/instant.ts';
import type { ChangeRecord } from '../events/change-record.ts';

export interface SourceStore {
  /**
   * Throws `name_taken` (within the server), `server_not_found`, and `repository_not_found` if its repository was
   * removed.
   */
  add(source: NewBackupSource, record: (source: BackupSource) => ChangeRecord): Promise<BackupSource>;
  /** Throws `source_not_found`. */
  change(id: number, after: SourceSettings, record: ChangeRecord): Promise<BackupSource>;
  /** All of a server's, by name. */
  ofServer(serverId: number): Promise<readonly BackupSource[]>;
  /** Different names of the sources of these servers (`null`: all), the most frequent first; at most `limit`. */
  names(serverIds: readonly number[] | null, limit: number): Promise<readonly string[]>;
  find(id: number): Promise<BackupSource | null>;
  /** Every source that is there, of all servers, by id. */
  identities(): Promise<readonly Pick<BackupSource, 'id' | 'serverId' | 'repositoryId'>[]>;
  /** All that ever were, also removed ones, by id: those after `after`, at most `limit`. */
  history(after: number, limit: number): Promise<readonly BackupSource[]>;
  /** Its snapshots stay listed. Throws `source_not_found`. */
  remove(id: number, at: Instant, record: ChangeRecord): Promise<void>;
}
