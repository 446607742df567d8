import type { Actor, Extent } from '../access/actor.ts';
import { DomainError, type InputProblem, InvalidInput } from '../base/errors.ts';
import { DAY, type Instant, MINUTE, toMinute } from '../base/instant.ts';
import { type HostSelector, hostSelector, type RawSelector, selects } from '../fleet/host-selector.ts';
import { type JobType, jobTitle } from '../jobs/job-types.ts';
import type { CronRule } from './cron-rule.ts';

/** A time that comes round in which servers may be changed. A server that no window is meant for may be at any time. */
export interface MaintenanceWindow {
  readonly id: number;
  readonly name: string;
  readonly selector: HostSelector;
  /** When it opens. */
  readonly opens: CronRule;
  /** How long it is open, in milliseconds: an hour longer on the clock if daylight saving time skips one. */
  readonly durationMs: number;
  /** One that is switched off keeps nothing back, as if it were not there. */
  readonly enabled: boolean;
  readonly createdBy: string;
  readonly createdAt: Instant;
}

export type NewWindow = Omit<MaintenanceWindow, 'id'>;

export interface WindowDescription {
  readonly name: string;
  readonly selector: RawSelector;
  readonly opens: CronRule;
  readonly durationMs: number;
}

export const MAX_WINDOWS = 500;
const MIN_MS = 5 * MINUTE;
const MAX_MS = 7 * DAY;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

/** Names of objects that operators create; servers use the same rules. */
export const nameProblems = (name: string): readonly InputProblem[] =>
  NAME.test(name)
    ? []
    : [
        {
          path: '/name',
          message: 'A name has 1 to 63 letters, digits, ".", "_" and "-". It starts with a letter or digit.',
        },
      ];

/** Throws `InvalidInput`. Whether the expression can be read is asked of the calendar. */
export function describeWindow(
  { name, selector, opens, durationMs }: WindowDescription,
  by: { readonly createdBy: string; readonly at: Instant },
): NewWindow {
  const problems = [...nameProblems(name)];
  // NaN is neither shorter nor longer.
  if (!(durationMs >= MIN_MS && durationMs <= MAX_MS)) {
    problems.push({ path: '/duration', message: 'A window must stay open for five minutes to seven days.' });
  }
  if (problems.length > 0) throw new InvalidInput(problems);
  return {
    name,
    selector: hostSelector(selector),
    opens,
    durationMs,
    enabled: true,
    createdBy: by.createdBy,
    createdAt: by.at,
  };
}

/** A window at a point in time. */
export interface WindowState {
  readonly window: MaintenanceWindow;
  /** `null` if it is closed. */
  readonly openUntil: Instant | null;
  /** When it opens next, whether it is open now or not; `null`: never again, or disabled. */
  readonly opensAt: Instant | null;
}

/** A window's state by the times at which it opened last and opens next. */
export const windowState = (
  window: MaintenanceWindow,
  times: { readonly last: Instant | null; readonly next: Instant | null },
  now: Instant,
): WindowState => {
  if (!window.enabled) return { window, openUntil: null, opensAt: null };
  const until = times.last === null ? null : times.last + window.durationMs;
  return { window, openUntil: until !== null && now < until ? until : null, opensAt: times.next };
};

/** When a server may be changed: now, or when its next window opens; `null`: none opens again. */
export type Opening = 'open' | { readonly name: string; readonly at: Instant } | null;

export function openingOf(
  states: readonly WindowState[],
  server: { readonly id: number; readonly tags: readonly string[] },
): Opening {
  const own = states.filter(({ window }) => window.enabled && selects(window.selector, server));
  if (own.length === 0 || own.some(({ openUntil }) => openUntil !== null)) return 'open';
  const next = own
    .flatMap(({ window, opensAt }) => (opensAt === null ? [] : [{ name: window.name, at: opensAt }]))
    .sort((a, b) => a.at - b.at)[0];
  return next ?? null;
}

/** The refusal of a job that needs a window; `null` if the server has no window, or one is open. */
export function outsideWindow(
  states: readonly WindowState[],
  server: { readonly id: number; readonly name: string; readonly tags: readonly string[] },
  type: JobType,
): DomainError | null {
  const next = openingOf(states, server);
  if (next === 'open') return null;
  const when = next
    ? `the next one (${next.name}) opens at ${toMinute(next.at)}`
    : 'none of them opens again';
  return new DomainError(
    'outside_maintenance_window',
    `“${jobTitle(type)}” (${type}) can run on ${server.name} only inside its maintenance windows; ${when}.`,
  );
}

/** Operators can explicitly override windows, at the command line or as users of that role. Tokens cannot. */
export const mayPassWindows = (actor: Actor, where: Extent): boolean =>
  actor.kind === 'operator' || (actor.kind === 'user' && actor.hasRole('operator', where));

export const windowsHold = (): DomainError =>
  new DomainError(
    'outside_maintenance_window',
    'Only an operator can start a job outside the maintenance windows, in the web UI or the CLI.',
  );

export const windowNotFound = (what: string): DomainError =>
  new DomainError('window_not_found', `There is no maintenance window ${what}.`);
