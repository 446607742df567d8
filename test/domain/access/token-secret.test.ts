import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isTokenSecret, makeTokenSecret } from '../../../src/domain/access/token-secret.ts';

const fresh = (): string => makeTokenSecret((count) => randomBytes(count));

describe('the secret of a token', () => {
  test('has its prefix, 30 random characters and a checksum that fits', () => {
    const secret = fresh();
    expect(secret).toMatch(/^drv_[0-9A-Za-z]{36}$/);
    expect(isTokenSecret(secret)).toBe(true);
  });

  test('carries the CRC-32 of what precedes, as zlib reckons it', () => {
    const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
    const secret = fresh();
    const check = secret
      .slice(-6)
      .split('')
      .reduce((value, each) => value * 62 + alphabet.indexOf(each), 0);
    expect(check).toBe(crc32(secret.slice(0, -6)));
  });

  test('is refused after any change of one character', () => {
    const secret = fresh();
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: secret.length - 1 }),
        fc.constantFrom('0', '9', 'A', 'Z', 'a', 'z', '_', '-'),
        (at, character) => {
          fc.pre(secret[at] !== character);
          expect(isTokenSecret(`${secret.slice(0, at)}${character}${secret.slice(at + 1)}`)).toBe(false);
        },
      ),
    );
  });

  test.each(['', 'drv_', 'Bearer x', 'x'.repeat(40), '\0'.repeat(40)])('is not "%s"', (text) => {
    expect(isTokenSecret(text)).toBe(false);
  });

  test('leaves out the bytes that would make some characters likelier', () => {
    const asked: number[] = [];
    const secret = makeTokenSecret((count) => {
      asked.push(count);
      return asked.length === 1 ? new Uint8Array(count).fill(255) : new Uint8Array(count).fill(61);
    });
    expect(asked.length).toBe(2);
    expect(secret.slice(4, 34)).toBe('z'.repeat(30));
  });
});
