import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { unifiedDiff } from '../../../src/domain/compose/unified-diff.ts';

/** Applies a diff: an independent reader, written for this test. */
function applied(before: string, diff: string): string {
  const from = before === '' ? [] : before.replace(/\n$/, '').split('\n');
  const out: string[] = [];
  let at = 0;
  for (const line of diff.replace(/\n$/, '').split('\n')) {
    const hunk = /^@@ -(\d+)(?:,(\d+))? \+/.exec(line);
    if (hunk) {
      const first = hunk[2] === '0' ? Number(hunk[1]) : Number(hunk[1]) - 1;
      while (at < first) out.push(from[at++] ?? '');
    } else if (line.startsWith('-')) at += 1;
    else if (line.startsWith('+')) out.push(line.slice(1));
    else out.push(from[at++] ?? '');
  }
  return [...out, ...from.slice(at)].join('\n');
}

describe('a unified diff', () => {
  test('of a text and itself is empty', () => expect(unifiedDiff('a\nb\n', 'a\nb\n')).toBe(''));

  test('shows three lines around each change', () => {
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`);
    const before = `${lines.join('\n')}\n`;
    const after = before.replace('line 5\n', 'line five\n').replace('line 25\n', '');
    expect(unifiedDiff(before, after)).toBe(
      '@@ -2,7 +2,7 @@\n line 2\n line 3\n line 4\n-line 5\n+line five\n line 6\n line 7\n line 8\n' +
        '@@ -22,7 +22,6 @@\n line 22\n line 23\n line 24\n-line 25\n line 26\n line 27\n line 28\n',
    );
  });

  test('of a new file and of a removed one', () => {
    expect(unifiedDiff('', 'a\nb\n')).toBe('@@ -0,0 +1,2 @@\n+a\n+b\n');
    expect(unifiedDiff('a\n', '')).toBe('@@ -1 +0,0 @@\n-a\n');
  });

  test('tells a last line without its end', () =>
    expect(unifiedDiff('a\n', 'a')).toBe('@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n'));

  test('gives the other text when it is applied, whatever the two are', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 40 });
    fc.assert(
      fc.property(text, text, (one, other) => {
        const [before, after] = [one, other].map((lines) => lines.map((line) => `${line}\n`).join(''));
        const diff = unifiedDiff(before ?? '', after ?? '');
        expect(applied(before ?? '', diff)).toBe((after ?? '').replace(/\n$/, ''));
      }),
    );
  });

  test('stays short, and is quick, for texts that have nothing in common', () => {
    const many = (word: string) => Array.from({ length: 50_000 }, (_, index) => `${word}${index}\n`).join('');
    const diff = unifiedDiff(many('a'), many('b'));
    expect(diff.split('\n').length).toBeLessThan(2_010);
    expect(diff).toMatch(/… and 98001 more lines\n$/);
  });
});
