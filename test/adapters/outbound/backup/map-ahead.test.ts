import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { mapAhead } from '../../../../src/adapters/outbound/backup/restic/restic-manifest.ts';

async function* numbers(count: number): AsyncGenerator<number> {
  for (let number = 0; number < count; number += 1) yield number;
}

describe('mapAhead', () => {
  it('returns results in the order of the items, with a limited number in work', async () => {
    let working = 0;
    let most = 0;
    const results = mapAhead(numbers(9), 2, async (number) => {
      working += 1;
      most = Math.max(most, working);
      await sleep(number % 3);
      working -= 1;
      return number;
    });
    const seen: number[] = [];
    for await (const result of results) seen.push(result);
    expect(seen).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(most).toBe(3);
  });

  it('throws the first error only after the others have ended', async () => {
    let ended = 0;
    const results = mapAhead(numbers(3), 2, async (number) => {
      if (number === 0) throw new Error('first');
      await sleep(1);
      ended += 1;
      throw new Error('later');
    });
    await expect(results.next()).rejects.toThrow('first');
    expect(ended).toBe(2);
  });
});
