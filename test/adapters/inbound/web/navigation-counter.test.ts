import { expect, it } from 'vitest';
import { NavigationCounter } from '../../../../src/adapters/inbound/web/navigation-counter.ts';
import type { NavigationCounts } from '../../../../src/application/fleet/count-for-navigation.ts';
import { Actor } from '../../../../src/domain/access/actor.ts';
import { SECOND } from '../../../../src/domain/base/instant.ts';
import { FakeClock } from '../../../fakes/fake-clock.ts';

const OPERATOR = Actor.operator('cli:me');
const countsOf = (jobs: number): NavigationCounts => ({ servers: 1, approvals: 0, alerts: 0, jobs });

it('keeps numbers for a few seconds, but none that were counted before a change', async () => {
  const clock = new FakeClock();
  const asked: ((counts: NavigationCounts) => void)[] = [];
  const countForNavigation = { execute: () => new Promise<NavigationCounts>((done) => asked.push(done)) };
  const counter = new NavigationCounter({ countForNavigation, clock });
  const slow = counter.of(OPERATOR);
  counter.forget();
  asked[0]?.(countsOf(1));
  expect((await slow)?.jobs).toBe(1);
  const next = counter.of(OPERATOR);
  asked[1]?.(countsOf(2));
  expect((await next)?.jobs).toBe(2);
  expect((await counter.of(OPERATOR))?.jobs).toBe(2);
  await clock.advance(5 * SECOND);
  const last = counter.of(OPERATOR);
  asked[2]?.(countsOf(3));
  expect((await last)?.jobs).toBe(3);
});
