import { expect, it } from 'vitest';
import { forecastOrder } from '../../../src/domain/automation/order-forecast.ts';
import type { OrderedMember } from '../../../src/domain/automation/order-step.ts';
import { HOUR, type Instant, MINUTE } from '../../../src/domain/base/instant.ts';

const NOW = 100 * HOUR;
const ORDER = {
  policyId: 1,
  policy: 'careful',
  rings: [{ tag: 'canary', bakeMs: 12 * HOUR }],
  order: [],
  groups: [{ tag: 'db', atOnce: 1 }],
};

const waiting = (
  serverId: number,
  {
    ring = 1,
    notBefore = null,
    groups = [],
  }: { ring?: number; notBefore?: Instant | null; groups?: string[] },
): OrderedMember => ({
  serverId,
  serverName: `server-${serverId}`,
  status: 'waiting',
  place: { policyId: 1, ring, step: 0, groups },
  notBefore,
  jobStartedAt: null,
  jobEndedAt: null,
});

const forecast = (members: readonly OrderedMember[], openingOf: () => 'open' = () => 'open') =>
  forecastOrder({ orders: [ORDER], members, troubles: [], now: NOW, openingOf });

it('starts a ring after the last delay of the one before, and its bake time', () => {
  const found = forecast([
    waiting(1, { ring: 0, notBefore: NOW + HOUR }),
    waiting(2, { ring: 0, notBefore: NOW + MINUTE }),
    waiting(3, {}),
  ]);
  expect(Object.fromEntries(found)).toEqual({
    2: { at: NOW + MINUTE, turn: 1 },
    1: { at: NOW + HOUR, turn: 2 },
    3: { at: NOW + 13 * HOUR, turn: 3 },
  });
});

it('counts servers that wait for others of their group after those that need not', () => {
  const found = forecast([
    waiting(1, { ring: 0, groups: ['db'] }),
    waiting(2, { ring: 0, groups: ['db'] }),
    waiting(3, { ring: 0 }),
    waiting(4, { ring: 0, groups: ['db'] }),
  ]);
  expect([...found].map(([serverId]) => serverId)).toEqual([1, 3, 2, 4]);
});

it('looks at each of thousands of servers a few times only', () => {
  let looks = 0;
  const all = Array.from({ length: 10_000 }, (_, index) =>
    waiting(index + 1, { ring: index % 2, notBefore: NOW + ((index * 7_919) % HOUR), groups: ['db'] }),
  );
  const found = forecast(all, () => {
    looks += 1;
    return 'open';
  });
  expect(found.size).toBe(all.length);
  expect(looks).toBeLessThanOrEqual(2 * all.length);
});
