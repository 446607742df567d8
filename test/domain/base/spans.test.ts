import { expect, test } from 'vitest';
import { count, percentOf } from '../../../src/domain/base/spans.ts';

test('counts say one or many, with thousands apart', () => {
  expect([0, 1, 2_000].map((number) => count(number, 'snapshot'))).toEqual([
    '0 snapshots',
    '1 snapshot',
    '2,000 snapshots',
  ]);
});

test('only a whole is 100 percent, and nothing of nothing is used', () => {
  expect([percentOf(129, 1_000), percentOf(999, 1_000), percentOf(7, 7), percentOf(0, 0)]).toEqual([
    12, 99, 100, 0,
  ]);
});
