import type { BackupRepository, RepositorySecrets } from '../../../domain/backups/backup-repository.ts';
import type { RemoteHost } from '../fleet/remote-host.ts';
import type { TransferWatch } from './backup-engine.ts';

/** A repository with what opens it, for as long as it takes to hand that to a host. */
export interface OpenRepository {
  readonly repository: BackupRepository;
  readonly secrets: RepositorySecrets;
  /** Says that the repository is there: from then on it is never made anew. */
  readonly found: () => Promise<void>;
}

/** Looks into repositories from hosts that reach them. */
export interface RepositoryInspector {
  /**
   * Checks that the repository is whole, and reads so many percent of its data back where that is asked for. Changes
   * nothing. Throws `repository_unusable` with what is wrong, `host_tool_missing`, and as `RemoteHost`.
   */
  check(
    host: RemoteHost,
    opened: OpenRepository,
    readPercent: number,
    watch: TransferWatch,
  ): Promise<{ readonly snapshots: number }>;
}
