import { expect, it } from 'vitest';
import { readRestartRule } from '../../../src/domain/automation/policy-text.ts';
import {
  checkedService,
  needsRestart,
  restarted,
  restartProblems,
  type WatchedService,
} from '../../../src/domain/automation/unhealthy-service.ts';
import { DAY, MINUTE } from '../../../src/domain/base/instant.ts';
import type { ContainerHealth } from '../../../src/domain/compose/compose.ts';

const rule = { checks: 3, perDay: 2 };
const fresh: WatchedService = {
  serverId: 1,
  directory: '/srv/shop',
  service: 'web',
  checks: 0,
  restarts: [],
  gaveUpAt: null,
};

/** Letters of checks, a minute apart: unhealthy, starting, healthy. Returns the minutes of restarts and of giving up. */
function follow(letters: string, from = 0) {
  const health: Record<string, ContainerHealth | null> = {
    u: 'unhealthy',
    s: 'starting',
    h: 'healthy',
    n: null,
  };
  const restarts: number[] = [];
  const gaveUp: (number | null)[] = [];
  let service: WatchedService | null = null;
  for (const [index, letter] of letters.split('').entries()) {
    const at = from + index * MINUTE;
    service = checkedService(service ?? fresh, health[letter] ?? null, { rule, at });
    if (service && needsRestart(service, rule)) {
      restarts.push(index);
      service = restarted(service, at);
    }
    gaveUp.push(service?.gaveUpAt ?? null);
  }
  return { restarts, gaveUp, service };
}

it('restarts after checks in a row, and gives up at the limit until the service is healthy', () => {
  expect(follow('uu').restarts).toEqual([]);
  expect(follow('uuhuuh').restarts).toEqual([]);
  expect(follow('uuu').restarts).toEqual([2]);
  // A start in between is no answer.
  expect(follow('uusu').restarts).toEqual([3]);
  const { restarts, gaveUp } = follow('uuusuuusuuuuuuh');
  expect(restarts).toEqual([2, 6]);
  expect(gaveUp.slice(0, 10).every((at) => at === null)).toBe(true);
  expect(gaveUp.slice(10, 14)).toEqual(Array(4).fill(10 * MINUTE));
  expect(gaveUp[14]).toBeNull();
});

it('restarts again when the oldest restart is a day ago, and keeps the alert until the service is healthy', () => {
  const given = follow('uuuuuuuuu').service as WatchedService;
  expect(given.gaveUpAt).not.toBeNull();
  const later = checkedService(given, 'unhealthy', { rule, at: 2 * MINUTE + DAY }) as WatchedService;
  expect(needsRestart(later, rule)).toBe(true);
  expect(later.gaveUpAt).toBe(given.gaveUpAt);
  const well = checkedService(restarted(later, DAY), 'healthy', { rule, at: 1.5 * DAY });
  expect(well).toMatchObject({ checks: 0, gaveUpAt: null, restarts: [DAY] });
  expect(checkedService(well as WatchedService, null, { rule, at: 3 * DAY })).toBeNull();
});

it('remembers nothing of a service that is well', () => {
  expect(follow('hhn').service).toBeNull();
  expect(follow('uh').service).toBeNull();
});

it('refuses rules without bounds, and names what is wrong', () => {
  const paths = (text: string) =>
    restartProblems(readRestartRule(text) as NonNullable<ReturnType<typeof readRestartRule>>).map(
      ({ path }) => path,
    );
  expect(paths('3/5')).toEqual([]);
  expect(paths('60/24')).toEqual([]);
  expect(paths('0/5')).toEqual(['/restart_checks']);
  expect(paths('61/25')).toEqual(['/restart_checks', '/restarts_per_day']);
  for (const wrong of ['3', '3/', 'a/b', '3/5/7', '1.5/2', '', '-1/2'])
    expect(paths(wrong)).toEqual(['/restart_checks', '/restarts_per_day']);
  expect(readRestartRule('3/5=shop, blog')).toEqual({ checks: 3, perDay: 5, projects: ['shop', 'blog'] });
  for (const wrong of ['3/5=', '3/5=Shop', '3/5=a/b', `3/5=${'a,'.repeat(50)}b`])
    expect(paths(wrong)).toEqual(['/restart_projects']);
  expect(readRestartRule('never')).toBeNull();
});
