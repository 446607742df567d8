import { describe, expect, test } from 'vitest';
import type { Digest } from '../../src/application/ports/base/digest.ts';

export function digestContract(name: string, makeSubject: () => Digest): void {
  describe(`${name} as a digest`, () => {
    test.each([
      // FIPS 180-4's example, and two made with coreutils' sha256sum.
      ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
      ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
      ['grüße', '8285d1ad84c6b6e475d3b50dbf90389c8c7a07a278d9ae46d5698cbe872e3834'],
    ])('is SHA-256 of UTF-8 text: %j', (text, hex) => {
      expect(makeSubject().sha256(text)).toBe(hex);
    });

    test('tells equal from different, whatever the lengths', () => {
      const digest = makeSubject();
      expect(digest.equal('a', 'a')).toBe(true);
      expect(digest.equal('', '')).toBe(true);
      expect(digest.equal('a', 'b')).toBe(false);
      expect(digest.equal('a', 'aa')).toBe(false);
      expect(digest.equal('', 'a')).toBe(false);
      expect(digest.equal('é', 'e\u0301')).toBe(false);
    });
  });
}
