import { monitorEventLoopDelay } from 'node:perf_hooks';

export const PERCENTILES = [50, 90, 99, 100] as const;

/** How fine it is watched, in milliseconds: every step wakes the process up. */
const STEP_MS = 20;

/** How long the event loop kept its callers waiting. */
export class EventLoopLag {
  readonly #histogram = monitorEventLoopDelay({ resolution: STEP_MS });

  constructor() {
    this.#histogram.enable();
  }

  /** The waits since the last reading, in seconds, by percentile. */
  read(): (percentile: number) => number {
    // What is measured is the time between two steps, of which one step is no wait.
    const seconds = new Map(
      PERCENTILES.map((percentile) => [
        percentile as number,
        Math.max(0, this.#histogram.percentile(percentile) / 1e9 - STEP_MS / 1e3),
      ]),
    );
    this.#histogram.reset();
    return (percentile) => seconds.get(percentile) ?? 0;
  }
}
