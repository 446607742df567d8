/** Reports whether the service's data has changed. */
export interface DataVersion {
  /**
   * Differs after every commit, of this process or another; `null`: the database has no such version. A promise only if the
   * database is busy. Throws `database_unavailable`.
   */
  version(): number | null | Promise<number>;
}
