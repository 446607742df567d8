/**
 * Serializes the final step of writes: of two writes that expect the same previous content one comes second and
 * notices. Between processes a lock on the directory does the same; this one makes it unnecessary within the process.
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
