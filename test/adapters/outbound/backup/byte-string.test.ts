import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ByteString,
  bytesOfBuffer,
  bytesOfText,
  compareWalkOrder,
  display,
  textOf,
  toBuffer,
} from '../../../../src/adapters/outbound/backup/byte-string.ts';

const bytes = (text: string): ByteString => text as ByteString;

describe('names as bytes', () => {
  it('go there and back, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (array) => {
        const buffer = Buffer.from(array);
        expect(toBuffer(bytesOfBuffer(buffer))).toEqual(buffer);
      }),
    );
  });

  it('are text where they are UTF-8', () => {
    expect(textOf(bytesOfText('grün\n€'))).toBe('grün\n€');
    expect(textOf(bytes('\xff'))).toBeNull();
  });

  it.each([
    ['plain', 'plain'],
    ['grün €', 'grün €'],
    ['new\nline\ttab', 'new\\nline\\ttab'],
    ['\u001b[31mred\u0085', '\\x1b[31mred\\x85'],
    ['para\u2029graph', 'para\\u2029graph'],
  ])('are shown on one line: %j', (text, shown) => {
    expect(display(bytesOfText(text))).toBe(shown);
  });

  it('are shown as bytes if they are not text', () => {
    expect(display(bytes('bad\xffname\n'))).toBe('bad\\xffname\\n');
  });
});

describe('the order of a walk', () => {
  it('puts a directory before its content, and its content before its neighbours', () => {
    const walked = ['a', 'a/x', 'a/x/y', 'a-b', 'a.b', 'a0', 'b'].map(bytes);
    expect(walked.toReversed().sort(compareWalkOrder)).toEqual(walked);
  });

  it('is that of the parts, one after the other, by their bytes', () => {
    const part = fc
      .uint8Array({ minLength: 1, maxLength: 4 })
      .map((array) =>
        Array.from(array, (byte) => (byte === 0 || byte === 0x2f ? 'x' : String.fromCharCode(byte))).join(''),
      );
    const path = fc.array(part, { minLength: 1, maxLength: 4 });
    const byParts = (a: readonly string[], b: readonly string[]): number => {
      for (let index = 0; index < Math.min(a.length, b.length); index += 1) {
        const order = Buffer.compare(
          Buffer.from(a[index] ?? '', 'latin1'),
          Buffer.from(b[index] ?? '', 'latin1'),
        );
        if (order !== 0) return order;
      }
      return a.length - b.length;
    };
    fc.assert(
      fc.property(path, path, (a, b) => {
        const order = compareWalkOrder(bytes(a.join('/')), bytes(b.join('/')));
        expect(Math.sign(order)).toBe(Math.sign(byParts(a, b)));
      }),
      { numRuns: 2_000 },
    );
  });
});
