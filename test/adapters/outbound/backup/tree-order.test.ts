import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ByteString, compareWalkOrder } from '../../../../src/adapters/outbound/backup/byte-string.ts';
import { excludeMatcher } from '../../../../src/adapters/outbound/backup/exclude-matcher.ts';
import { type Surveyed, surveyedOf } from '../../../../src/adapters/outbound/backup/surveyed.ts';
import { TreeOrder } from '../../../../src/adapters/outbound/backup/tree-order.ts';

const claim = (path: string, type: string): Surveyed =>
  surveyedOf(`${type} 644 0 0 4 1.5 1.5 99 99 1 8`, `/${path}`, '') as Surveyed;
const lost = (path: ByteString): Error => new Error(path);
const ordered = async (entries: readonly Surveyed[], patterns: readonly string[] = []): Promise<string[]> => {
  const order = new TreeOrder();
  for (const entry of entries) order.add(entry, false);
  return (await order.entries(excludeMatcher(patterns), lost)).map(({ path }) => path);
};

describe('the order of a listing', () => {
  it('is the walk order, however it comes, and each path is there once', async () => {
    const name = fc.string({
      unit: fc.constantFrom('a', 'b', '.', '-', '\n', '\xff'),
      minLength: 1,
      maxLength: 3,
    });
    const path = fc.array(
      name.filter((each) => !/^\.{1,2}$/.test(each)),
      { minLength: 1, maxLength: 4 },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(path, { maxLength: 30 }), fc.nat(), async (paths, turn) => {
        const above = paths.flatMap((parts) => parts.map((_, index) => parts.slice(0, index + 1).join('/')));
        const entries = above.map((each) => claim(each, 'd'));
        const shuffled = entries.map((_, index) => entries[(index * 7 + turn) % entries.length] as Surveyed);
        const all = [...new Set(above)] as ByteString[];
        expect(await ordered([...shuffled, ...entries])).toEqual(all.sort(compareWalkOrder));
      }),
    );
  });

  it.each([
    ['no directory', [claim('a/b', 'f')]],
    ['a link', [claim('a', 'p'), claim('a/b', 'f')]],
  ])('refuses what is in %s', async (_, entries) => {
    await expect(ordered(entries)).rejects.toThrow('a');
  });

  it('leaves out directories with all that is in them, also where the host has not', async () => {
    const entries = [
      claim('a', 'd'),
      claim('a/b', 'd'),
      claim('a/b/c', 'd'),
      claim('a/b/c/d', 'f'),
      claim('a/e', 'f'),
    ];
    expect(await ordered(entries, ['b/'])).toEqual(['a', 'a/e']);
  });
});
