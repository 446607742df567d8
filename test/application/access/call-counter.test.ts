import { expect, it } from 'vitest';
import { CallCounter } from '../../../src/application/access/call-counter.ts';
import { callsAt, mergeCalls, NO_CALLS } from '../../../src/domain/access/token-calls.ts';
import { HOUR } from '../../../src/domain/base/instant.ts';

const START = Date.UTC(2026, 10, 20, 5, 59);

it('counts the calls of each token by the hour, as if each was merged', () => {
  const counter = new CallCounter();
  let expected = NO_CALLS;
  for (let n = 0; n < 200; n += 1) {
    const at = START + n * 60_000;
    counter.count(1, at);
    if (n % 3 === 0) counter.count(2, at);
    expected = mergeCalls(expected, callsAt(at), at);
  }
  expect(counter.of(1)).toEqual(expected);
  expect(expected.hours.length).toBeGreaterThan(3);
  expect(counter.of(2).total).toBe(67);
});

it('starts again once the calls were taken, and takes those back that were not written', () => {
  const counter = new CallCounter();
  for (let n = 0; n < 5; n += 1) counter.count(1, START);
  const taken = counter.take(1);
  expect(taken.total).toBe(5);
  expect(counter.of(1)).toEqual(NO_CALLS);
  counter.count(1, START + HOUR);
  counter.add(1, START + HOUR, taken);
  counter.count(1, START + HOUR);
  expect(counter.of(1)).toEqual({
    total: 7,
    hours: [
      [Math.floor(START / HOUR), 5],
      [Math.floor(START / HOUR) + 1, 2],
    ],
  });
});

it('counts a bounded number of tokens', () => {
  const counter = new CallCounter();
  for (let id = 0; id <= 10_000; id += 1) counter.count(id, START);
  expect(counter.of(10_000)).toEqual(NO_CALLS);
  counter.count(0, START);
  expect(counter.of(0).total).toBe(2);
});
