import { expect, test } from 'vitest';
import type { PendingUpdate } from '../../../src/domain/fleet/inventory.ts';
import { listedUpdates } from '../../../src/domain/fleet/pending-updates.ts';

const update = (over: Partial<PendingUpdate> = {}): PendingUpdate => ({
  name: 'openssl',
  from: '1',
  to: '2',
  security: false,
  origin: null,
  held: false,
  ...over,
});

test('updates that an inventory lists are pending, whether a check has run or not', () => {
  const listed = [update(), update({ security: true }), update({ held: true, security: true })];
  for (const wasChecked of [false, true]) {
    expect(listedUpdates(listed, wasChecked)).toEqual({ osUpdatesCount: 2, securityUpdatesCount: 1 });
  }
});

test('lists that no check has refreshed do not prove that nothing is missing', () => {
  expect(listedUpdates([], false)).toEqual({ osUpdatesCount: null, securityUpdatesCount: null });
  expect(listedUpdates([update()], false)).toEqual({ osUpdatesCount: 1, securityUpdatesCount: null });
  expect(listedUpdates([update()], true)).toEqual({ osUpdatesCount: 1, securityUpdatesCount: 0 });
});

test('an inventory that could not read the lists leaves the counts alone', () => {
  expect(listedUpdates(null, true)).toEqual({});
});
