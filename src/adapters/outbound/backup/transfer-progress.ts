import type { TransferWatch } from '../../../application/ports/backups/backup-engine.ts';
import type { Amount } from '../../../domain/jobs/phases.ts';

const EVERY_MS = 500;

/** Reports the progress of a piece of work, twice a second at most. */
export class TransferProgress {
  readonly #watch: TransferWatch;
  #toldAt = Number.NEGATIVE_INFINITY;
  #told = '';
  #current = '';

  constructor(watch: TransferWatch) {
    this.#watch = watch;
  }

  /** A new stage; reported immediately. */
  stage(current: string, percent: number | null): void {
    this.#tell(current, percent);
  }

  /** `done` of `total` bytes, as a part of the whole from `from` to `to` percent. */
  bytes(current: string, done: number, total: number, from = 0, to = 100): void {
    const isDue = performance.now() - this.#toldAt >= EVERY_MS || current !== this.#current;
    if (!isDue && done < total) return;
    const part = total > 0 ? Math.min(1, done / total) : 1;
    this.#tell(current, Math.floor(from + part * (to - from)), { done, total, unit: 'bytes' });
  }

  #tell(current: string, percent: number | null, amount?: Amount): void {
    this.#toldAt = performance.now();
    this.#current = current;
    const told = `${current} ${percent} ${amount?.done}`;
    if (told === this.#told) return;
    this.#told = told;
    this.#watch.progress(current, percent, amount === undefined ? {} : { amount });
  }
}
