import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { firstLines, hostLines } from '../../../../../src/adapters/outbound/hosts/shell/host-lines.ts';
import { plainText, wholeNumber } from '../../../../../src/adapters/outbound/hosts/shell/host-text.ts';

describe('plainText', () => {
  it('keeps one short line without control characters', () => {
    expect(plainText('  a\tb\nc \u001b[1m\u0085\u202e\u2066x')).toBe('a b c x');
    expect(plainText('x'.repeat(500), 10)).toBe(`${'x'.repeat(9)}…`);
  });

  it('is none for nothing', () => {
    expect(plainText(undefined)).toBeNull();
    expect(plainText(' \n\u0000 ')).toBeNull();
  });
});

describe('wholeNumber', () => {
  it('takes decimal digits up to 2^53 - 1 and nothing else', () => {
    expect(wholeNumber('0')).toBe(0);
    expect(wholeNumber('9007199254740991')).toBe(Number.MAX_SAFE_INTEGER);
    for (const text of ['9007199254740992', '-1', '1.5', '1e3', ' 1', '0x1', '', '٣', undefined]) {
      expect(wholeNumber(text)).toBeNull();
    }
  });
});

describe('firstLines', () => {
  it('gives a limited number of lines, without their ends', () => {
    expect([...firstLines('a\r\nb\n\nc', 10)]).toEqual(['a', 'b', '', 'c']);
    expect([...firstLines('a\nb\nc\n', 2)]).toEqual(['a', 'b']);
    expect([...firstLines('', 5)]).toEqual([]);
  });
});

describe('hostLines', () => {
  const lines = async (...chunks: readonly (string | Uint8Array)[]): Promise<string[]> => {
    const read: string[] = [];
    for await (const line of hostLines(Readable.from(chunks.map((chunk) => Buffer.from(chunk)))))
      read.push(line);
    return read;
  };

  it('puts lines together that come in pieces, even within a character', async () => {
    const euro = Buffer.from('€');
    expect(await lines('a', 'b\nc\r\nd', euro.subarray(0, 1), euro.subarray(1), '\n\ne')).toEqual([
      'ab',
      'c',
      'd€',
      '',
      'e',
    ]);
  });

  it('cuts a line that does not end', async () => {
    const read = await lines(...Array.from({ length: 100 }, () => 'x'.repeat(10_000)), '\nend');
    expect(read.map((line) => line.length)).toEqual([4_097, 3]);
    expect(read[0]).toMatch(/x…$/);
  });
});
