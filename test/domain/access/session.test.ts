import { expect, test } from 'vitest';
import { isAlive, isConfirmed, type Session } from '../../../src/domain/access/session.ts';
import { DAY, HOUR, MINUTE } from '../../../src/domain/base/instant.ts';

const AT = Date.UTC(2026, 0, 15, 12);
const session = (over: Partial<Session>): Session => ({
  id: 1,
  userId: 1,
  stage: 'full',
  provider: null,
  hasTwoFactors: false,
  createdAt: AT,
  seenAt: AT,
  confirmedAt: AT,
  address: '192.0.2.1',
  agent: 'Firefox',
  deviceId: null,
  ...over,
});

test('A password confirmed under a clock that was ahead counts no longer once the clock is right', () => {
  expect(isConfirmed(session({}), AT + 9 * MINUTE)).toBe(true);
  expect(isConfirmed(session({ confirmedAt: AT + MINUTE }), AT)).toBe(true);
  expect(isConfirmed(session({ confirmedAt: AT + HOUR }), AT)).toBe(false);
  expect(isConfirmed(session({ confirmedAt: AT + 395 * DAY }), AT)).toBe(false);
});

test('A session from the future is over', () => {
  expect(isAlive(session({}), AT + HOUR)).toBe(true);
  expect(isAlive(session({ seenAt: AT + 395 * DAY }), AT)).toBe(false);
  expect(isAlive(session({ stage: 'code', createdAt: AT + DAY }), AT)).toBe(false);
});
