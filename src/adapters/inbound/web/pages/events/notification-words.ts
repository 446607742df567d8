import type { Severity } from '../../../../../domain/events/event.ts';
import type { NotificationKind } from '../../../../../domain/events/notification.ts';

/** What each kind is, for people who have not met it yet. */
export const KIND_WORDS: Readonly<Record<NotificationKind, string>> = {
  'job.failed': 'The last job of its type on a server failed.',
  'host_key.mismatch': 'The host key of a server differs from the confirmed one.',
  'server.unreachable': 'A server cannot be reached, or does not let the service in.',
  'backup.stale': 'The last successful backup of a server is too old.',
  'server.reboot_pending': 'Updates take effect only after a reboot.',
  'updates.available': 'Packages have updates, security ones most of all.',
  'token.expiring': 'A token expires within a week.',
  'approval.requested': 'A job needs approval.',
  'clock.jumped': 'The clock of the service was set, or is wrong.',
  'webhook.disabled': 'A receiver of events answered that it is gone.',
};

export const SEVERITY_TONES = { info: 'off', warning: 'care', critical: 'bad' } as const satisfies Record<
  Severity,
  string
>;
