import { beforeEach, describe, expect, test } from 'vitest';
import { WatchClock } from '../../../src/application/service/watch-clock.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../../src/domain/base/instant.ts';
import { FakeClock } from '../../fakes/fake-clock.ts';
import { InMemoryClockRecord } from '../../fakes/in-memory-clock-record.ts';
import { InMemoryWorld } from '../../fakes/in-memory-world.ts';
import { RecordingLogger } from '../../fakes/recording-logger.ts';

const LONG = 395 * DAY;

let clock: FakeClock;
let world: InMemoryWorld;
let record: InMemoryClockRecord;
let offset: number;
let watch: WatchClock;

const start = (): WatchClock =>
  new WatchClock({
    clockRecord: record,
    databaseHealth: { clockOffsetMs: async () => offset },
    clock,
    log: new RecordingLogger(),
  });
const kinds = async () => (await record.open()).map(({ kind }) => kind);
/** A look every ten seconds, as a service does. */
async function lookFor(ms: number): Promise<void> {
  for (let past = 0; past < ms; past += 10 * SECOND) {
    await clock.advance(10 * SECOND);
    await watch.execute();
  }
}

beforeEach(async () => {
  clock = new FakeClock();
  world = new InMemoryWorld();
  record = new InMemoryClockRecord(world);
  offset = 0;
  watch = start();
  await watch.execute();
});

describe('A clock that goes on steadily', () => {
  test('is no jump, and neither is a stop of some days', async () => {
    await lookFor(5 * MINUTE);
    clock.set(clock.now() + 20 * DAY);
    watch = start();
    expect(await watch.holdsBack()).toBe(false);
    expect(await kinds()).toEqual([]);
    expect(await record.seenAt()).toBe(clock.now());
  });
});

describe('A clock that is 13 months ahead', () => {
  test.each(['while the service runs', 'when it starts'])('holds back what deletes, %s', async (when) => {
    clock.set(clock.now() + LONG);
    if (when === 'when it starts') watch = start();
    expect(await watch.holdsBack()).toBe(true);
    await lookFor(2 * HOUR);
    expect(await watch.holdsBack()).toBe(true);
    watch = start();
    expect(await watch.holdsBack()).toBe(true);
    expect(await kinds()).toEqual(['ahead']);
  });

  test('is over once it is right again, and what it has written is brought back', async () => {
    const right = clock.now();
    clock.set(right + LONG);
    await watch.execute();
    expect(record.broughtBack).toEqual([right]);
    clock.set(right + MINUTE);
    expect(await watch.holdsBack()).toBe(false);
    expect(await kinds()).toEqual([]);
    expect(record.broughtBack).toEqual([right, right + MINUTE]);
  });

  test('is trusted once a user acknowledges the alert', async () => {
    clock.set(clock.now() + LONG);
    await watch.execute();
    const [jump] = await record.open();
    const alert = { id: 1, kind: 'clock.jumped', subjectId: jump?.id, state: 'acknowledged' };
    world.notifications.set(1, alert as never);
    expect(await watch.holdsBack()).toBe(false);
    await lookFor(MINUTE);
    expect(await kinds()).toEqual([]);
    expect(await record.seenAt()).toBeGreaterThan(LONG);
  });

  test('at the first start of all is noticed when it is right again', async () => {
    const right = clock.now();
    clock.set(right + LONG);
    record = new InMemoryClockRecord(world);
    watch = start();
    expect(await watch.holdsBack()).toBe(false);
    clock.set(right);
    watch = start();
    expect(await watch.holdsBack()).toBe(false);
    expect(await kinds()).toEqual(['back']);
    expect(await record.seenAt()).toBe(right);
    await lookFor(MINUTE);
    expect(await kinds()).toEqual(['back']);
    clock.set(right + DAY);
    watch = start();
    await watch.execute();
    expect(await kinds()).toEqual([]);
  });
});

describe('A machine that was suspended for a night', () => {
  test('is believed after an hour', async () => {
    clock.set(clock.now() + 9 * HOUR);
    expect(await watch.holdsBack()).toBe(true);
    await lookFor(HOUR - MINUTE);
    expect(await watch.holdsBack()).toBe(true);
    await lookFor(2 * MINUTE);
    expect(await watch.holdsBack()).toBe(false);
    expect(await kinds()).toEqual([]);
  });
});

describe('A machine that does not agree with its database', () => {
  test('deletes nothing, and says nothing of the time of others', async () => {
    const seen = await record.seenAt();
    clock.set(clock.now() + LONG);
    offset = -LONG;
    expect(await watch.holdsBack()).toBe(true);
    expect(await kinds()).toEqual([]);
    expect(await record.seenAt()).toBe(seen);
  });
});
