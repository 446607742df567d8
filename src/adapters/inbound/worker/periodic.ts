import type { Clock } from '../../../application/ports/base/clock.ts';
import type { Logger } from '../../../application/ports/base/logger.ts';

export interface PeriodicTask {
  /** The work's name, for the log. */
  readonly name: string;
  readonly everyMs: number;
  /** Minimum pause between runs, even when woken: frequent wake-ups are handled together. */
  readonly restMs?: number;
  readonly work: (signal: AbortSignal) => Promise<void>;
}

interface Deps {
  readonly clock: Clock;
  readonly log: Logger;
}

/** Does something again and again, one run at a time. A run that fails is logged and does not end it. */
export class Periodic {
  readonly #name: string;
  readonly #everyMs: number;
  readonly #restMs: number;
  readonly #work: (signal: AbortSignal) => Promise<void>;
  readonly #deps: Deps;
  readonly #stop = new AbortController();
  #wake: AbortController | null = null;
  #running: Promise<void> = Promise.resolve();

  constructor(task: PeriodicTask, deps: Deps) {
    this.#name = task.name;
    this.#everyMs = task.everyMs;
    this.#restMs = task.restMs ?? 0;
    this.#work = task.work;
    this.#deps = deps;
  }

  start(): void {
    this.#running = this.#loop();
  }

  /** Runs again now instead of at the end of the pause; during a run or the rest, once more right after it. */
  wake(): void {
    this.#wake?.abort();
  }

  /** Aborts the signal of the current run and resolves once it has ended. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.wake();
    await this.#running;
  }

  async #loop(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      this.#wake = new AbortController();
      try {
        await this.#work(this.#stop.signal);
      } catch (error) {
        if (this.#stop.signal.aborted) return;
        this.#deps.log.warn(`${this.#name} failed; it is tried again`, { error: String(error) });
      }
      if (this.#restMs > 0) await this.#deps.clock.sleep(this.#restMs, this.#stop.signal);
      if (!this.#stop.signal.aborted) await this.#deps.clock.sleep(this.#everyMs, this.#wake.signal);
    }
  }
}
