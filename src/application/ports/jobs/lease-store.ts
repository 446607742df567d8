/** A named right that one process holds at a time, such as running a loop. By the database's clock. */
export interface LeaseStore {
  /** Takes or renews it; false if another process holds it. */
  hold(name: string, owner: string, ms: number): Promise<boolean>;
  /** Releases it; does nothing if another process holds it. */
  release(name: string, owner: string): Promise<void>;
  /** Releases all leases of a dead process. */
  releaseAll(owner: string): Promise<void>;
}
