import { InvalidInput } from '../base/errors.ts';
import { withoutEnd } from '../base/without-end.ts';

const MAX_DIRECTORIES = 20;
const LONGEST = 500;
/** Anyone who could use one of these could have every file of the host read as a Compose file. */
const TOO_WIDE = new Set(['/', '/boot', '/dev', '/etc', '/proc', '/run', '/sys', '/tmp', '/usr', '/var']);

/**
 * Directories of compose projects as an operator gives them: absolute, in their shortest form, each once. Throws
 * `InvalidInput`.
 */
export function composeDirectories(raw: readonly string[]): readonly string[] {
  const directories = raw.map((each) => (each.length > 1 ? withoutEnd(each, '/') : each));
  const problems = directories.flatMap((each, index) => {
    const message = faultOf(each);
    return message === null ? [] : [{ path: `/compose_dirs/${index}`, message }];
  });
  if (directories.length > MAX_DIRECTORIES) {
    problems.push({ path: '/compose_dirs', message: `At most ${MAX_DIRECTORIES} directories.` });
  }
  if (problems.length > 0) throw new InvalidInput(problems);
  return [...new Set(directories)].toSorted();
}

function faultOf(directory: string): string | null {
  if (!directory.startsWith('/')) return 'Enter an absolute path, such as /srv/stacks.';
  if (directory.length > LONGEST || /[\p{Cc}\u2028\u2029]/u.test(directory)) {
    return `A path has at most ${LONGEST} characters, none of them a control character.`;
  }
  const parts = directory.split('/').slice(1);
  if (directory !== '/' && parts.some((part) => part === '' || part === '.' || part === '..')) {
    return 'Enter the path without ".", ".." and double slashes.';
  }
  return TOO_WIDE.has(directory) ? 'Enter the directory of the project, or the one directly above it.' : null;
}
