import type { TransferWatch } from '../../../application/ports/backups/backup-engine.ts';
import type { Amount } from '../../../domain/jobs/phases.ts';

const EVERY_MS = 500;

/** Reports the progress of a piece of work, twice a second at most. */
export class TransferProgress {
  readonly #watch: TransferWatch;
  #reportedAt = Number.NEGATIVE_INFINITY;
  #reported = '';
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
    const isDue = performance.now() - this.#reportedAt >= EVERY_MS || current !== this.#current;
    if (!isDue && done < total) return;
    const part = total > 0 ? Math.min(1, done / total) : 1;
    this.#tell(current, Math.floor(from + part * (to - from)), { done, total, unit: 'bytes' });
  }

  #tell(current: string, percent: number | null, amount?: Amount): void {
    this.#reportedAt = performance.now();
    this.#current = current;
    const line = `${current} ${percent} ${amount?.done}`;
    if (line === this.#reported) return;
    this.#reported = line;
    this.#watch.progress(current, percent, amount === undefined ? {} : { amount });
  }
}
