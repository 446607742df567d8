import { describe, expect, test } from 'vitest';
import { linesAfter, loggedLines } from '../../../src/domain/compose/container-log.ts';

describe('lines of a container log', () => {
  test('have the stamp of the engine, if it is one', () => {
    expect(
      loggedLines(
        '2026-11-28T09:00:00.000000001Z one\n2026-11-28T10:00:00+01:00 \nrest of a line\n2026-99-28T09:00:00Z no\n',
      ),
    ).toEqual([
      { stamp: '2026-11-28T09:00:00.000000001Z', text: 'one' },
      { stamp: '2026-11-28T10:00:00+01:00', text: '' },
      { stamp: null, text: 'rest of a line' },
      { stamp: null, text: '2026-99-28T09:00:00Z no' },
    ]);
    expect(loggedLines('')).toEqual([]);
  });

  test('after a stamp are new by the nanosecond, in any time zone', () => {
    const lines = loggedLines(
      '2026-11-28T09:00:00.000000001Z seen\n2026-11-28T10:00:00.000000002+01:00 new\ncontinued\n',
    );
    expect(linesAfter(lines, '2026-11-28T09:00:00.000000001Z').map(({ text }) => text)).toEqual([
      'new',
      'continued',
    ]);
    expect(linesAfter(lines, '2026-11-28T09:00:00.1Z')).toEqual([]);
    expect(linesAfter(lines, null)).toEqual(lines);
  });
});
