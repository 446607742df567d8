import { DomainError, InvalidInput } from '../base/errors.ts';
import { hasInvisible } from '../base/visible-text.ts';

/** Linux's limit for a name, in bytes (NAME_MAX). */
const MAX_NAME_LENGTH = 255;
/**
 * Together with the longest file root this stays below PATH_MAX (4,096 bytes), the longest path that a host can
 * report.
 */
const MAX_PATH_LENGTH = 2_048;
/** Each part is a step on the host. */
const MAX_PARTS = 64;

/** Control characters, and halves of characters that UTF-8 cannot write. */
const CONTROL = /[\p{Cc}\p{Cs}]/u;

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

/** Why a name is not allowed for file tools; `null` if it is. */
export function nameFault(name: string): string | null {
  if (name === '')
    return 'A path must not have empty parts: no "/" at the start or end, and no two in a row.';
  if (name === '.' || name === '..')
    return 'A path must not contain "." or ".." parts; it starts at the file root.';
  if (name.includes('/')) return 'A name must not contain "/".';
  if (CONTROL.test(name) || hasInvisible(name))
    return 'A path must not contain control characters or invisible ones.';
  // a legal character; but lists show the names that cannot be given here with backslashes, and only those
  if (name.includes('\\')) return 'A path must not contain backslashes; separate its parts by "/".';
  if (bytesOf(name) > MAX_NAME_LENGTH) return `A name has at most ${MAX_NAME_LENGTH} bytes.`;
  return null;
}

/**
 * A path in a file root, as its segments; none means the file root itself. The walk ensures that such a path stays
 * inside: no segment may be a symbolic link. Names are used as given: nothing is decoded, trimmed or folded.
 */
export class JailPath {
  static readonly ROOT = new JailPath([]);

  readonly names: readonly string[];

  private constructor(names: readonly string[]) {
    this.names = names;
  }

  /** Throws `InvalidInput`, which names `field` as the place, and what to pass instead. `root`: the file root on the host. */
  static parse(raw: string, field = '/p', root: string | null = null): JailPath {
    if (raw === '') return JailPath.ROOT;
    const names = raw.split('/', MAX_PARTS + 1);
    const fault = pathFault(raw, names, root);
    if (fault === null) return new JailPath(names);
    const message = [fault, ...adviceFor(raw, root)].join(' ');
    throw new InvalidInput([{ path: field, message }]);
  }

  /** An entry of this directory; throws `InvalidInput` for a name that is none. */
  child(name: string, field = '/name'): JailPath {
    const names = [...this.names, name];
    const fault = nameFault(name) ?? pathFault(names.join('/'), names);
    if (fault === null) return new JailPath(names);
    const message = [fault, ...this.#adviceFor(name, field)].join(' ');
    throw new InvalidInput([{ path: field, message }]);
  }

  /** For a path in place of a name: what to pass in which field. */
  #adviceFor(name: string, field: string): readonly string[] {
    // A new name stays in the directory of the old one.
    if (!name.includes('/') || field === '/dest') return [];
    const names = [...this.names, ...name.split('/')];
    if (pathFault(names.join('/'), names) !== null) return [];
    return [
      `The directory belongs in p: pass p "${names.slice(0, -1).join('/')}" and ${field.slice(1)} "${names.at(-1)}".`,
    ];
  }

  get isRoot(): boolean {
    return this.names.length === 0;
  }

  /** The last segment and its parent directory; throws `path_refused` for the file root itself, which has neither. */
  get entry(): { readonly directory: JailPath; readonly name: string } {
    const name = this.names.at(-1);
    if (name === undefined) {
      throw new DomainError(
        'path_refused',
        'Name a file or directory in the file root, not the file root itself.',
      );
    }
    return { directory: new JailPath(this.names.slice(0, -1)), name };
  }

  /** As given: segments joined by "/", empty for the file root. */
  toString(): string {
    return this.names.join('/');
  }
}

function pathFault(raw: string, names: readonly string[], root: string | null = null): string | null {
  if (raw.startsWith('/')) {
    return `Paths are relative to the file root${root === null ? '' : ` ${root}`} and do not start with "/".`;
  }
  if (names.length > MAX_PARTS) return `A path has at most ${MAX_PARTS} parts.`;
  if (bytesOf(raw) > MAX_PATH_LENGTH) return `A path has at most ${MAX_PATH_LENGTH} bytes.`;
  for (const name of names) {
    const fault = nameFault(name);
    if (fault !== null) return fault;
  }
  return null;
}

/** The path that was probably meant: absolute ones in the file root, and spare slashes and dots. */
function adviceFor(raw: string, root: string | null): readonly string[] {
  const isInRoot = root !== null && (raw === root || raw.startsWith(`${root}/`));
  if (raw.startsWith('/') && !isInRoot && raw !== '/') return [];
  const names = raw.slice(isInRoot ? root.length : 0).split('/');
  const meant = names.filter((name) => name !== '' && name !== '.');
  if (meant.length === 0) return ['Pass an empty path for the file root.'];
  return pathFault(meant.join('/'), meant) === null ? [`Pass "${meant.join('/')}".`] : [];
}
