import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { README, RESULTS, type Result, type Row, readmeWithFigures } from './figures.ts';
import { versions } from './versions.ts';

export type { Row } from './figures.ts';

/** Prints the rows as a table, and keeps them with the machine and the versions in bench/results and in the README. */
export function report(
  name: string,
  rows: readonly Row[],
  notes: Readonly<Record<string, unknown>> = {},
): void {
  console.log(`\n${name}`);
  console.table(rows);
  for (const [key, value] of Object.entries(notes)) console.log(`${key}: ${JSON.stringify(value)}`);
  mkdirSync(RESULTS, { recursive: true });
  const machine: Result['machine'] = {
    processor: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    versions: versions(),
    commit: execFileSync('git', ['rev-parse', '--short', 'HEAD']).toString().trim(),
    at: new Date().toISOString(),
  };
  writeFileSync(`${RESULTS}${name}.json`, `${JSON.stringify({ machine, rows, notes }, null, 2)}\n`);
  writeFileSync(README, readmeWithFigures());
}
