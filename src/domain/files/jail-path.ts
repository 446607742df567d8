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
  if (name === '') return 'A path has no empty parts: no "/" at the start or end, and no two in a row.';
  if (name === '.' || name === '..') return 'A path has no "." or ".." parts; it is given from the jail.';
  if (name.includes('/')) return 'A name has no "/".';
  if (CONTROL.test(name) || hasInvisible(name))
    return 'A path has no control characters and no invisible ones.';
  // a legal character; but lists show the names that cannot be given here with backslashes, and only those
  if (name.includes('\\')) return 'A path has no backslashes; parts are separated by "/".';
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

  /** Throws `InvalidInput`, which names `field` as the place. */
  static parse(raw: string, field = '/p'): JailPath {
    if (raw === '') return JailPath.ROOT;
    const names = raw.split('/', MAX_PARTS + 1);
    const fault = pathFault(raw, names);
    if (fault !== null) throw new InvalidInput([{ path: field, message: fault }]);
    return new JailPath(names);
  }

  /** An entry of this directory; throws `InvalidInput` for a name that is none. */
  child(name: string, field = '/name'): JailPath {
    const names = [...this.names, name];
    const fault = nameFault(name) ?? pathFault(names.join('/'), names);
    if (fault !== null) throw new InvalidInput([{ path: field, message: fault }]);
    return new JailPath(names);
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
        'The file root itself cannot be changed. Name a file or directory in it.',
      );
    }
    return { directory: new JailPath(this.names.slice(0, -1)), name };
  }

  /** As given: segments joined by "/", empty for the file root. */
  toString(): string {
    return this.names.join('/');
  }
}

function pathFault(raw: string, names: readonly string[]): string | null {
  if (raw.startsWith('/')) return 'Paths are relative to the file root and do not start with "/".';
  if (names.length > MAX_PARTS) return `A path has at most ${MAX_PARTS} parts.`;
  if (bytesOf(raw) > MAX_PATH_LENGTH) return `A path has at most ${MAX_PATH_LENGTH} bytes.`;
  for (const name of names) {
    const fault = nameFault(name);
    if (fault !== null) return fault;
  }
  return null;
}
