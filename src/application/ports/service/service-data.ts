/** The service's own data, for the backup that it makes of itself. */
export interface ServiceData {
  /** Absolute path of the data directory. */
  readonly directory: string;
  /** rsync patterns (anchored, absolute) of what a backup leaves out: snapshots, the live database files, and the master key. */
  readonly excludes: readonly string[];
  /**
   * Writes a consistent copy of the database below the data directory, replacing the former one, and returns its
   * absolute path. The copy holds every committed change up to the call.
   */
  writeDatabaseCopy(): Promise<string>;
}
