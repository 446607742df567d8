import { describe, expect, it } from 'vitest';
import { HOUR, type Instant, MINUTE, SECOND } from '../../../src/domain/base/instant.ts';
import { type HostWait, MAX_PAUSE_MS, nextTry } from '../../../src/domain/jobs/host-wait.ts';

const AT = Date.parse('2026-11-23T10:00:00Z');

/** The pauses between tries until the time is up, for a host that never answers. */
function pauses(minutes: number): readonly number[] {
  const all: number[] = [];
  let wait = null as HostWait | null;
  let at: Instant = AT;
  for (;;) {
    const next = nextTry(wait, minutes, at);
    if (next === null) return all;
    all.push((next.at - at) / SECOND);
    wait = { since: wait?.since ?? at, tries: (wait?.tries ?? 0) + 1 };
    at = next.at;
  }
}

describe('a job that waits for its host', () => {
  it('tries again after longer and longer pauses, and at the end of its time', () => {
    expect(pauses(10)).toEqual([15, 30, 60, 120, 240, 135]);
    expect(pauses(1)).toEqual([15, 30, 15]);
  });

  it('never pauses for longer than five minutes, and tries a bounded number of times', () => {
    const day = pauses(1_440);
    expect(Math.max(...day)).toBe(MAX_PAUSE_MS / SECOND);
    expect(day.length).toBeLessThan(300);
    expect(day.reduce((sum, each) => sum + each, 0)).toBe(86_400);
  });

  it('does not wait at all with 0 minutes', () => {
    expect(pauses(0)).toEqual([]);
  });

  it('waits no longer than asked for after its clock was set back', () => {
    const next = nextTry({ since: AT + HOUR, tries: 3 }, 10, AT);
    expect(next?.until).toBe(AT + 10 * MINUTE);
  });
});
