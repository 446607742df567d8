import { expect, test } from 'vitest';
import { JsTextDiff } from '../../../../src/adapters/outbound/system/js-text-diff.ts';

const diff = new JsTextDiff();

test('A difference has the changed lines with their places', () => {
  expect(diff.between('one\ntwo\n', 'one\n2\n').split('\n')).toEqual([
    '@@ -1,2 +1,2 @@',
    ' one',
    '-two',
    '+2',
  ]);
  expect(diff.between('', 'new\n')).toContain('+new');
  expect(diff.between('same\n', 'same\n')).toBe('');
});

test('Of texts with too many differences every line is shown', () => {
  const lines = (mark: string): string =>
    Array.from({ length: 20_000 }, (_, at) => `${mark}${at}\n`).join('');
  const shown = diff.between(lines('a'), lines('b')).split('\n');
  expect(shown.filter((line) => line.startsWith('-a'))).toHaveLength(20_000);
  expect(shown.filter((line) => line.startsWith('+b'))).toHaveLength(20_000);
});
