import { getEventListeners } from 'node:events';
import { expect, it, vi } from 'vitest';
import { whenAborted } from '../../../../../src/adapters/outbound/hosts/shell/when-aborted.ts';

it('calls back once, when the signal is aborted', () => {
  const abort = new AbortController();
  const callback = vi.fn<() => void>();
  whenAborted(abort.signal, callback);
  expect(callback).not.toHaveBeenCalled();
  abort.abort();
  abort.abort();
  expect(callback).toHaveBeenCalledTimes(1);
});

it('calls back at once where the signal is aborted already', () => {
  const callback = vi.fn<() => void>();
  whenAborted(AbortSignal.abort(), callback);
  expect(callback).toHaveBeenCalledTimes(1);
});

it('does not call back once that is taken back, and others still', () => {
  const abort = new AbortController();
  const callback = vi.fn<() => void>();
  const forget = whenAborted(abort.signal, callback);
  whenAborted(abort.signal, callback);
  forget();
  forget();
  abort.abort();
  expect(callback).toHaveBeenCalledTimes(1);
});

it('never puts more than one listener on a signal', () => {
  const abort = new AbortController();
  for (let index = 0; index < 100; index++) whenAborted(abort.signal, () => undefined);
  expect(getEventListeners(abort.signal, 'abort')).toHaveLength(1);
});

it('leaves no listener on a signal without waiters, and adds one again', () => {
  const abort = new AbortController();
  const callback = vi.fn<() => void>();
  const forget = [1, 2].map(() => whenAborted(abort.signal, callback));
  forget[0]?.();
  expect(getEventListeners(abort.signal, 'abort')).toHaveLength(1);
  forget[1]?.();
  expect(getEventListeners(abort.signal, 'abort')).toEqual([]);
  whenAborted(abort.signal, callback);
  forget[0]?.();
  abort.abort();
  expect(callback).toHaveBeenCalledTimes(1);
});

it('does nothing without a signal', () => {
  expect(() => whenAborted(undefined, () => expect.unreachable())()).not.toThrow();
});
