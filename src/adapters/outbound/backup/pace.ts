import { setImmediate as breathe } from 'node:timers/promises';

const LOOK_EVERY = 200;
const LONG_MS = 10;

/** For loops over all files: their steps are short but many, and the service does other things in between. */
export class Pace {
  readonly #signal: AbortSignal;
  #steps = 0;
  #since = performance.now();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Counts a step, and returns whether to yield. */
  isLong(): boolean {
    this.#steps += 1;
    return this.#steps % LOOK_EVERY === 0 && performance.now() - this.#since > LONG_MS;
  }

  async rest(): Promise<void> {
    this.#signal.throwIfAborted();
    await breathe();
    this.#since = performance.now();
  }
}
