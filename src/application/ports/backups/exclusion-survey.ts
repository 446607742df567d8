import type { BackupSource } from '../../../domain/backups/backup-source.ts';
import type { ExclusionPreview } from '../../../domain/backups/exclusion-preview.ts';
import type { RemoteHost } from '../fleet/remote-host.ts';

export interface ExclusionRequest {
  readonly host: RemoteHost;
  readonly source: Pick<BackupSource, 'kind' | 'paths' | 'excludes'>;
  /** Patterns that are always excluded, and never counted. */
  readonly extraExcludes?: readonly string[];
}

/** Counts what a source's patterns exclude, by the rules of the backup. */
export interface ExclusionSurvey {
  /**
   * Reads names and sizes alone, and changes nothing; stops at a limit of time and of paths. Throws `source_missing`,
   * `path_refused`, `host_tool_missing`, and as `RemoteHost`.
   */
  preview(request: ExclusionRequest, signal: AbortSignal): Promise<ExclusionPreview>;
}
