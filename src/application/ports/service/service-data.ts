/** The service's own data, for the backup that it makes of itself. */
export interface ServiceData {
  /** Absolute path of the data directory. */
  readonly directory: string;
  /**
   * rsync patterns (anchored, absolute) that a backup excludes: snapshots, the live database files, and the master
   * key.
   */
  readonly excludes: readonly string[];
  /**
   * Writes a consistent copy of the database below the data directory, replacing the previous one, and returns its
   * absolute path. The copy contains every change committed before the call.
   */
  writeDatabaseCopy(): Promise<string>;
}
