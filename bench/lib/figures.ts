import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Bar, barsOf } from './bars.ts';

export const RESULTS = fileURLToPath(new URL('../results/', import.meta.url));
export const README = fileURLToPath(new URL('../README.md', import.meta.url));

export type Row = Readonly<Record<string, string | number>>;

/** A bench's figures and environment: a file of bench/results. */
export interface Result {
  readonly machine: {
    readonly processor: string;
    readonly cores: number;
    readonly memoryGiB: number;
    readonly node: string;
    /** Of the programs that benches use; old results lack it. */
    readonly versions?: Readonly<Record<string, string>>;
    readonly commit: string;
    readonly at: string;
  };
  readonly rows: readonly Row[];
  readonly notes: Readonly<Record<string, unknown>>;
}

/** The part of the README after this line comes from the results. */
const MARK = '<!-- What follows is written from bench/results by each bench, and by npm run docs. -->';

/** The README's new content: its own text, and then the results. */
export function readmeWithFigures(): string {
  const [words = ''] = readFileSync(README, 'utf8').split(MARK);
  const results = keptResults();
  const sections = results.map(({ bench, result }) => section(bench, result));
  return `${words.trimEnd()}\n\n${MARK}\n\n${[summary(results), ...sections].join('\n')}`;
}

interface Kept {
  readonly bench: string;
  readonly result: Result;
}

function keptResults(): readonly Kept[] {
  const files = readdirSync(RESULTS).filter((name) => name.endsWith('.json'));
  return files.sort().map((file) => ({
    bench: basename(file, '.json'),
    result: JSON.parse(readFileSync(join(RESULTS, file), 'utf8')),
  }));
}

/** The main figures of all benches, from the results that are kept. */
export const keptBars = (): readonly Bar[] =>
  keptResults().flatMap(({ bench, result }) => barsOf(bench, result));

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

function summary(results: readonly Kept[]): string {
  const columns = ['bench', 'what', 'is', 'asked', 'met', 'kept'] as const;
  const bars = results.flatMap(({ bench, result }) => barsOf(bench, result));
  const lines = bars.map((bar) => line(columns.map((column) => bar[column])));
  return ['### All', '', line(columns), `|${'---|'.repeat(columns.length)}`, ...lines, ''].join('\n');
}

function section(name: string, { machine, rows, notes }: Result): string {
  const { processor, cores, memoryGiB, node, versions = {}, commit, at } = machine;
  const programs = Object.entries(versions).map(([program, version]) => `, ${program} ${version}`);
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return [
    `### ${name}`,
    '',
    `${processor}, ${cores} cores, ${memoryGiB} GiB, Node ${node}${programs.join('')}, commit ${commit}, ${at.slice(0, 10)}.`,
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
  if (Array.isArray(value))
    return value.map((each) => (Array.isArray(each) ? each.join(' + ') : inWords(each))).join(', ');
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([key, each]) => `${key} ${inWords(each)}`)
    .join(', ');
}
