import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const RESULTS = fileURLToPath(new URL('../results/', import.meta.url));
export const README = fileURLToPath(new URL('../README.md', import.meta.url));

export type Row = Readonly<Record<string, string | number>>;

/** What a bench found, and where: a file of bench/results. */
export interface Result {
  readonly machine: {
    readonly processor: string;
    readonly cores: number;
    readonly memoryGiB: number;
    readonly node: string;
    readonly commit: string;
    readonly at: string;
  };
  readonly rows: readonly Row[];
  readonly notes: Readonly<Record<string, unknown>>;
}

/** What follows this line in the README is written from the results. */
const MARK = '<!-- What follows is written from bench/results by each bench, and by npm run docs. -->';

/** The README as it is to be: its own words, and then the results that are there. */
export function readmeWithFigures(): string {
  const [words = ''] = readFileSync(README, 'utf8').split(MARK);
  const files = readdirSync(RESULTS).filter((name) => name.endsWith('.json'));
  const sections = files.sort().map((file) => {
    const result: Result = JSON.parse(readFileSync(join(RESULTS, file), 'utf8'));
    return section(basename(file, '.json'), result);
  });
  return `${words.trimEnd()}\n\n${MARK}\n\n${sections.join('\n')}`;
}

function section(name: string, { machine, rows, notes }: Result): string {
  const { processor, cores, memoryGiB, node, commit, at } = machine;
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    `### ${name}`,
    '',
    `${processor}, ${cores} cores, ${memoryGiB} GiB, Node ${node}, commit ${commit}, ${at.slice(0, 10)}.`,
    '',
    line(columns),
    `|${'---|'.repeat(columns.length)}`,
    ...rows.map((row) => line(columns.map((column) => cell(row[column])))),
    '',
    ...Object.entries(notes).map(([what, value]) => `- ${what}: ${inWords(value)}`),
    '',
  ].join('\n');
}

const cell = (value: string | number | undefined): string =>
  typeof value === 'number' ? value.toLocaleString('en-US', { maximumFractionDigits: 3 }) : (value ?? '');

function inWords(value: unknown): string {
  if (Array.isArray(value)) return value.map(inWords).join(', ');
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([key, each]) => `${key} ${inWords(each)}`)
    .join(', ');
}
