import type { VNode } from 'preact';
import { originOf } from '../../../../../domain/access/requester.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import type { NotificationOrder } from '../../../../../domain/base/list-orders.ts';
import type { Severity } from '../../../../../domain/events/event.ts';
import type { Notification, NotificationKind } from '../../../../../domain/events/notification.ts';
import { DataTable, RowButton, type TablePaging } from '../../components/data-table.tsx';
import type { Sorting } from '../../components/sorting.ts';
import { Status } from '../../components/status.tsx';
import { Ago, LocalTimes } from '../../components/time.tsx';

interface AlertTableProps {
  readonly alerts: readonly Notification[];
  readonly now: Instant;
  /** The page of one server: it is not named again. */
  readonly ofServer?: boolean;
  /** The address that acknowledges an alert; null for users who may not. */
  readonly acknowledge: ((id: number) => string) | null;
  readonly mute?: Mute | undefined;
  /** The form that selects rows. */
  readonly select?: string | undefined;
  readonly empty: string | VNode;
  readonly paging?: TablePaging;
  /** A long list is sorted by what an index serves. */
  readonly sorting?: Sorting<NotificationOrder['by']>;
  readonly isLong?: boolean;
}

/** Alerts, with actions. */
export const AlertTable = ({
  alerts,
  now,
  ofServer = false,
  acknowledge,
  mute,
  select,
  empty,
  paging,
  sorting,
  isLong = false,
}: AlertTableProps) => (
  <DataTable
    rows={alerts}
    keyOf={({ id }) => id}
    empty={empty}
    paging={paging}
    select={select === undefined ? undefined : { form: select, label: ({ title }) => title }}
    columns={[
      {
        head: 'Alert',
        kind: 'text',
        cell: ({ title, message, jobId }) => (
          <>
            {ofServer && jobId !== null ? <a href={`/jobs/${jobId}`}>{title}</a> : <strong>{title}</strong>}
            <span class="help">
              <LocalTimes text={message} />
            </span>
          </>
        ),
      },
      {
        head: 'Severity',
        kind: 'state',
        sort: isLong ? undefined : sorting?.sort('severity'),
        cell: ({ severity }) => <Status tone={SEVERITY_TONES[severity]}>{severity}</Status>,
      },
      !ofServer && { head: 'Server', cell: (alert) => <Place alert={alert} /> },
      {
        head: 'Since',
        sort: sorting?.sort('since'),
        cell: ({ beganAt }) => <Ago at={beganAt} now={now} />,
      },
      { head: 'State', cell: (alert) => <State alert={alert} now={now} /> },
      acknowledge !== null && {
        head: 'Actions',
        kind: 'actions',
        cell: (alert) =>
          alert.state === 'resolved' ? null : (
            <div class="row">
              {alert.state === 'open' ? (
                <RowButton action={acknowledge(alert.id)} label="Acknowledge" about={alert.title} />
              ) : null}
              {mute && !alert.muted ? <MuteForm alert={alert} {...mute} /> : null}
            </div>
          ),
      },
    ]}
  />
);

const Place = ({ alert: { serverId, serverName, jobId } }: { readonly alert: Notification }) => (
  <>
    {serverId === null ? '–' : <a href={`/servers/${serverId}`}>{serverName ?? `server ${serverId}`}</a>}{' '}
    {jobId === null ? null : <a href={`/jobs/${jobId}`}>job {jobId}</a>}
  </>
);

function State({ alert, now }: { readonly alert: Notification; readonly now: Instant }) {
  const { state, muted, acknowledgedBy, resolvedAt } = alert;
  if (state === 'resolved') {
    return (
      <>
        <Status tone="good">resolved</Status> <Ago at={resolvedAt} now={now} />
      </>
    );
  }
  if (muted) return <Status tone="off">muted</Status>;
  return state === 'acknowledged' ? (
    <Status tone="busy">{`acknowledged by ${acknowledgedBy === null ? 'a user' : originOf(acknowledgedBy).name}`}</Status>
  ) : (
    <Status tone="care">open</Status>
  );
}

interface Mute {
  readonly action: string;
  /** Values of the choice, each with its words. */
  readonly spans: readonly (readonly [string, string])[];
}

const MuteForm = ({
  alert: { id, kind, serverId, title },
  action,
  spans,
}: Mute & { readonly alert: Notification }) => (
  <form method="post" action={action} class="row">
    <input type="hidden" name="kind" value={kind} />
    <input type="hidden" name="server_id" value={serverId ?? ''} />
    <label class="hidden" for={`for-${id}`}>
      Duration: {title}
    </label>
    <select id={`for-${id}`} name="for">
      {spans.map(([span, words]) => (
        <option key={span} value={span}>
          {words}
        </option>
      ))}
    </select>
    <button type="submit" class="quiet small" aria-label={`Mute: ${title}`}>
      Mute
    </button>
  </form>
);

/** A description of each kind, for new users. */
export const KIND_WORDS: Readonly<Record<NotificationKind, string>> = {
  'job.failed': 'The last job of its type on a server failed.',
  'host_key.mismatch': 'The host key of a server differs from the confirmed one.',
  'server.unreachable': 'A server is unreachable, or rejects the login.',
  'backup.stale': 'The last successful backup of a server is too old.',
  'server.reboot_pending': 'Updates take effect only after a reboot.',
  'updates.available': 'Security updates are pending.',
  'os.end_of_life':
    'The release of a server’s operating system no longer gets security updates, or for less than 90 days.',
  'disk.filling': 'A disk is at least 90 % full, or will be full within two weeks at the current rate.',
  'service.unhealthy':
    'A policy has restarted a service as often as it may, and the service is unhealthy again.',
  'token.expiring': 'A token expires within a week.',
  'approval.requested': 'A request needs approval.',
  'updates.stopped': 'A run of a schedule stopped before all servers were updated.',
  'clock.jumped': 'The clock of the service was changed, or is wrong.',
  'webhook.disabled': 'A webhook receiver answered 410 Gone.',
};

export const SEVERITY_TONES = { info: 'off', warning: 'care', critical: 'bad' } as const satisfies Record<
  Severity,
  string
>;
