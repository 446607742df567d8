import { describe, expect, test } from 'vitest';
import { LeasedLoop } from '../../../../src/adapters/inbound/worker/leased-loop.ts';
import { MINUTE, SECOND } from '../../../../src/domain/base/instant.ts';
import { FakeClock } from '../../../fakes/fake-clock.ts';
import { RecordingLogger } from '../../../fakes/recording-logger.ts';
import { sceneDatabase } from '../../../support/scene-database.ts';

function scene({ restMs = 0 } = {}) {
  const clock = new FakeClock();
  const { leases } = sceneDatabase(clock);
  const runs: string[] = [];
  let idle = false;
  const loopOf = (owner: string): LeasedLoop =>
    new LeasedLoop(
      {
        name: 'working',
        lease: 'work',
        everyMs: SECOND,
        restMs,
        work: async () => void runs.push(owner),
        isIdle: async () => idle,
      },
      { leases, owner, clock, log: new RecordingLogger() },
    );
  return {
    clock,
    leases,
    runs,
    loopOf,
    rest: (resting: boolean) => {
      idle = resting;
    },
  };
}

describe('a loop under a lease', () => {
  test('runs in one process at a time, and in the next as soon as that stops', async () => {
    const { clock, runs, loopOf } = scene();
    const [a, b] = [loopOf('a'), loopOf('b')];
    a.start();
    b.start();
    await clock.advance(3 * SECOND);
    expect(new Set(runs)).toEqual(new Set(['a']));
    await a.stop();
    runs.length = 0;
    await clock.advance(2 * SECOND);
    expect(new Set(runs)).toEqual(new Set(['b']));
    await b.stop();
  });

  test('sees to many wakes in one run, once it has rested', async () => {
    const { clock, runs, loopOf } = scene({ restMs: 50 });
    const loop = loopOf('a');
    loop.start();
    await clock.advance(0);
    for (let wake = 0; wake < 5; wake += 1) loop.wake();
    await clock.advance(49);
    expect(runs).toHaveLength(1);
    await clock.advance(1);
    expect(runs).toHaveLength(2);
    await clock.advance(100);
    expect(runs).toHaveLength(2);
    loop.wake();
    await clock.advance(0);
    expect(runs).toHaveLength(3);
    await loop.stop();
  });

  test('goes on elsewhere when its process dies', async () => {
    const { clock, runs, leases, loopOf } = scene();
    await leases.hold('work', 'dead', 30 * SECOND);
    const loop = loopOf('b');
    loop.start();
    await clock.advance(29 * SECOND);
    expect(runs).toEqual([]);
    await clock.advance(2 * SECOND);
    expect(runs).toContain('b');
    await loop.stop();
  });

  test('takes no lease while there is nothing to do', async () => {
    const { clock, runs, leases, loopOf, rest } = scene();
    rest(true);
    const loop = loopOf('a');
    loop.start();
    await clock.advance(MINUTE);
    expect(runs).toEqual([]);
    expect(await leases.hold('work', 'another', 1)).toBe(true);
    await clock.advance(SECOND);
    rest(false);
    await clock.advance(2 * SECOND);
    expect(runs).toContain('a');
    await loop.stop();
  });
});
