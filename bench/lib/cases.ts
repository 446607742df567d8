import { existsSync, readFileSync } from 'node:fs';
import { RESULTS, type Result, type Row } from './figures.ts';

/** The cases that BENCH_CASES names; without it all. */
export function casesToRun<C extends string>(cases: readonly C[]): ReadonlySet<C> {
  const wanted = process.env['BENCH_CASES']?.split(',') ?? cases;
  const unknown = wanted.filter((each) => !cases.some((known) => known === each));
  if (unknown.length > 0)
    throw new Error(`BENCH_CASES has ${unknown.join(', ')}: there are ${cases.join(', ')}.`);
  return new Set(cases.filter((each) => wanted.includes(each)));
}

/** With the rows of cases that were measured before, each with its day and commit. `same`: the columns that name a row. */
export function withKept(
  bench: string,
  rows: readonly Row[],
  same: readonly string[],
): Pick<Result, 'rows' | 'notes'> {
  const file = `${RESULTS}${bench}.json`;
  if (process.env['BENCH_CASES'] === undefined || !existsSync(file)) return { rows, notes: {} };
  const { machine, rows: kept, notes } = JSON.parse(readFileSync(file, 'utf8')) as Result;
  const isNew = (old: Row): boolean =>
    rows.some((row) => same.every((column) => row[column] === old[column]));
  const measured = `${machine.at.slice(0, 10)}, ${machine.commit}`;
  const older = kept
    .filter((row) => !isNew(row))
    .map((row) => ({ ...row, measured: row['measured'] ?? measured }));
  return { rows: [...older, ...rows], notes };
}
