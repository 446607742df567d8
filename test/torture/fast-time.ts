/** A hundred times faster than the machine's clock, and the same in every process. */
export interface FastTime {
  readonly start: number;
  readonly epoch: number;
}

export const fastNow = ({ start, epoch }: FastTime): number => start + 100 * (Date.now() - epoch);
