import { DomainError } from '../../../domain/base/errors.ts';
import type { ByteString } from './byte-string.ts';
import type { Planned } from './comparison.ts';
import { shownPath } from './tree-clone.ts';

const MAX_NAMED = 5;

export const wentAway = (root: ByteString): DomainError =>
  new DomainError(
    'backup_failed',
    `${shownPath(root)} disappeared while it was read, so no snapshot was created.`,
  );

export function unreadable(files: readonly Planned[], complaints: readonly string[]): DomainError {
  const named = files.slice(0, MAX_NAMED).map(({ path }) => shownPath(path));
  const more = files.length > MAX_NAMED ? ` and ${files.length - MAX_NAMED} more` : '';
  const said = complaints.length > 0 ? ` The host said: ${complaints.slice(0, MAX_NAMED).join('; ')}.` : '';
  return new DomainError(
    'backup_failed',
    `Some files could not be backed up, so no snapshot was created: ${named.join(', ')}${more}.${said} Let Drover log in as root or use sudo, or exclude these files.`,
  );
}

export const namesOf = (paths: readonly ByteString[]): string =>
  `${paths
    .slice(0, MAX_NAMED)
    .map((path) => shownPath(path))
    .join(', ')}${paths.length > MAX_NAMED ? ', …' : ''}`;
