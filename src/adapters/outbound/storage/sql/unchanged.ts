/** Rows of all entries together: some 40 MB, with what is rendered of them. */
const MAX_ROWS = 10_000;

/**
 * What was read from the database, until the next commit. The database reports that itself, by a
 * version that each commit changes, so that nothing here is ever out of date.
 */
export class UnchangedReads {
  readonly #entries = new Map<string, { readonly value: unknown; readonly rows: number }>();
  #version: unknown;
  #rows = 0;

  /** `version`: as of now. The value is shared with later callers, who must not change it. */
  async get<T>(
    version: number,
    key: string,
    read: () => Promise<T>,
    rowsIn: (value: T) => number,
  ): Promise<T> {
    if (version !== this.#version) this.#clear(version);
    const known = this.#entries.get(key);
    if (known) return known.value as T;
    const value = await read();
    const rows = 1 + rowsIn(value);
    // Another call may have met a change in the meantime: what was read before it may be out of date.
    if (version !== this.#version || rows > MAX_ROWS || this.#entries.has(key)) return value;
    if (this.#rows + rows > MAX_ROWS) this.#clear(version);
    this.#entries.set(key, { value, rows });
    this.#rows += rows;
    return value;
  }

  #clear(version: number): void {
    this.#entries.clear();
    this.#rows = 0;
    this.#version = version;
  }
}
