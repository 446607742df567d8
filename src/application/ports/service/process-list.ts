/** Names processes so that another process of the same machine can tell whether they still live. */
export interface ProcessList {
  /** This process's name: unique over machines, containers, restarts and reused process ids. */
  readonly self: string;
  /** True only where it is certain: same machine, same boot, same process namespace, and no such process any more. */
  isDead(name: string): boolean;
}
