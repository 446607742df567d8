import { DomainError, type InputProblem, InvalidInput } from '../base/errors.ts';
import { DAY, HOUR, type Instant, MINUTE } from '../base/instant.ts';
import type { Severity } from './event.ts';
import { NOTIFICATION_KINDS, type NotificationKind } from './notification.ts';

/** The alert rule of a kind. */
export interface AlertPolicy {
  readonly kind: NotificationKind;
  /** How long a condition has to hold before a notification is sent. */
  readonly debounceMs: number;
  /** Repeats after this long without an acknowledgement; `null`: never. */
  readonly remindMs: number | null;
  /** Overrides the default severity; `null`: the default. */
  readonly severity: Severity | null;
}

const usual = (kind: NotificationKind, debounceMs: number, remindMs: number | null): AlertPolicy => ({
  kind,
  debounceMs,
  remindMs,
  severity: null,
});

/** A host that does not answer is tried again after 15 minutes: two missed tries open an alert. */
export const DEFAULT_POLICIES: Readonly<Record<NotificationKind, AlertPolicy>> = {
  'job.failed': usual('job.failed', 0, null),
  'host_key.mismatch': usual('host_key.mismatch', 0, DAY),
  'server.unreachable': usual('server.unreachable', 20 * MINUTE, DAY),
  'backup.stale': usual('backup.stale', 30 * MINUTE, DAY),
  'server.reboot_pending': usual('server.reboot_pending', HOUR, 7 * DAY),
  'updates.available': usual('updates.available', HOUR, null),
  'disk.filling': usual('disk.filling', HOUR, 7 * DAY),
  'os.end_of_life': usual('os.end_of_life', HOUR, 30 * DAY),
  'service.unhealthy': usual('service.unhealthy', 0, DAY),
  'updates.stopped': usual('updates.stopped', 0, DAY),
  'token.expiring': usual('token.expiring', 0, null),
  'approval.requested': usual('approval.requested', 0, null),
  'webhook.disabled': usual('webhook.disabled', 0, DAY),
  'clock.jumped': usual('clock.jumped', 0, DAY),
};

export interface PolicyChange {
  readonly debounceMs?: number | undefined;
  readonly remindMs?: number | null | undefined;
  readonly severity?: Severity | null | undefined;
}

const MAX_DEBOUNCE_MS = 7 * DAY;
const MIN_REMIND_MS = 5 * MINUTE;
const MAX_REMIND_MS = 90 * DAY;

/** Throws `InvalidInput`. */
export function changedPolicy(before: AlertPolicy, change: PolicyChange): AlertPolicy {
  const problems: InputProblem[] = [];
  const { debounceMs = before.debounceMs } = change;
  const remindMs = change.remindMs === undefined ? before.remindMs : change.remindMs;
  const severity = change.severity === undefined ? before.severity : change.severity;
  if (debounceMs < 0 || debounceMs > MAX_DEBOUNCE_MS)
    problems.push({ path: '/debounce', message: 'The delay before an alert opens is 0 to 7 days.' });
  if (remindMs !== null && (remindMs < MIN_REMIND_MS || remindMs > MAX_REMIND_MS))
    problems.push({
      path: '/remind',
      message: 'The interval between reminders is five minutes to 90 days, or never.',
    });
  if (problems.length > 0) throw new InvalidInput(problems);
  return { kind: before.kind, debounceMs, remindMs, severity };
}

/** No notifications are sent until then. */
export interface Mute {
  readonly id: number;
  /** `null`: every kind. */
  readonly kind: NotificationKind | null;
  /** `null`: every server, and alerts about no server. */
  readonly serverId: number | null;
  /** `null`: until it is removed. */
  readonly until: Instant | null;
  readonly createdBy: string;
  readonly createdAt: Instant;
}

export const MAX_MUTES = 500;

/** `kind` may be any event's: job events can be muted by server. */
export const isMuted = (
  mutes: readonly Mute[],
  about: { readonly kind: string; readonly serverId: number | null },
  now: Instant,
): boolean =>
  mutes.some(
    ({ kind, serverId, until }) =>
      (kind === null || kind === about.kind) &&
      (serverId === null || serverId === about.serverId) &&
      (until === null || until > now),
  );

/** Throws `InvalidInput`. */
export function alertKind(raw: string): NotificationKind {
  const kind = NOTIFICATION_KINDS.find((each) => each === raw);
  if (kind !== undefined) return kind;
  const known = NOTIFICATION_KINDS.join(', ');
  throw new InvalidInput([
    { path: '/kind', message: `There is no alert kind "${raw.slice(0, 40)}"; the kinds are ${known}.` },
  ]);
}

export const muteNotFound = (id: number): DomainError =>
  new DomainError('mute_not_found', `There is no mute with id ${id}.`);
