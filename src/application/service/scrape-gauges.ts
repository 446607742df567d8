import { DAY, type Instant } from '../../domain/base/instant.ts';
import { fleetLimits } from '../../domain/fleet/fleet-conditions.ts';
import type { Gauges, ServerGauges } from '../../domain/fleet/gauges.ts';
import { UseCase } from '../base/use-case.ts';

/** How long a scrape waits for the database: monitoring has to learn that it is slow before it times out. */
const PATIENCE_MS = 2_500;
/** Above this many servers there are no metrics per server: it would take longer than a scrape may. */
const MAX_SERVERS = 10_000;

interface Reading {
  readonly gauges: Gauges;
  /** `null`: not asked for, or too many. */
  readonly servers: readonly ServerGauges[] | null;
}

export interface Scrape {
  /** `null`: the database did not answer, or not in time. */
  readonly reading: Reading | null;
  /** How long it took. */
  readonly ms: number;
}

/**
 * Reads the gauges for a scrape. Concurrent scrapes share one reading, so that frequent scrapes add no load; a second
 * reading never joins one that hangs.
 */
export class ScrapeGauges extends UseCase<
  'gauges' | 'clock' | 'log' | 'backupStaleHours' | 'metricsPerServer'
> {
  #current: { readonly began: Instant; readonly reading: Promise<Reading> } | null = null;

  /** Answers within three seconds, whatever the database does. Never throws. */
  async execute(): Promise<Scrape> {
    const began = this.deps.clock.now();
    const waiting = new AbortController();
    const tooLate = this.deps.clock.sleep(PATIENCE_MS, waiting.signal).then(() => null);
    try {
      const reading = await Promise.race([this.#join(waiting.signal).catch(() => null), tooLate]);
      return { reading, ms: this.deps.clock.now() - began };
    } finally {
      waiting.abort();
    }
  }

  /** A reading that started too long ago would return old figures: wait for its end, and start another. */
  async #join(waiting: AbortSignal): Promise<Reading> {
    for (let current = this.#current; current; current = this.#current) {
      if (this.deps.clock.now() - current.began < PATIENCE_MS) return current.reading;
      await current.reading.catch(() => {});
      waiting.throwIfAborted();
    }
    return this.#begin();
  }

  #begin(): Promise<Reading> {
    const reading = this.#read()
      .catch((error: unknown) => {
        this.deps.log.warn('the gauges could not be read', { error: String(error) });
        throw error;
      })
      .finally(() => {
        this.#current = null;
      });
    this.#current = { began: this.deps.clock.now(), reading };
    return reading;
  }

  async #read(): Promise<Reading> {
    const now = this.deps.clock.now();
    const gauges = await this.deps.gauges.read({
      ...fleetLimits(now, this.deps.backupStaleHours),
      now,
      failedSince: now - DAY,
      expiringUntil: now + 7 * DAY,
    });
    return {
      gauges,
      servers: this.deps.metricsPerServer ? await this.deps.gauges.readServers(MAX_SERVERS) : null,
    };
  }
}
