import { beforeEach, describe, expect, it } from 'vitest';
import { type Scrape, ScrapeGauges } from '../../../src/application/service/scrape-gauges.ts';
import { DAY, HOUR, SECOND } from '../../../src/domain/base/instant.ts';
import type { GaugeMoments, Gauges, ServerGauges } from '../../../src/domain/fleet/gauges.ts';
import { FakeClock } from '../../fakes/fake-clock.ts';
import { RecordingLogger } from '../../fakes/recording-logger.ts';

/** A source whose readings end on request. */
class SlowSource {
  readonly asked: GaugeMoments[] = [];
  readonly #waiting: { give: (gauges: Gauges) => void; fail: (error: Error) => void }[] = [];
  servers: readonly ServerGauges[] | null = [];

  read(moments: GaugeMoments): Promise<Gauges> {
    this.asked.push(moments);
    return new Promise((give, fail) => {
      this.#waiting.push({ give, fail });
    });
  }

  async readServers(): Promise<readonly ServerGauges[] | null> {
    return this.servers;
  }

  /** Ends the oldest reading; how often it was read is all that its numbers say. */
  answer(): void {
    this.#waiting.shift()?.give({ reading: this.asked.length } as never);
  }

  fail(): void {
    this.#waiting.shift()?.fail(new Error('no connection'));
  }
}

let clock: FakeClock;
let log: RecordingLogger;
let source: SlowSource;
beforeEach(() => {
  clock = new FakeClock();
  log = new RecordingLogger();
  source = new SlowSource();
});

const scraper = (perServer = false): ScrapeGauges =>
  new ScrapeGauges({ gauges: source, clock, log, backupStaleHours: 30, metricsPerServer: perServer });
const numbers = (scrape: Scrape): unknown => scrape.reading?.gauges;

describe('a scrape', () => {
  it('asks for what holds now', async () => {
    const scrape = scraper().execute();
    source.answer();
    await scrape;
    const now = clock.now();
    expect(source.asked).toEqual([
      {
        now,
        backupStaleBefore: now - 30 * HOUR,
        unverifiedBefore: now - 31 * DAY,
        failedSince: now - DAY,
        expiringUntil: now + 7 * DAY,
      },
    ]);
  });

  it('shares its reading with those that come meanwhile, and leaves nothing for later ones', async () => {
    const scrapes = scraper();
    const together = [scrapes.execute(), scrapes.execute()];
    await clock.advance(2 * SECOND);
    together.push(scrapes.execute());
    source.answer();
    expect((await Promise.all(together)).map(numbers)).toEqual([
      { reading: 1 },
      { reading: 1 },
      { reading: 1 },
    ]);
    expect((await Promise.all(together)).map(({ ms }) => ms)).toEqual([2_000, 2_000, 0]);
    const later = scrapes.execute();
    source.answer();
    expect(numbers(await later)).toEqual({ reading: 2 });
  });

  it('ends without numbers within three seconds where the database is slow', async () => {
    const scrape = scraper().execute();
    await clock.advance(3 * SECOND);
    expect(await scrape).toEqual({ reading: null, ms: 2_500 });
    expect(clock.sleepers).toBe(0);
  });

  it('puts no second reading on a database that hangs, and takes no numbers that are old', async () => {
    const scrapes = scraper();
    const first = scrapes.execute();
    await clock.advance(10 * SECOND);
    const second = scrapes.execute();
    await clock.advance(1 * SECOND);
    expect(source.asked).toHaveLength(1);
    source.answer();
    await clock.advance(0);
    expect(source.asked).toHaveLength(2);
    source.answer();
    expect([(await first).reading, numbers(await second)]).toEqual([null, { reading: 2 }]);
  });

  it('starts nothing for a scrape that gave up waiting', async () => {
    const scrapes = scraper();
    const first = scrapes.execute();
    await clock.advance(10 * SECOND);
    const second = scrapes.execute();
    await clock.advance(10 * SECOND);
    source.answer();
    await clock.advance(0);
    expect([(await first).reading, (await second).reading]).toEqual([null, null]);
    expect(source.asked).toHaveLength(1);
  });

  it('ends without numbers where the database fails, tells the operator once, and tries again', async () => {
    const scrapes = scraper();
    const together = [scrapes.execute(), scrapes.execute()];
    source.fail();
    expect((await Promise.all(together)).map(({ reading }) => reading)).toEqual([null, null]);
    expect(log.messages('warn')).toHaveLength(1);
    const later = scrapes.execute();
    source.answer();
    expect(numbers(await later)).toEqual({ reading: 2 });
  });

  it('reads single servers where that is asked for', async () => {
    const scrape = scraper(true).execute();
    source.answer();
    expect((await scrape).reading?.servers).toEqual([]);
    const without = scraper().execute();
    source.answer();
    expect((await without).reading?.servers).toBeNull();
  });
});
