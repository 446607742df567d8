/** Reports whether the service's data has changed. */
export interface DataVersion {
  /**
   * Differs after every commit that answers depend on, of this process or another, and in the same turn of the event loop at
   * least after those of this process; `null`: the database has no such version. A promise only if the database is busy.
   * Throws `database_unavailable`.
   */
  version(): number | null | Promise<number>;
}
