/** A named right that one process holds at a time, such as running a loop. By the database's clock. */
export interface LeaseStore {
  /** Takes or renews it; false where another holds it. */
  hold(name: string, owner: string, ms: number): Promise<boolean>;
  /** Gives it up; nothing happens where another holds it. */
  release(name: string, owner: string): Promise<void>;
  /** Gives up all that a process held which is gone. */
  releaseAll(owner: string): Promise<void>;
}
