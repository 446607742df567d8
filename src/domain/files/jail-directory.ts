import { DomainError, InvalidInput } from '../base/errors.ts';

/** System directories; neither they nor anything below them can be a file root. */
export const FORBIDDEN_ROOTS = [
  '/boot',
  '/dev',
  '/proc',
  '/sys',
  '/run',
  '/etc',
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  '/tmp',
  '/var/run',
] as const;
/** In bytes. */
const LONGEST = 1_024;

/** Whether a directory, in normal form, is the home of an account or holds homes. Those with another place are not known. */
export const isHome = (directory: string): boolean => /^\/(root|home(\/[^/]+)?)$/.test(directory);

/**
 * A file root in normal form; throws `InvalidInput` if the directory is not allowed. A home directory is not; one
 * that version 1.1.0 or earlier set keeps working.
 */
export function jailDirectory(raw: string): string {
  const fault =
    faultOf(raw) ??
    (isHome(normal(raw))
      ? 'A home directory contains keys, passwords and settings of programs: choose a directory for the purpose, such as /srv/drover.'
      : null);
  if (fault) throw new InvalidInput([{ path: '/jail', message: fault }]);
  return normal(raw);
}

/** Checks the rules again on use, since the file root may be older than a rule; throws `jail_unusable`. */
export function assertJail(
  directory: string,
  { wholeHost = false }: { readonly wholeHost?: boolean } = {},
): void {
  if (wholeHost && directory === '/') return;
  const fault = faultOf(directory) ?? (directory === normal(directory) ? null : 'It has empty parts.');
  if (fault) {
    throw new DomainError(
      'jail_unusable',
      `${JSON.stringify(directory)} cannot be the file root (jail). ${fault} Set another with \`drover server edit\`.`,
    );
  }
}

const normal = (raw: string): string => `/${raw.split('/').filter(Boolean).join('/')}`;

function faultOf(raw: string): string | null {
  if (!raw.startsWith('/')) return 'A file root is an absolute directory, starting with "/".';
  if (new TextEncoder().encode(raw).length > LONGEST) return `A file root has at most ${LONGEST} bytes.`;
  if (/[\p{Cc}\p{Cs}]/u.test(raw)) return 'A file root must not contain control characters.';
  const parts = raw.split('/').filter(Boolean);
  if (parts.some((part) => part === '.' || part === '..'))
    return 'A file root must not contain "." or ".." parts.';
  const directory = normal(raw);
  if (directory === '/') return 'The root directory cannot be the file root.';
  const root = FORBIDDEN_ROOTS.find((each) => directory === each || directory.startsWith(`${each}/`));
  if (root) return `No directory at or below ${root} can be the file root.`;
  const inside = FORBIDDEN_ROOTS.find((each) => each.startsWith(`${directory}/`));
  if (inside) return `A directory that contains ${inside} cannot be the file root.`;
  if (parts.includes('.ssh')) return 'A directory that contains SSH keys cannot be the file root.';
  return null;
}
