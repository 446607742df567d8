import { expect, it } from 'vitest';
import { HostPool } from './host-pool.ts';

/** The state of a promise. */
async function now<T>(promise: Promise<T>): Promise<T | 'waiting'> {
  return Promise.race([promise, Promise.resolve('waiting' as const)]);
}

it('lends each host to one at a time', async () => {
  const pool = new HostPool(['a', 'b']);
  const one = pool.lease(1);
  const other = pool.lease(1);
  const third = pool.lease(1);
  expect([await one.hosts, await other.hosts]).toEqual([['a'], ['b']]);
  expect(await now(third.hosts)).toBe('waiting');
  other.release();
  expect(await third.hosts).toEqual(['b']);
});

it('gives all that is asked for at once, in the order of asking', async () => {
  const pool = new HostPool(['a', 'b', 'c']);
  const one = pool.lease(2);
  const all = pool.lease(3);
  const last = pool.lease(1);
  expect(await now(all.hosts)).toBe('waiting');
  expect(await now(last.hosts)).toBe('waiting');
  one.release();
  expect(await all.hosts).toHaveLength(3);
  all.release();
  expect(await last.hosts).toHaveLength(1);
});

it('drops those that gave up waiting, and accepts nothing twice', async () => {
  const pool = new HostPool(['a']);
  const one = pool.lease(1);
  const gone = pool.lease(1);
  gone.release();
  one.release();
  one.release();
  const next = pool.lease(1);
  const after = pool.lease(1);
  expect(await next.hosts).toEqual(['a']);
  expect(await now(after.hosts)).toBe('waiting');
});

it('refuses more than there are', () => {
  expect(() => new HostPool(['a']).lease(2)).toThrow('has 1 hosts, and 2 were asked for');
});
