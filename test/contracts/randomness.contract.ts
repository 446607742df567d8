import { describe, expect, test } from 'vitest';
import type { Randomness } from '../../src/application/ports/base/randomness.ts';

export function randomnessContract(name: string, makeSubject: () => Randomness): void {
  describe(`${name} as a source of chance`, () => {
    test('gives as many bytes as asked for, and every value of a byte', () => {
      const randomness = makeSubject();
      expect(randomness.bytes(0)).toHaveLength(0);
      expect(new Set(randomness.bytes(20_000)).size).toBe(256);
    });

    test('gives other bytes each time', () => {
      const randomness = makeSubject();
      const drawn = Array.from({ length: 100 }, () => Buffer.from(randomness.bytes(16)).toString('hex'));
      expect(new Set(drawn).size).toBe(100);
    });

    test('makes version 4 UUIDs, no two alike', () => {
      const randomness = makeSubject();
      const uuids = Array.from({ length: 100 }, () => randomness.uuid());
      for (const uuid of uuids) {
        expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      }
      expect(new Set(uuids).size).toBe(100);
    });
  });
}
