import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { IdleConnections } from '../../../../../src/adapters/outbound/hosts/ssh/idle-connections.ts';

const IDLE_MS = 1_000;

let idle: IdleConnections<{ readonly name: string }>;
let ended: string[];
beforeEach(() => {
  vi.useFakeTimers();
  idle = new IdleConnections({ idleMs: IDLE_MS, most: 2 });
  ended = [];
});
afterEach(() => {
  vi.useRealTimers();
});

const [a, b, c] = ['a', 'b', 'c'].map((name) => ({ name })) as [
  { name: string },
  { name: string },
  { name: string },
];
const keep = (connection: { readonly name: string }): void =>
  idle.keep(connection, () => ended.push(connection.name));

describe('idle connections', () => {
  it('are ended after their time, each by its own', () => {
    keep(a);
    vi.advanceTimersByTime(IDLE_MS / 2);
    keep(b);
    vi.advanceTimersByTime(IDLE_MS / 2);
    expect(ended).toEqual(['a']);
    vi.advanceTimersByTime(IDLE_MS / 2);
    expect(ended).toEqual(['a', 'b']);
  });

  it('are kept while they are used, and start again', () => {
    keep(a);
    keep(b);
    idle.use(a);
    vi.advanceTimersByTime(IDLE_MS / 2);
    keep(b);
    vi.advanceTimersByTime(IDLE_MS / 2);
    expect(ended).toEqual([]);
  });

  it('make room for later ones, the one that is idle for longest first', () => {
    keep(a);
    keep(b);
    keep(a);
    keep(c);
    expect(ended).toEqual(['b']);
    vi.advanceTimersByTime(IDLE_MS);
    expect(ended).toEqual(['b', 'a', 'c']);
  });
});
