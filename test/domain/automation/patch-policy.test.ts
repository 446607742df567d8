import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  DEFAULT_RULES,
  describePolicy,
  heldBack,
  heldFromSchedules,
  matches,
  type PatchPolicy,
  policyOf,
} from '../../../src/domain/automation/patch-policy.ts';
import { InvalidInput } from '../../../src/domain/base/errors.ts';
import { HOUR } from '../../../src/domain/base/instant.ts';
import type { HostSelector } from '../../../src/domain/fleet/host-selector.ts';

const AT = Date.parse('2026-11-23T12:00:00Z');
const SCHEDULED = { scheduled: true, at: AT };
const BY_HAND = { scheduled: false, at: AT };

const policy = (over: Partial<PatchPolicy> = {}): PatchPolicy => ({
  id: 1,
  name: 'slow',
  selector: { by: 'all' },
  ...DEFAULT_RULES,
  createdBy: 'cli:me',
  createdAt: AT,
  ...over,
});
const candidate = (hours: number | null, over: object = {}) => ({
  kind: 'package' as const,
  name: 'nginx',
  security: false,
  since: hours === null ? null : AT - hours * HOUR,
  ...over,
});

describe('the policy of a server', () => {
  const server = { id: 7, tags: ['db', 'web'] };
  const named = (name: string, selector: HostSelector) => ({ name, selector });
  const ALL = named('a', { by: 'all' });
  const TAG = named('b', { by: 'tags', tags: ['web'] });
  const OTHER_TAG = named('c', { by: 'tags', tags: ['db', 'x'] });
  const OWN = named('d', { by: 'ids', ids: [7, 8] });
  const FOREIGN = named('e', { by: 'ids', ids: [8] });

  it.each([
    ['none', [], null],
    ['none that is for others', [FOREIGN, named('f', { by: 'tags', tags: ['x'] })], null],
    ['the one for all', [ALL, FOREIGN], 'a'],
    ['a tag before all', [ALL, TAG], 'b'],
    ['of two tags the first by name', [OTHER_TAG, TAG], 'b'],
    ['the named server before its tags', [ALL, TAG, OTHER_TAG, OWN], 'd'],
  ])('is %s', (_what, policies, name) => {
    expect(policyOf(policies, server)?.name ?? null).toBe(name);
  });

  it('does not depend on the order of the policies, and is never for others', () => {
    const selectors = fc.oneof(
      fc.constant<HostSelector>({ by: 'all' }),
      fc
        .array(fc.integer({ min: 1, max: 4 }), { minLength: 1 })
        .map((ids): HostSelector => ({ by: 'ids', ids })),
      fc
        .array(fc.constantFrom('a', 'b', 'c'), { minLength: 1 })
        .map((tags): HostSelector => ({ by: 'tags', tags })),
    );
    const policies = fc
      .array(selectors, { maxLength: 6 })
      .map((all) => all.map((selector, index) => named(`p${index}`, selector)));
    const servers = fc.record({
      id: fc.integer({ min: 1, max: 4 }),
      tags: fc.uniqueArray(fc.constantFrom('a', 'b', 'c')),
    });
    fc.assert(
      fc.property(policies, servers, (all, of) => {
        const found = policyOf(all, of);
        expect(policyOf(all.toReversed(), of)).toBe(found);
        const { selector } = found ?? { selector: null };
        if (selector?.by === 'ids') expect(selector.ids).toContain(of.id);
        const names = (by: HostSelector['by']) => all.filter((each) => each.selector.by === by);
        if (selector?.by === 'all')
          expect(
            names('ids').every((each) => each.selector.by === 'ids' && !each.selector.ids.includes(of.id)),
          );
        if (found === null) expect(names('all')).toEqual([]);
      }),
    );
  });
});

describe('a candidate', () => {
  it.each([
    [
      'an hour old, by schedule',
      policy(),
      candidate(1),
      SCHEDULED,
      'Held back until 2026-11-26 11:00 UTC: 1 hour old, and the policy slow requires 72 hours.',
    ],
    [
      '20 hours old',
      policy(),
      candidate(20),
      SCHEDULED,
      'Held back until 2026-11-25 16:00 UTC: 20 hours old, and the policy slow requires 72 hours.',
    ],
    ['just old enough', policy(), candidate(72), SCHEDULED, null],
    ['four days old', policy(), candidate(96), SCHEDULED, null],
    ['an hour old, by hand', policy(), candidate(1), BY_HAND, null],
    [
      'an hour old, by hand with an age for that',
      policy({ minAgeByHandMs: 2 * HOUR }),
      candidate(1),
      BY_HAND,
      'Held back until 2026-11-23 13:00 UTC: 1 hour old, and the policy slow requires 2 hours.',
    ],
    [
      'of unknown age',
      policy(),
      candidate(null),
      SCHEDULED,
      'Its age is unknown, and the policy slow requires 72 hours.',
    ],
    ['of unknown age without a minimum', policy({ minAgeMs: 0 }), candidate(null), SCHEDULED, null],
    ['a security fix', policy(), candidate(1, { security: true }), SCHEDULED, null],
    [
      'a security fix that is not exempt',
      policy({ securityAtOnce: false }),
      candidate(71, { security: true }),
      SCHEDULED,
      'Held back until 2026-11-23 13:00 UTC: 71 hours old, and the policy slow requires 72 hours.',
    ],
    [
      'no security fix',
      policy({ securityOnly: true }),
      candidate(96),
      BY_HAND,
      'The policy slow installs security fixes only.',
    ],
    [
      'an image, of which that is not known',
      policy({ securityOnly: true }),
      candidate(96, { kind: 'image' }),
      SCHEDULED,
      null,
    ],
  ])('%s', (_what, of, asked, terms, reason) => {
    expect(heldBack(of, asked, terms)?.reason ?? null).toBe(reason);
  });

  const excluding = (pattern: string, kind: 'package' | 'image', until: number | null = null) =>
    policy({ exclusions: [{ kind, pattern, reason: 'Tested by hand', until }] });
  const image = (name: string) => candidate(96, { kind: 'image', name });

  it.each([
    ['by name', excluding('nginx', 'package'), candidate(96), 'Excluded by the policy slow: Tested by hand'],
    [
      'by pattern, also a security fix',
      excluding('ng*x', 'package'),
      candidate(96, { security: true }),
      'Excluded by the policy slow: Tested by hand',
    ],
    [
      'until a date',
      excluding('nginx', 'package', AT + HOUR),
      candidate(96),
      'Excluded by the policy slow until 2026-11-23 13:00 UTC: Tested by hand',
    ],
    ['no longer', excluding('nginx', 'package', AT), candidate(96), null],
    ['not as an image', excluding('nginx', 'image'), candidate(96), null],
    [
      'an image with its tag',
      excluding('*/db:5*', 'image'),
      image('r.example:5000/db:5.1'),
      'Excluded by the policy slow: Tested by hand',
    ],
    [
      'an image without its tag',
      excluding('r.example:5000/db', 'image'),
      image('r.example:5000/db:5.1'),
      'Excluded by the policy slow: Tested by hand',
    ],
    ['another image', excluding('db', 'image'), image('db2:1'), null],
  ])('is excluded %s', (_what, of, asked, reason) => {
    expect(heldBack(of, asked, BY_HAND)?.reason ?? null).toBe(reason);
  });
});

it('matches as a regular expression with the same meaning does', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 8 });
  const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '.', '*', '?'), maxLength: 6 });
  fc.assert(
    fc.property(pattern, text, (wild, name) => {
      const same = wild.replaceAll('.', '\\.').replaceAll('*', '.*').replaceAll('?', '.');
      expect(matches(wild, name)).toBe(new RegExp(`^${same}$`).test(name));
    }),
  );
  expect(matches(`${'*a'.repeat(50)}b`, 'a'.repeat(10_000))).toBe(false);
});

it('keeps schedules from job types, and no other', () => {
  const own = policy({ scheduledTypes: ['os_patch'] });
  const held = (type: Parameters<typeof heldFromSchedules>[2]) =>
    heldFromSchedules(own, { name: 'web' }, type)?.code ?? null;
  expect(held('os_patch')).toBeNull();
  expect(held('backup')).toBeNull();
  expect(held('container_patch')).toBe('held_by_policy');
  expect(heldFromSchedules(null, { name: 'web' }, 'host_reboot')).toBeNull();
});

it('names every fault of a description', () => {
  const faults = (over: object): string[] => {
    try {
      describePolicy({ name: 'slow', selector: { all: true }, ...over }, { createdBy: 'me', at: AT });
      return [];
    } catch (error) {
      return (error as InvalidInput).problems.map(({ path }) => path);
    }
  };
  const exclusion = { kind: 'package', pattern: 'a', reason: 'b', until: null };
  expect(faults({})).toEqual([]);
  expect(faults({ name: 'a b', minAgeMs: Number.NaN, minAgeByHandMs: -1 })).toEqual([
    '/name',
    '/min_age_hours',
    '/min_age_by_hand_hours',
  ]);
  for (const wrong of [{ pattern: 'a b' }, { reason: ' ' }, { until: Number.NaN }, { pattern: '' }])
    expect(faults({ exclusions: [{ ...exclusion, ...wrong }] })).toEqual(['/exclusions']);
  expect(faults({ exclusions: Array.from({ length: 101 }, () => exclusion) })).toEqual(['/exclusions']);
});
