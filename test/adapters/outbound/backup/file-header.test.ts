import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ByteString } from '../../../../src/adapters/outbound/backup/byte-string.ts';
import { FILE_HEADER_BYTES, putFileHeader } from '../../../../src/adapters/outbound/backup/file-header.ts';
import { tarHeader } from '../../../../src/adapters/outbound/backup/tar-header.ts';

const digits = (value: number): string => String(value).padStart(9, '0');

describe('the header of a file', () => {
  it('is the same, byte by byte, as the one that is made in the long way', () => {
    fc.assert(
      fc.property(
        fc.record({
          path: fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 120 }),
          mode: fc.integer({ min: 0, max: 0o7777 }),
          uid: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
          gid: fc.integer({ min: 0, max: 70_000 }),
          size: fc.integer({ min: 0, max: 2 ** 40 }),
        }),
        fc.integer({ min: 0, max: 2 ** 33 }),
        fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 999_999_999 })),
        fc.boolean(),
        fc.nat(100),
        (facts, seconds, nanoseconds, exact, at) => {
          const path = facts.path as ByteString;
          const target = Buffer.alloc(at + FILE_HEADER_BYTES, 0xff);
          const mtime = { seconds: String(seconds), nanoseconds: digits(nanoseconds) };
          const length = putFileHeader(target, at, { ...facts, path, mtime }, exact);
          if (length === 0) return;
          const mtimeNs = BigInt(seconds) * 1_000_000_000n + BigInt(nanoseconds);
          const long = tarHeader({ ...facts, path, type: 'file', mtimeNs }, exact);
          expect(target.subarray(at, at + length).equals(long)).toBe(true);
        },
      ),
    );
  });

  it.each([
    ['a long name', { path: 'x'.repeat(98) }],
    ['a large owner', { uid: 2 ** 21 }],
    ['a large size', { size: 2 ** 33 }],
    ['a time after 2242', { mtime: { seconds: String(2 ** 33), nanoseconds: '000000000' } }],
    ['a time before 1970', { mtime: { seconds: '-1', nanoseconds: '000000000' } }],
  ])('is made in the long way for %s', (_, changes) => {
    const mtime = { seconds: '1', nanoseconds: '000000001' };
    const facts = { path: 'a', mode: 0o644, uid: 0, gid: 0, size: 0, mtime, ...changes };
    const target = Buffer.alloc(FILE_HEADER_BYTES);
    expect(putFileHeader(target, 0, { ...facts, path: facts.path as ByteString }, true)).toBe(0);
  });
});
