import type { Instant } from '../../../../../domain/base/instant.ts';
import type { Severity } from '../../../../../domain/events/event.ts';
import type { Notification, NotificationKind } from '../../../../../domain/events/notification.ts';
import { Status } from '../../components/status.tsx';
import { Ago } from '../../components/time.tsx';

interface NotificationRowsProps {
  readonly notifications: readonly Notification[];
  readonly now: Instant;
  /** Where one is acknowledged; null for those who may not. */
  readonly acknowledge: ((id: number) => string) | null;
}

/** What was wrong and what is, the newest first. */
export function NotificationRows({ notifications, now, acknowledge }: NotificationRowsProps) {
  if (notifications.length === 0) return <p class="quiet">Nothing has been wrong with it so far.</p>;
  return (
    <div class="wide">
      <table>
        <thead>
          <tr>
            <th scope="col">State</th>
            <th scope="col">What</th>
            <th scope="col">Since</th>
            <th scope="col">
              <span class="hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {notifications.map((each) => (
            <tr key={each.id}>
              <td>
                <State notification={each} now={now} />
              </td>
              <td class="text">
                {each.jobId === null ? each.title : <a href={`/jobs/${each.jobId}`}>{each.title}</a>}
                <span class="help">{each.message}</span>
              </td>
              <td>
                <Ago at={each.beganAt} now={now} />
              </td>
              <td class="end">
                {acknowledge !== null && each.state === 'open' ? (
                  <form method="post" action={acknowledge(each.id)}>
                    <button type="submit" class="quiet small" aria-label={`Acknowledge: ${each.title}`}>
                      Acknowledge
                    </button>
                  </form>
                ) : null}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function State({ notification, now }: { readonly notification: Notification; readonly now: Instant }) {
  const { state, severity, muted, resolvedAt, acknowledgedBy } = notification;
  if (state === 'resolved') {
    return (
      <>
        <Status tone="good">over</Status> <Ago at={resolvedAt} now={now} />
      </>
    );
  }
  return (
    <>
      <Status tone={SEVERITY_TONES[severity]}>{severity}</Status>{' '}
      {state === 'acknowledged' ? <span class="quiet">acknowledged by {acknowledgedBy}</span> : null}
      {muted ? <span class="tag">muted</span> : null}
    </>
  );
}

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
