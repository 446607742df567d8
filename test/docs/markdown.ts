import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export interface Page {
  /** From the root, such as `docs/operations.md`. */
  readonly path: string;
  readonly text: string;
}

/** Every page that people read. */
export async function allPages(): Promise<readonly Page[]> {
  const top = (await readdir(ROOT)).filter((name) => name.endsWith('.md'));
  const below = await readdir(join(ROOT, 'docs'), { recursive: true });
  const paths = [...top, ...below.filter((name) => name.endsWith('.md')).map((name) => join('docs', name))];
  return Promise.all(
    paths.sort().map(async (path) => ({ path, text: await readFile(join(ROOT, path), 'utf8') })),
  );
}

/** The commands in a page's fenced blocks for the shell; `info` is what follows the three backticks. */
export function shellCommands({ text }: Page, info: RegExp = /^sh\b/): readonly string[] {
  const blocks = text.matchAll(/^[ ]*```([^\n]*)\n([\s\S]*?)^[ ]*```$/gm);
  return (
    [...blocks]
      .filter(([, language = '']) => info.test(language))
      // A line that ends in a backslash goes on in the next.
      .flatMap(([, , body = '']) => body.replace(/ \\\n\s*/g, ' ').split('\n'))
      .map((line) => line.trim())
      .filter((line) => line !== '' && !line.startsWith('#'))
  );
}

/** `drover ...` in backticks within a sentence. */
export const inlineCommands = ({ text }: Page): readonly string[] =>
  [...text.replace(/^[ ]*```[\s\S]*?^[ ]*```$/gm, '').matchAll(/`(?:npx )?(drover [^`]+)`/g)].map(
    ([, command = '']) => command,
  );
