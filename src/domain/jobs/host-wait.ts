import { type Instant, MINUTE, SECOND, toMinute } from '../base/instant.ts';

/** Longest wait for a host that is down. */
export const MAX_WAIT_FOR_HOST_MINUTES = 1_440;

const FIRST_PAUSE_MS = 15 * SECOND;
export const MAX_PAUSE_MS = 5 * MINUTE;

/** How long a job has waited for its host. */
export interface HostWait {
  /** When its host was first found to be unreachable. */
  readonly since: Instant;
  /** Failed attempts to connect. */
  readonly tries: number;
}

/** When a job whose host was unreachable at `at` tries again; `null`: its time is up. The last try is at the end of that. */
export function nextTry(
  wait: HostWait | null,
  minutes: number,
  at: Instant,
): { readonly at: Instant; readonly until: Instant } | null {
  // A clock that was set back does not extend the wait by as much.
  const until = Math.min(wait?.since ?? at, at) + minutes * MINUTE;
  if (at >= until) return null;
  // Doubled at most as often as it takes to reach the longest pause.
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(wait?.tries ?? 0, 10), MAX_PAUSE_MS);
  return { at: Math.min(at + pause, until), until };
}

/** The progress text of a job that waits for its host. */
export const waitsForHost = (
  serverName: string,
  next: { readonly at: Instant; readonly until: Instant },
): string =>
  `Waits until ${serverName} can be reached, at most until ${toMinute(next.until)}; tries again at ${toMinute(next.at)}.`;
