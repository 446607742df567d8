import { expect } from 'vitest';

/**
 * Checks that scripts still find what they rely on: each value of the earlier answer, and lists of the same length.
 * New fields are allowed.
 */
export function expectAddedOnly(place: string, before: unknown, now: unknown): void {
  if (Array.isArray(before)) {
    expect(now, place).toHaveLength(before.length);
    for (const [index, each] of before.entries())
      expectAddedOnly(`${place}[${index}]`, each, (now as unknown[])[index]);
  } else if (before !== null && typeof before === 'object') {
    expect(now, place).toBeTypeOf('object');
    for (const [name, value] of Object.entries(before))
      expectAddedOnly(`${place}.${name}`, value, (now as Record<string, unknown> | null)?.[name]);
  } else expect(now, place).toBe(before);
}
