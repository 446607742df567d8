/** A window on a list. */
export interface PageRequest {
  /** 1 to 100. */
  readonly limit: number;
  readonly offset: number;
  /** The caller does not need the exact total: `total` may only count the window. */
  readonly uncounted?: true;
}

/** The order of a list. */
export interface Order<By extends string> {
  readonly by: By;
  readonly descending: boolean;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** How many there are in all, whatever the window. */
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
}
