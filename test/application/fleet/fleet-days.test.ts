import { expect, test } from 'vitest';
import { GetFleetDays, MAX_FLEET_DAYS } from '../../../src/application/fleet/fleet-days.ts';
import { Actor } from '../../../src/domain/access/actor.ts';
import { DAY, HOUR } from '../../../src/domain/base/instant.ts';
import { FakeClock } from '../../fakes/fake-clock.ts';

const VIEWER = Actor.operator('ann');
const TODAY = 20_000 * DAY;

test('Past days are read once a day, and those without samples are unknown', async () => {
  const clock = new FakeClock(TODAY + HOUR);
  const read: number[] = [];
  let fails = true;
  const days = new GetFleetDays({
    clock,
    inventories: {
      fleetDays: async (from, until) => {
        read.push((until - TODAY) / DAY);
        if (fails) throw new Error('the database is away');
        expect((until - from) / DAY).toBe(MAX_FLEET_DAYS);
        return [{ day: until - DAY, servers: 3, withSecurityUpdates: 1 }];
      },
    },
  });
  await expect(days.execute(VIEWER)).rejects.toThrow();
  fails = false;
  for (const _ of [1, 2]) {
    const found = await days.execute(VIEWER);
    expect(found).toHaveLength(MAX_FLEET_DAYS);
    expect(found.at(-1)).toMatchObject({ servers: 3, withSecurityUpdates: 1 });
    expect(found.slice(0, -1).every((each) => each === null)).toBe(true);
  }
  expect(read).toEqual([0, 0]);
  await clock.advance(DAY);
  await days.execute(VIEWER);
  expect(read).toEqual([0, 0, 1]);
});
