import { DomainError, type InputProblem, InvalidInput } from '../base/errors.ts';
import { withoutEnd } from '../base/without-end.ts';
import { isHome } from './jail-directory.ts';
import type { JailPath } from './jail-path.ts';

/**
 * Names that no file tool touches in any file root: credentials (SSH, GPG and TLS keys, stored passwords), files that
 * programs and shells run or read as the account, Drover's own files, and unfinished files of the tools.
 */
const ALWAYS_DENIED = [
  '.ssh',
  'authorized_keys*',
  'id_*',
  '*.pem',
  '*.key',
  '*.ppk',
  '*.p12',
  '*.pfx',
  '*.jks',
  '*.keystore',
  '*.kdbx',
  'ssh_host_*',
  '.gnupg',
  '.config',
  '.local',
  '.git*',
  '.env*',
  '.npmrc',
  '.vault-token',
  'credentials*',
  '.netrc',
  '.pgpass',
  '.my.cnf',
  '.aws',
  '.azure',
  '.kube',
  '.docker',
  '.rhosts',
  '.shosts',
  '.forward',
  '.pam_environment',
  '.profile',
  '.bashrc',
  '.bash_*',
  '.zshrc',
  '.zshenv',
  '.zprofile',
  '.zlogin',
  '.zlogout',
  '.cshrc',
  '.tcshrc',
  '.login',
  '.logout',
  '.kshrc',
  '.mkshrc',
  'config.fish',
  '.drover',
  '.drover-*.part',
  'master.key*',
  'master-key*',
  'database-url*',
  'drover.sqlite*',
];

/** More names of this kind on a whole system, for a wider scope than a file root. */
export const SYSTEM_SECRETS: readonly string[] = [
  'shadow',
  'shadow-',
  'gshadow',
  'gshadow-',
  'opasswd',
  '*.keytab',
  '*.nmconnection',
  'wireguard',
  'wpa_supplicant*.conf',
];

/** Directories by their whole path. */
const DENIED_PLACES = ['/run/secrets', '/var/run/secrets'];

const MAX_PATTERN_LENGTH = 100;
const MAX_PATTERNS = 50;

/**
 * Names that file tools neither read nor list nor write, anywhere in a path: `*` is any number of characters, `?`
 * one. Names are compared as the most lenient file system would (`.SSH`, `.ſsh` and `.ssh.` are `.ssh`), since such a
 * file system may be mounted in the file root.
 */
export class DeniedNames {
  readonly #patterns: readonly { readonly shown: string; readonly folded: readonly string[] }[];
  readonly #root: readonly string[];

  /** `more`: patterns from `deniedPatterns`. `root`: the absolute directory that paths are relative to. */
  constructor(more: readonly string[], root: string) {
    this.#root = root.split('/').filter(Boolean);
    this.#patterns = [...ALWAYS_DENIED, ...more].map((shown) => ({
      shown,
      folded: Array.from(folded(shown)),
    }));
  }

  /** Throws `path_refused` if a name in the path is denied. */
  refuse(path: JailPath): void {
    const rule = this.#ruleAgainst(path.names);
    if (rule === null) return;
    throw new DomainError(
      'path_refused',
      `"${String(path)}" is not for file tools: ${rule} are denied on this server.`,
    );
  }

  /** Whether an entry of a directory is denied, or the directory itself. */
  deny(directory: Pick<JailPath, 'names'>, name: string): boolean {
    return this.#ruleAgainst([...directory.names, name]) !== null;
  }

  /** What denies a path, as the subject of a sentence; `null`: nothing. */
  #ruleAgainst(names: readonly string[]): string | null {
    for (const [index, name] of names.entries()) {
      const pattern = this.#patternOf(name);
      if (pattern !== null) return `names like "${pattern}"`;
      const directory = `/${[...this.#root, ...names.slice(0, index)].join('/')}`;
      const plain = folded(name);
      if (plain.startsWith('.') && isHome(folded(directory))) return 'hidden files of a home directory';
      if (DENIED_PLACES.includes(folded(`${directory}/${name}`))) return 'secrets of the system';
    }
    return null;
  }

  #patternOf(name: string): string | null {
    const characters = Array.from(folded(name));
    return this.#patterns.find((pattern) => matches(pattern.folded, characters))?.shown ?? null;
  }
}

/** An operator's patterns, each once; throws `InvalidInput` with every fault named. */
export function deniedPatterns(raw: readonly string[]): readonly string[] {
  const problems: InputProblem[] = [];
  if (raw.length > MAX_PATTERNS)
    problems.push({ path: '/jail_deny', message: `At most ${MAX_PATTERNS} patterns.` });
  for (const [index, pattern] of raw.slice(0, MAX_PATTERNS).entries()) {
    const fault = patternFault(pattern);
    if (fault !== null) problems.push({ path: `/jail_deny/${index}`, message: fault });
  }
  if (problems.length > 0) throw new InvalidInput(problems);
  return [...new Set(raw)];
}

function patternFault(pattern: string): string | null {
  if (pattern === '' || pattern.length > MAX_PATTERN_LENGTH)
    return `A pattern has 1 to ${MAX_PATTERN_LENGTH} characters.`;
  if (pattern.includes('/')) return 'A pattern matches one name in any directory, so it cannot contain "/".';
  if (/[\p{Cc}\p{Cs}\\]/u.test(pattern))
    return 'A pattern must not contain control characters or backslashes.';
  if (folded(pattern) === '') return 'A pattern must not consist of dots and blanks only.';
  return null;
}

/**
 * Case (also of letters that only upper case equates), Unicode normalization of accents, characters that Linux's
 * case-folding directories ignore, and the trailing dots and blanks that FAT drops.
 */
const folded = (name: string): string =>
  withoutEnd(
    name
      .normalize('NFKD')
      .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
      .toUpperCase()
      .toLowerCase(),
    '. ',
  );

/** Time goes with the product of the lengths at worst, whatever the pattern. */
function matches(pattern: readonly string[], name: readonly string[]): boolean {
  let at = 0;
  let next = 0;
  let star = -1;
  let tried = 0;
  while (next < name.length) {
    if (pattern[at] === '*') {
      star = at;
      tried = next;
      at += 1;
    } else if (at < pattern.length && (pattern[at] === '?' || pattern[at] === name[next])) {
      at += 1;
      next += 1;
    } else if (star >= 0) {
      tried += 1;
      next = tried;
      at = star + 1;
    } else {
      return false;
    }
  }
  while (pattern[at] === '*') at += 1;
  return at === pattern.length;
}
