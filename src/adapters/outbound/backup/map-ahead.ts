/** Results in the order of the items; up to `ahead` of them are in work while the consumer has one. */
export async function* mapAhead<Item, Result>(
  items: AsyncIterable<Item>,
  ahead: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result, void, undefined> {
  const started: Array<Promise<Result>> = [];
  try {
    for await (const item of items) {
      const result = work(item);
      // its turn may come after an earlier one has failed
      result.catch(() => undefined);
      started.push(result);
      if (started.length <= ahead) continue;
      yield await (started.shift() as Promise<Result>);
    }
    for (let next = started.shift(); next; next = started.shift()) yield await next;
  } finally {
    await Promise.allSettled(started);
  }
}
