import { InvalidInput } from '../base/errors.ts';

/** Valid on any file system, without quotes in a shell, and readable. */
const NAME = /^[A-Za-z0-9._+@][A-Za-z0-9._+@-]{0,99}$/;
const MAX_PARTS = 8;
const LONGEST = 200;
/** Drover's own file in a project's directory. */
const OWN = /^\.drover/i;

/**
 * A file of a template, as path segments relative to the project's directory. Segments are plain names: no `..`, no
 * absolute path, no blanks, and no characters that are special in a shell or look like others.
 */
export class TemplatePath {
  readonly names: readonly string[];

  private constructor(names: readonly string[]) {
    this.names = names;
  }

  /** Throws `InvalidInput`, which names `field` as the place. */
  static parse(raw: string, field = '/files'): TemplatePath {
    const names = raw.split('/', MAX_PARTS + 1);
    const fault = faultOf(raw, names);
    if (fault !== null) throw new InvalidInput([{ path: field, message: fault }]);
    return new TemplatePath(names);
  }

  /** The directories that it lies in, the outermost first. */
  get parents(): readonly string[] {
    return this.names.slice(1).map((_, index) => this.names.slice(0, index + 1).join('/'));
  }

  toString(): string {
    return this.names.join('/');
  }
}

function faultOf(raw: string, names: readonly string[]): string | null {
  const shown = JSON.stringify(raw.slice(0, LONGEST));
  if (raw.startsWith('/')) return `${shown} starts with "/": paths are relative to the template's folder.`;
  if (names.length > MAX_PARTS) return `${shown} is more than ${MAX_PARTS} names deep.`;
  if (raw.length > LONGEST) return `A path has at most ${LONGEST} characters.`;
  for (const name of names) {
    if (name === '.' || name === '..')
      return `${shown} has a "${name}" part; files must stay in the template's folder.`;
    if (!NAME.test(name)) {
      return `${shown}: each part of a path is 1 to 100 letters, digits or ._+@-, and does not start with "-".`;
    }
    if (OWN.test(name)) return `${shown}: names starting with .drover are reserved for Drover.`;
  }
  return null;
}

/** Why these paths cannot all be files of one tree; `null` if they can. Some file systems ignore case. */
export function clashOf(paths: readonly TemplatePath[]): string | null {
  const files = new Set<string>();
  for (const path of paths) {
    const folded = String(path).toLowerCase();
    if (files.has(folded)) return `There are two files named ${String(path)} (case does not count).`;
    files.add(folded);
  }
  for (const path of paths) {
    const parent = path.parents.find((each) => files.has(each.toLowerCase()));
    if (parent !== undefined) return `${parent} cannot be a file: ${String(path)} lies in it.`;
  }
  return null;
}
