/**
 * Lets one after the other put a file in its place: of two writes that expect the same former content one comes second
 * and sees that. Between processes a lock on the directory does the same; this one spares the writes of one process that.
 */
export class CommitLocks {
  readonly #last = new Map<string, Promise<void>>();

  async hold<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    let release = (): void => undefined;
    const mine = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.#last.set(key, mine);
    await before;
    try {
      return await work();
    } finally {
      release();
      if (this.#last.get(key) === mine) this.#last.delete(key);
    }
  }
}
