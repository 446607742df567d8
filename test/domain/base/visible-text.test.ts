import { describe, expect, it } from 'vitest';
import { DomainError } from '../../../src/domain/base/errors.ts';
import { oneLine } from '../../../src/domain/base/one-line.ts';
import {
  escapedValue,
  findInvisible,
  visibleText,
  visibleValue,
  withoutEscapes,
} from '../../../src/domain/base/visible-text.ts';
import { nameFault } from '../../../src/domain/files/jail-path.ts';
import { shownName } from '../../../src/domain/files/shown-name.ts';
import { INVISIBLE_CHARACTERS } from '../../support/invisible.ts';

const codeOf = (character: string): string => `U+${character.codePointAt(0)?.toString(16)}`;

describe('text of a host', () => {
  it.each(INVISIBLE_CHARACTERS.map((each) => [codeOf(each), each]))('loses %s', (_, hidden) => {
    const text = `do${hidden}cker`;
    expect(visibleText(text)).toBe('docker');
    expect(oneLine(text, 50)).toBe('docker');
    expect(new DomainError('host_command_failed', text).message).toBe('docker');
    expect(visibleValue({ [text]: [text, { deep: text }], n: 1, no: null })).toEqual({
      docker: ['docker', { deep: 'docker' }],
      n: 1,
      no: null,
    });
    expect(nameFault(text)).toMatch(/invisible/);
    expect(shownName(Buffer.from(text))).toEqual({
      text: expect.stringMatching(/^do(\\u\{[0-9a-f]+\}|\\x7f)cker$/),
      escaped: true,
    });
  });

  it('keeps what is seen', () => {
    for (const text of [
      'ünïcödé 日本語 Ελληνικά عربى',
      '❤\ufe0f and ☎\ufe0e and 🚀',
      'a\tb\nc',
      '𝒳 é e\u0301',
    ])
      expect(visibleText(text)).toBe(text);
  });

  it('keeps one selector of an emoji, and loses all more', () => {
    expect(visibleText('❤\ufe0f\ufe0f\ufe0e\ufe01 a\ufe0f')).toBe('❤\ufe0f a');
    expect(nameFault('❤\ufe0f.txt')).toBeNull();
  });

  it('loses what is for terminals where it is to be one line', () => {
    expect(withoutEscapes('\u001b[31mred\u001b[0m \u001b]0;title\u0007\u001b(Bx\u009b31m\u001b')).toBe(
      'red x31m',
    );
    expect(oneLine('\u001b[31mred\u001b[0m', 50)).toBe('red');
  });

  it('that stays as it is says where it has some, for the first twenty', () => {
    expect(findInvisible('plain ❤\ufe0f\n')).toBeNull();
    expect(findInvisible('a\n𝒳b\u200bc\u{e0041}\n')).toEqual({
      count: 2,
      first: [
        { line: 2, column: 3, character: 'U+200B' },
        { line: 2, column: 5, character: 'U+E0041' },
      ],
    });
    const many = findInvisible('\u200b'.repeat(1_000));
    expect([many?.count, many?.first.length]).toEqual([1_000, 20]);
  });

  it('is written out in records that must stay exact', () => {
    expect(escapedValue({ path: 'a\u200b/\u{e0041}', list: ['\u202e', 'plain ❤\ufe0f'], size: 1 })).toEqual({
      path: 'a\\u{200b}/\\u{e0041}',
      list: ['\\u{202e}', 'plain ❤\ufe0f'],
      size: 1,
    });
  });
});
