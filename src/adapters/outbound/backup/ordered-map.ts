/** Maps a stream with up to `width` concurrent tasks; results keep the order of the stream. */
export async function* orderedMap<T, R>(
  source: AsyncIterable<T>,
  width: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R, void, undefined> {
  const underWay: Array<Promise<R>> = [];
  try {
    for await (const item of source) {
      const result = work(item);
      // a failure is thrown when its turn comes; until then it is not unhandled
      result.catch(() => undefined);
      underWay.push(result);
      const first = underWay.length >= width ? underWay.shift() : undefined;
      if (first) yield await first;
    }
    for (let next = underWay.shift(); next; next = underWay.shift()) yield await next;
  } finally {
    await Promise.allSettled(underWay);
  }
}
