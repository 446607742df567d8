import { beforeEach, describe, expect, test } from 'vitest';
import type { ClockRecord } from '../../../src/application/ports/service/clock-record.ts';
import { WatchClock } from '../../../src/application/service/watch-clock.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../../src/domain/base/instant.ts';
import { FakeClock } from '../../fakes/fake-clock.ts';
import { RecordingLogger } from '../../fakes/recording-logger.ts';
import { type Kept, sceneDatabase } from '../../support/scene-database.ts';

const LONG = 395 * DAY;

let clock: FakeClock;
let kept: Kept;
let record: ClockRecord;
/** When times were brought back. */
let broughtBack: number[];
let offset: number;
let watch: WatchClock;

function newRecord(): void {
  const scene = sceneDatabase(clock);
  kept = scene.kept;
  broughtBack = [];
  record = Object.assign(scene.clockRecord, {
    bringBack: async (now: number) => {
      broughtBack.push(now);
      return 0;
    },
  });
}

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
  newRecord();
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
    expect(broughtBack).toEqual([right]);
    clock.set(right + MINUTE);
    expect(await watch.holdsBack()).toBe(false);
    expect(await kinds()).toEqual([]);
    expect(broughtBack).toEqual([right, right + MINUTE]);
  });

  test('is trusted once a user acknowledges the alert', async () => {
    clock.set(clock.now() + LONG);
    await watch.execute();
    const [jump] = await record.open();
    kept.add('notifications', {
      kind: 'clock.jumped',
      subject_id: jump?.id ?? null,
      variant: '',
      state: 'acknowledged',
      severity: 'critical',
      muted: 0,
      title: 'The clock jumped',
      message: 'See to it.',
      began_at: clock.now(),
    });
    expect(await watch.holdsBack()).toBe(false);
    await lookFor(MINUTE);
    expect(await kinds()).toEqual([]);
    expect(await record.seenAt()).toBeGreaterThan(LONG);
  });

  test('at the first start of all is noticed when it is right again', async () => {
    const right = clock.now();
    clock.set(right + LONG);
    newRecord();
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
