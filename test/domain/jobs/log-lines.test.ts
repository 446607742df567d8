import { describe, expect, test } from 'vitest';
import { LOG_START, LogLines, logPlaceText, parseLogPlace } from '../../../src/domain/jobs/log-lines.ts';

/** Like a store: from a position on, at most this many bytes, no character split. */
function read(log: string, after: number, most: number) {
  const bytes = Buffer.from(log);
  let end = Math.min(bytes.length, after + most);
  while (end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return { text: bytes.toString('utf8', after, end), cutBytes: 0, next: end };
}

describe('Lines of a log', () => {
  const LOG = 'one\n\nthree ü\r\nfour\n';

  test.each([3, 4, 5, 7, 100])('are whole wherever parts end: of %i bytes', (most) => {
    const lines = new LogLines();
    const seen: string[] = [];
    while (lines.read < Buffer.byteLength(LOG)) seen.push(...lines.add(read(LOG, lines.read, most)));
    expect(seen).toEqual(['one', '', 'three ü\r', 'four']);
    expect(lines.place).toEqual({ bytes: Buffer.byteLength(LOG), lines: 4 });
  });

  test('go on from each place with the line that comes next', () => {
    const all = ['one', '', 'three ü\r', 'four'];
    for (let cut = 3; cut <= Buffer.byteLength(LOG); cut += 1) {
      const before = new LogLines();
      const seen = [...before.add(read(LOG, 0, cut))];
      const after = new LogLines(parseLogPlace(logPlaceText(before.place)) ?? LOG_START);
      seen.push(...after.add(read(LOG, after.read, 100)));
      expect(seen).toEqual(all);
      expect(after.place.lines).toBe(4);
    }
  });

  test('show what was cut out as one line', () => {
    const lines = new LogLines();
    lines.add({ text: 'head\n', cutBytes: 0, next: 5 });
    expect(lines.add({ text: 'tail\n', cutBytes: 90, next: 100 })).toEqual([
      '[90 bytes were left out here: the log was too long]',
      'tail',
    ]);
    expect(lines.place).toEqual({ bytes: 100, lines: 3 });
  });

  test.each(['', '1', '1-', '-1-2', '1-2-3', 'a-b', '1e9-2', '9999999999999-1'])(
    'do not start at %j',
    (raw) => {
      expect(parseLogPlace(raw)).toBeNull();
    },
  );
});
