import { setTimeout as sleep } from 'node:timers/promises';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ByteString, compareWalkOrder } from '../../../../src/adapters/outbound/backup/byte-string.ts';
import { mergeSorted } from '../../../../src/adapters/outbound/backup/merge-sorted.ts';
import { orderedMap } from '../../../../src/adapters/outbound/backup/verify-tree.ts';

async function* streamOf<T>(items: readonly T[], onEnd: () => void = () => undefined): AsyncGenerator<T> {
  try {
    yield* items;
  } finally {
    onEnd();
  }
}

async function all<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of stream) items.push(item);
  return items;
}

describe('two sorted streams side by side', () => {
  const paths = fc
    .uniqueArray(fc.constantFrom('a', 'a/b', 'a.c', 'b', 'b/c', 'c', 'd/e', 'z'))
    .map((list) => (list as ByteString[]).sort(compareWalkOrder).map((path) => ({ path })));

  it('give each path once, in order, with what either has', async () => {
    await fc.assert(
      fc.asyncProperty(paths, paths, async (left, right) => {
        const merged = await all(mergeSorted(streamOf(left), streamOf(right)));
        const keys = [...new Set([...left, ...right].map(({ path }) => path))].sort(compareWalkOrder);
        expect(merged.map(([a, b]) => (a ?? b)?.path)).toEqual(keys);
        expect(merged.flatMap(([a]) => (a ? [a] : []))).toEqual(left);
        expect(merged.flatMap(([, b]) => (b ? [b] : []))).toEqual(right);
        for (const [a, b] of merged) if (a && b) expect(a.path).toBe(b.path);
      }),
    );
  });

  it('are both closed when the reader leaves', async () => {
    const ended: string[] = [];
    const item = { path: 'a' as ByteString };
    const next = { path: 'b' as ByteString };
    const left = streamOf([item, next], () => ended.push('left'));
    const right = streamOf([item, next], () => ended.push('right'));
    for await (const _pair of mergeSorted(left, right)) break;
    expect(ended).toEqual(['left', 'right']);
  });
});

describe('work on a stream', () => {
  it('gives results in order, with a limit on running tasks', async () => {
    let underWay = 0;
    let most = 0;
    const work = async (ms: number): Promise<number> => {
      underWay += 1;
      most = Math.max(most, underWay);
      await sleep(ms);
      underWay -= 1;
      return ms;
    };
    const items = [9, 1, 5, 0, 3, 2, 8, 4];
    expect(await all(orderedMap(streamOf(items), 3, work))).toEqual(items);
    expect(most).toBe(3);
  });

  it('throws what failed in its turn, after the rest has settled', async () => {
    const settled: number[] = [];
    const work = async (item: number): Promise<number> => {
      await sleep(item);
      settled.push(item);
      if (item === 2) throw new Error('two');
      return item;
    };
    await expect(all(orderedMap(streamOf([1, 2, 6, 7]), 4, work))).rejects.toThrowError('two');
    expect(settled).toContain(7);
  });

  it('throws what the stream throws', async () => {
    const failing = (async function* (): AsyncGenerator<number> {
      yield 1;
      throw new Error('source');
    })();
    await expect(all(orderedMap(failing, 2, async (item) => item))).rejects.toThrowError('source');
  });
});
