/** A window on a list. */
export interface PageRequest {
  /** 1 to 100. */
  readonly limit: number;
  readonly offset: number;
  /** Nobody asks how many there are in all: `total` may then be no more than what the window shows. */
  readonly uncounted?: true;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** How many there are in all, whatever the window. */
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
}
