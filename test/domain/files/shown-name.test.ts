import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { JailPath } from '../../../src/domain/files/jail-path.ts';
import { shownName } from '../../../src/domain/files/shown-name.ts';

const bytes = (text: string): Buffer => Buffer.from(text, 'utf8');

describe('a name of a host as it is shown', () => {
  test.each(['compose.yaml', '.env', '-n', ' blank ', 'größe', '日本', "it's", '$(x)', '\ufffd'])(
    '%j is shown as it is',
    (name) => expect(shownName(bytes(name))).toEqual({ text: name, escaped: false }),
  );

  test.each([
    ['a newline', bytes('a\nb'), 'a\\nb'],
    ['a tab and a carriage return', bytes('\t\r'), '\\t\\r'],
    ['a backslash', bytes('a\\nb'), 'a\\\\nb'],
    ['an escape sequence', bytes('\u001b[2Jx'), '\\x1b[2Jx'],
    ['a C1 control', bytes('\u009b'), '\\u{9b}'],
    ['text that runs backwards', bytes('a\u202eb'), 'a\\u{202e}b'],
    ['Latin-1', Buffer.from([0x67, 0x72, 0xf6, 0xdf]), 'gr\\xf6\\xdf'],
    ['a surrogate in UTF-8', Buffer.from([0xed, 0xa0, 0x80]), '\\xed\\xa0\\x80'],
    ['an overlong slash', Buffer.from([0xc0, 0xaf]), '\\xc0\\xaf'],
    ['a byte order mark', bytes('\ufeffa'), '\\u{feff}a'],
    ['dots with a control', bytes('..\u0001'), '..\\x01'],
  ])('%s is escaped', (_what, name, text) => {
    expect(shownName(name)).toEqual({ text, escaped: true });
  });

  test('no two names are shown alike, and what is escaped can be given to no tool', () => {
    const name = fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 6 }),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 6 }).map(bytes),
      fc.stringMatching(/^[\\x0u{f}\n]{1,8}$/).map(bytes),
    );
    const usable = name.filter((each) => !each.includes(0) && !each.includes(0x2f));
    fc.assert(
      fc.property(usable, usable, (one, other) => {
        const shown = shownName(one);
        const same = Buffer.compare(one, other) === 0;
        expect(shownName(other).text === shown.text).toBe(same);
        if (shown.escaped) expect(() => JailPath.ROOT.child(shown.text)).toThrow();
        else expect(bytes(JailPath.ROOT.child(shown.text).entry.name)).toEqual(Buffer.from(one));
      }),
      { numRuns: 2_000 },
    );
  });
});
