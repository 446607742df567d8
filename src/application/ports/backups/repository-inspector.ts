import type { BackupRepository, RepositorySecrets } from '../../../domain/backups/backup-repository.ts';
import type { RemoteHost } from '../fleet/remote-host.ts';
import type { TransferWatch } from './backup-engine.ts';

/** A repository with its secrets, only for sending them to a host. */
export interface OpenRepository {
  readonly repository: BackupRepository;
  readonly secrets: RepositorySecrets;
  /** Records that the repository exists: from then on it is never created again. */
  readonly found: () => Promise<void>;
}

/** Looks into repositories from hosts that reach them. */
export interface RepositoryInspector {
  /**
   * Checks that the repository is intact, and reads a percentage of its data if requested. Changes nothing. Throws
   * `repository_unusable` with the problem, `host_tool_missing`, and as `RemoteHost`.
   */
  check(
    host: RemoteHost,
    opened: OpenRepository,
    readPercent: number,
    watch: TransferWatch,
  ): Promise<{ readonly snapshots: number }>;
}
