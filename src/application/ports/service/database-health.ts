/** Whether the database answers. */
export interface DatabaseHealth {
  /** Throws `database_unavailable` if it does not answer within two seconds. */
  ping(): Promise<void>;
  /** Its product and version, in a few words. */
  product(): Promise<string>;
  /** The database's clock minus the given time, in milliseconds. */
  clockOffsetMs(now: number): Promise<number>;
}
