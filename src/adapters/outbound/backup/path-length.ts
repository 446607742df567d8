import { DomainError } from '../../../domain/base/errors.ts';
import { display } from './byte-string.ts';
import type { HostListing } from './host-survey.ts';

/** The longest path that Linux takes, in bytes, without the closing NUL. */
const MAX_PATH = 4_095;
/** How much longer a file's path in the store gets when its snapshot is published, at the most. */
const RENAME_BYTES = 'snapshots/20261120T051900.123Z-9999'.length - 'partial'.length;

/** Throws `backup_failed` for a path that could not be named in the store. */
export function assertPathsFit({ entries }: Pick<HostListing, 'entries'>, files: string): void {
  const most = MAX_PATH - RENAME_BYTES - Buffer.byteLength(files) - 1;
  const long = entries.find(({ path }) => path.length > most);
  if (!long) return;
  throw new DomainError(
    'backup_failed',
    `The path "/${display(long.path).slice(0, 300)}…" of ${long.path.length} bytes is too long for the backup store: exclude it, or move it to a shorter path on the host.`,
  );
}
