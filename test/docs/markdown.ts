import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { slugOf } from '../../scripts/site/slug.mjs';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export interface Page {
  /** From the root, such as `docs/how-to/backups.md`. */
  readonly path: string;
  readonly text: string;
}

/** Every page for readers. */
export async function allPages(): Promise<readonly Page[]> {
  const top = (await readdir(ROOT)).filter((name) => name.endsWith('.md'));
  const below = await readdir(join(ROOT, 'docs'), { recursive: true });
  const paths = [...top, ...below.filter((name) => name.endsWith('.md')).map((name) => join('docs', name))];
  return Promise.all(
    paths.sort().map(async (path) => ({ path, text: await readFile(join(ROOT, path), 'utf8') })),
  );
}

/** The commands in a page's fenced blocks for the shell; `info` follows the three backticks. */
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
  [...withoutBlocks(text).matchAll(/`(?:npx )?(drover [^`]+)`/g)].map(([, command = '']) => command);

/** The anchors of a page's headings, as GitHub writes them. */
export function anchorsOf({ text }: Page): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of withoutBlocks(text).matchAll(/^#{1,6} +(.+?) *$/gm)) {
    const slug = slugOf(heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1'));
    let anchor = slug;
    for (let count = 1; anchors.has(anchor); count++) anchor = `${slug}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}

const withoutBlocks = (text: string): string => text.replace(/^[ ]*```[\s\S]*?^[ ]*```$/gm, '');
