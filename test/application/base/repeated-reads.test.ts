import { beforeEach, expect, it } from 'vitest';
import { RepeatedReads } from '../../../src/application/base/repeated-reads.ts';
import type { DataVersion } from '../../../src/application/ports/base/data-version.ts';
import { Actor } from '../../../src/domain/access/actor.ts';
import { SECOND } from '../../../src/domain/base/instant.ts';
import { FakeClock } from '../../fakes/fake-clock.ts';

let clock: FakeClock;
let version: ReturnType<DataVersion['version']>;
let reads: RepeatedReads;
let calls: number;
const actor = Actor.operator('op');

beforeEach(() => {
  clock = new FakeClock(1_000 * SECOND);
  version = 1;
  calls = 0;
  reads = new RepeatedReads({ dataVersion: { version: () => version }, clock });
});

const get = (key = 'key', by = actor, answer = 'answer'): Promise<string> =>
  reads.get(by, { key, seconds: 10, charactersOf: ({ length }) => length }, async () => {
    calls += 1;
    return answer;
  });

it('reads once for each key and caller', async () => {
  for (const key of ['a', 'a', 'b', 'a']) await get(key);
  expect(calls).toBe(2);
  await get('a', Actor.operator('op'));
  expect(calls).toBe(3);
});

it('reads again after a commit, and when the seconds of the clock are over', async () => {
  await clock.advance(10 * SECOND - 1);
  await get();
  await get();
  expect(calls).toBe(1);
  version = Promise.resolve(2);
  await get();
  expect(calls).toBe(2);
  await clock.advance(1);
  await get();
  expect(calls).toBe(3);
  clock.set(clock.now() - 60 * SECOND);
  await get();
  expect(calls).toBe(4);
});

it('reads each time from a database without versions, or one that fails', async () => {
  version = null;
  await get();
  await get();
  expect(calls).toBe(2);
  reads = new RepeatedReads({
    dataVersion: {
      version: () => {
        throw new Error('closed');
      },
    },
    clock,
  });
  await get();
  await get();
  expect(calls).toBe(4);
});

it('keeps nothing that was read across a commit', async () => {
  let finish = (_value: string): void => {};
  const slow = reads.get(
    actor,
    { key: 'slow', seconds: 10, charactersOf: () => 1 },
    () => new Promise<string>((resolve) => (finish = resolve)),
  );
  await Promise.resolve();
  version = 2;
  await get();
  finish('old');
  expect(await slow).toBe('old');
  expect(await get('slow')).toBe('answer');
});

it('keeps no more than a bounded number of characters, and what has none not at all', async () => {
  await get('small');
  await get('large', actor, 'x'.repeat(5 * 1024 * 1024));
  await get('small');
  expect(calls).toBe(3);
  for (let times = 0; times < 2; times += 1)
    await reads.get(actor, { key: 'refused', seconds: 10, charactersOf: () => null }, async () =>
      String((calls += 1)),
    );
  expect(calls).toBe(5);
});
