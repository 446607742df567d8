import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../docs/markdown.ts';

export interface Instruction {
  readonly name: string;
  readonly rest: string;
}

export interface Stage {
  readonly from: string;
  readonly name: string | null;
  readonly instructions: readonly Instruction[];
}

/** The stages of the Dockerfile; a line that ends in a backslash goes on in the next. */
export async function stages(): Promise<readonly Stage[]> {
  const text = (await readFile(join(ROOT, 'Dockerfile'), 'utf8')).replaceAll('\\\n', ' ');
  const all: { from: string; name: string | null; instructions: Instruction[] }[] = [];
  for (const line of text.split('\n')) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const [, name = '', rest = ''] = /^([A-Z]+) +(.*)$/.exec(line) ?? [];
    if (name === '') throw new Error(`no instruction: ${line}`);
    const [, from = '', as] = /^(\S+)(?: AS (\S+))?$/.exec(rest) ?? [];
    if (name === 'FROM') all.push({ from, name: as ?? null, instructions: [] });
    else all.at(-1)?.instructions.push({ name, rest });
  }
  return all;
}

export interface Copy {
  /** The stage that it is taken from; `null`: from the repository. */
  readonly stage: string | null;
  readonly sources: readonly string[];
  readonly target: string;
}

export const copiesOf = ({ instructions }: Stage): readonly Copy[] =>
  instructions
    .filter(({ name }) => name === 'COPY')
    .map(({ rest }) => {
      const words = rest.split(/ +/);
      const stage = words[0]?.startsWith('--from=') ? (words.shift()?.slice('--from='.length) ?? '') : null;
      const target = words.pop() ?? '';
      return { stage, sources: words, target };
    });

export const only = (stage: Stage, name: string): string => {
  const found = stage.instructions.filter((each) => each.name === name);
  if (found.length !== 1) throw new Error(`there are ${found.length} instructions ${name}`);
  return found[0]?.rest ?? '';
};

/** The words of a command in the form of a JSON array. */
export const words = (command: string): readonly string[] =>
  JSON.parse(command.slice(command.indexOf('['))) as string[];
