import { type ByteString, compareWalkOrder } from './byte-string.ts';

interface PathEntry {
  readonly path: ByteString;
}

/** Merges two streams in walk order: each path once, with the entry of either. */
export async function* mergeSorted<A extends PathEntry, B extends PathEntry>(
  left: AsyncIterable<A>,
  right: AsyncIterable<B>,
): AsyncGenerator<readonly [A, B] | readonly [A, undefined] | readonly [undefined, B], void, undefined> {
  const lefts = left[Symbol.asyncIterator]();
  const rights = right[Symbol.asyncIterator]();
  try {
    let a = await lefts.next();
    let b = await rights.next();
    while (!a.done || !b.done) {
      const order = a.done ? 1 : b.done ? -1 : compareWalkOrder(a.value.path, b.value.path);
      if (order === 0) {
        yield [a.value, b.value];
        a = await lefts.next();
        b = await rights.next();
      } else if (order < 0) {
        yield [a.value, undefined];
        a = await lefts.next();
      } else {
        yield [undefined, b.value];
        b = await rights.next();
      }
    }
  } finally {
    await lefts.return?.();
    await rights.return?.();
  }
}
