/** Names processes so that another process of the same machine can tell whether they are alive. */
export interface ProcessList {
  /** This process's name: unique over machines, containers, restarts and reused process ids. */
  readonly self: string;
  /** True only if it is certain: same machine, same boot, same process namespace, and no such process. */
  isDead(name: string): boolean;
}
