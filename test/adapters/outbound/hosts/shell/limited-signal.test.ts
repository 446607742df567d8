import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { limitedSignal } from '../../../../../src/adapters/outbound/hosts/shell/when-aborted.ts';

const late = new Error('late');

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('is aborted with the signal that it follows, for the same reason', () => {
  const followed = new AbortController();
  const { signal } = limitedSignal(followed.signal, 1_000, () => late);
  followed.abort('given up');
  vi.advanceTimersByTime(1_000);
  expect(signal.reason).toBe('given up');
});

it('is aborted at once where the other is already', () => {
  expect(limitedSignal(AbortSignal.abort('before'), 1_000, () => late).signal.reason).toBe('before');
});

it.each([new AbortController().signal, undefined])('is aborted when the time is over', (followed) => {
  const { signal } = limitedSignal(followed, 1_000, () => late);
  vi.advanceTimersByTime(999);
  expect(signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(signal.reason).toBe(late);
});

it('leaves nothing behind once it is released', () => {
  const followed = new AbortController();
  const { signal, release: letGo } = limitedSignal(followed.signal, 1_000, () => late);
  letGo();
  expect(getEventListeners(followed.signal, 'abort')).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
  followed.abort();
  expect(signal.aborted).toBe(false);
});

it('replaces the previous limit', () => {
  const { signal, within } = limitedSignal(undefined, 1_000, () => new Error('the first'));
  vi.advanceTimersByTime(900);
  within(500, (ms) => ms);
  vi.advanceTimersByTime(499);
  expect(signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(signal.reason).toBe(500);
});
