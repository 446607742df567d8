import { realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { shellWord } from '../../domain/base/shell-command.ts';

/**
 * How users call this program: `drover` if their shell finds it, else its path. Not `npx drover`: outside the
 * checkout npx would download a package of that name.
 */
export function ownCommand(program: string, searched: string | undefined): string {
  const own = resolved(program);
  const found = (searched ?? '')
    .split(delimiter)
    .filter((directory) => directory !== '')
    .map((directory) => resolved(join(directory, 'drover')))
    .find((path) => path !== null);
  return found !== undefined && found === own ? 'drover' : shellWord(program);
}

function resolved(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}
