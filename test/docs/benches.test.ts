import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { MEASURED } from '../../bench/lib/bars.ts';
import { keptBars } from '../../bench/lib/figures.ts';

it('says in the table of all benches what counts of each', () => {
  const files = readdirSync(fileURLToPath(new URL('../../bench', import.meta.url)));
  const benches = files.filter((name) => name.endsWith('.ts')).map((name) => name.replace(/\.ts$/, ''));
  expect(MEASURED.toSorted()).toEqual(benches.toSorted());
});

it('finds each figure of the table in the results that are kept', () => {
  const bars = keptBars();
  expect(bars.length).toBeGreaterThan(0);
  expect(bars.filter(({ is }) => !/^-?\d/.test(is))).toEqual([]);
});
