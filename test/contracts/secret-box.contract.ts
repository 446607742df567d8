import { describe, expect, test } from 'vitest';
import type { SecretBox, SecretPlace } from '../../src/application/ports/base/secret-box.ts';

const PLACE: SecretPlace = { table: 'ssh_keys', column: 'private_key', row: 7 };

export interface SecretBoxSubject {
  readonly box: SecretBox;
  /** A box with a different key. */
  readonly stranger: SecretBox;
}

export function secretBoxContract(name: string, makeSubject: () => SecretBoxSubject): void {
  describe(`${name} as a secret box`, () => {
    test.each(['', 'hunter2', 'ключ 🔑', `line one\nline two\n`, '\u0000', 'x'.repeat(100_000)])(
      'returns what was encrypted (%#)',
      (secret) => {
        const { box } = makeSubject();
        expect(box.open(box.seal(secret, PLACE), PLACE)).toBe(secret);
      },
    );

    test('writes version, key id, IV, tag and ciphertext, none of them in the clear', () => {
      const { box } = makeSubject();
      const sealed = box.seal('hunter2', PLACE);
      expect(sealed).toMatch(/^v1\.[\w-]{8}\.[\w-]{16}\.[\w-]{22}\.[\w-]+$/);
      expect(sealed).not.toContain('hunter2');
    });

    test('encrypts the same secret differently each time', () => {
      const { box } = makeSubject();
      const seals = Array.from({ length: 50 }, () => box.seal('hunter2', PLACE));
      expect(new Set(seals).size).toBe(50);
    });

    test.each([
      ['another table', { ...PLACE, table: 'webhooks' }],
      ['another column', { ...PLACE, column: 'passphrase' }],
      ['another row', { ...PLACE, row: 8 }],
      ['parts shifted between table and column', { table: 'ssh_keys|private_key', column: '7', row: '' }],
      ['a quote that ends a part early', { table: 'ssh_keys","private_key', column: '', row: 7 }],
    ])('does not open in %s', (_, elsewhere) => {
      const { box } = makeSubject();
      const sealed = box.seal('hunter2', PLACE);
      expect(() => box.open(sealed, elsewhere)).toThrow(
        expect.objectContaining({ code: 'secret_unreadable' }),
      );
    });

    test('takes a row as number or text for the same row', () => {
      const { box } = makeSubject();
      expect(box.open(box.seal('hunter2', PLACE), { ...PLACE, row: '7' })).toBe('hunter2');
    });

    test('does not open with one character changed, left out or added anywhere', () => {
      const { box } = makeSubject();
      const sealed = box.seal('hunter2', PLACE);
      for (let at = 0; at < sealed.length; at += 1) {
        const other = sealed[at] === 'A' ? 'B' : 'A';
        for (const middle of [other, '', `${sealed[at]}A`]) {
          const damaged = `${sealed.slice(0, at)}${middle}${sealed.slice(at + 1)}`;
          if (damaged === sealed) continue;
          expect(() => box.open(damaged, PLACE), `${at}: ${damaged}`).toThrow(
            expect.objectContaining({ code: 'secret_unreadable' }),
          );
        }
      }
    });

    test.each(['', 'hunter2', 'v1', 'v1....', 'v2.a.b.c.d', '\u0000'])(
      'refuses %j, which is no encrypted secret',
      (text) => {
        const { box } = makeSubject();
        expect(() => box.open(text, PLACE)).toThrow(expect.objectContaining({ code: 'secret_unreadable' }));
        expect(box.isCurrent(text)).toBe(false);
      },
    );

    test('does not open what another key encrypted, and says nothing of the secret', () => {
      const { box, stranger } = makeSubject();
      const sealed = stranger.seal('hunter2', PLACE);
      expect(() => box.open(sealed, PLACE)).toThrow(/ssh_keys\.private_key, row 7/);
      expect(() => box.open(sealed, PLACE)).not.toThrow(/hunter2/);
    });

    test('knows its current key', () => {
      const { box, stranger } = makeSubject();
      expect(box.isCurrent(box.seal('hunter2', PLACE))).toBe(true);
      expect(box.isCurrent(stranger.seal('hunter2', PLACE))).toBe(false);
    });
  });
}
