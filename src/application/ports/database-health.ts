/** Whether the database answers. */
export interface DatabaseHealth {
  /** Throws `database_unavailable` where it does not answer within two seconds. */
  ping(): Promise<void>;
  /** The database's clock minus the given time, in milliseconds. */
  clockOffsetMs(now: number): Promise<number>;
}
