import { Fragment } from 'preact';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { duration } from '../../../../../domain/base/spans.ts';
import { EVENT_TITLES } from '../../../../../domain/events/event.ts';
import type { Notification, NotificationKind } from '../../../../../domain/events/notification.ts';
import { JOB_TYPES, jobTitle } from '../../../../../domain/jobs/job-types.ts';
import { DataTable, RowButton } from '../../components/data-table.tsx';
import { Icon } from '../../components/icon.tsx';
import type { IconName } from '../../components/icon-names.ts';
import { Chevron, Menu } from '../../components/menu.tsx';
import { Ago, InWords, LocalTimes } from '../../components/time.tsx';
import { remedyOf } from './alert-remedy.tsx';
import { KIND_WORDS } from './alert-table.tsx';

interface GroupProps {
  readonly alerts: readonly Notification[];
  /** Those that each kind has besides: Overview counts both. */
  readonly acknowledged: readonly Notification[];
  readonly now: Instant;
  /** How full the disks of servers are, such as `94 %`. */
  readonly disks: ReadonlyMap<number, string>;
  /** The tab, which its actions keep. */
  readonly state: string;
  /** The address of bulk actions; null for users who may not act. */
  readonly act: string | null;
  readonly spans: readonly (readonly [string, string])[];
}

/** Their messages name what they are about: the title would repeat it. */
const NAMED_IN_MESSAGE: readonly NotificationKind[] = ['backup.stale', 'token.expiring'];

const textOf = ({ kind, title, message }: Notification): string =>
  NAMED_IN_MESSAGE.includes(kind) ? message : `${title}. ${message}`;

/** Servers that a group names; the rest is behind a link. */
const MAX_NAMED = 12;
/** On phones; the rest is in its rows. */
const NAMED_ON_PHONES = 2;

/** Rows of a group; the page of its kind has the rest. */
const MAX_ROWS = 50;

/** Alerts by kind, the kinds with the gravest first. */
export function AlertGroups(props: GroupProps) {
  const kinds = new Map<NotificationKind, Notification[]>();
  for (const alert of props.alerts) kinds.set(alert.kind, [...(kinds.get(alert.kind) ?? []), alert]);
  const groups = [...kinds].toSorted(
    ([, one], [, other]) => GRAVITY[gravest(other)] - GRAVITY[gravest(one)] || other.length - one.length,
  );
  return (
    <section class="card">
      <ul class="issues whole">
        {groups.map(([kind, alerts]) => (
          <Group key={kind} {...props} kind={kind} alerts={alerts} />
        ))}
      </ul>
    </section>
  );
}

const ICONS: Readonly<Record<NotificationKind, IconName>> = {
  'job.failed': 'x',
  'host_key.mismatch': 'key-round',
  'server.unreachable': 'unplug',
  'backup.stale': 'database-backup',
  'server.reboot_pending': 'power',
  'updates.available': 'package',
  'disk.filling': 'hard-drive',
  'os.end_of_life': 'clock',
  'service.unhealthy': 'container',
  'updates.stopped': 'package',
  'token.expiring': 'bot',
  'approval.requested': 'shield-check',
  'webhook.disabled': 'webhook',
  'clock.jumped': 'clock',
};

const GRAVITY = { info: 0, warning: 1, critical: 2 } as const;

const gravest = (alerts: readonly Notification[]): Notification['severity'] =>
  alerts.reduce<Notification['severity']>(
    (worst, { severity }) => (GRAVITY[severity] > GRAVITY[worst] ? severity : worst),
    'info',
  );

function Group(props: GroupProps & { readonly kind: NotificationKind }) {
  const { kind, alerts, now, state, act, spans, disks } = props;
  const acknowledged = props.acknowledged.filter((each) => each.kind === kind).length;
  const all = `/notifications?${new URLSearchParams({ ...(state === '' ? {} : { state }), kind })}`;
  const [only] = alerts.length === 1 ? alerts : [];
  const title = EVENT_TITLES[kind];
  const more = alerts.length - NAMED_ON_PHONES;
  const ages = new Set(alerts.map((alert) => ageOf(alert, now)));
  // Said once where it is the same of all.
  const isShared = ages.size === 1 && !EVENTS.includes(kind);
  return (
    <li id={`alerts-${kind.replace('.', '-')}`}>
      <span class={`sign ${gravest(alerts) === 'critical' ? 'bad' : 'care'}`}>
        <Icon name={ICONS[kind]} />
      </span>
      <div class="grow">
        <h2>
          <a href={all} title={KIND_WORDS[kind]}>
            {title}
          </a>{' '}
          <span class="count">{alerts.length}</span>
          {acknowledged === 0 ? null : (
            <>
              {' '}
              <span class="count">{acknowledged} acknowledged</span>
            </>
          )}
        </h2>
        {only === undefined ? null : (
          <p class="help">
            <LocalTimes text={textOf(only)} /> First seen <Ago at={only.beganAt} now={now} />.
          </p>
        )}
        <p hidden={only !== undefined && only.serverId === null}>
          {alerts.slice(0, MAX_NAMED).map((alert, index) => (
            <Fragment key={alert.id}>
              {index === 0 ? ' ' : <i class="desk"> · </i>}
              <span>
                <Subject alert={alert} />
                {kind === 'disk.filling' && alert.serverId !== null
                  ? ` ${disks.get(alert.serverId) ?? ''}`
                  : null}
                {only !== undefined || isShared ? null : (
                  <>
                    {' '}
                    <Age alert={alert} now={now} />
                  </>
                )}
              </span>
            </Fragment>
          ))}
          {alerts.length > MAX_NAMED ? (
            <span>
              {'\u00a0· '}
              <a href={all} aria-label={`${alerts.length - MAX_NAMED} more: ${title}`}>
                {alerts.length - MAX_NAMED} more
              </a>
            </span>
          ) : null}
          {only === undefined && isShared && alerts[0] ? (
            <>
              <i class="desk"> · </i>
              <span class="age">
                {alerts.length === 2 ? 'both' : 'all'} <Age alert={alerts[0]} now={now} />
              </span>
            </>
          ) : null}
        </p>
        {only === undefined ? (
          <details>
            <summary aria-label={`Each alert${more > 0 ? `, ${more} more` : ''}: ${title}`}>
              {more > 0 ? (
                <>
                  <span class="desk">Each alert</span>
                  <span class="phone">{more} more</span>
                </>
              ) : (
                'Each alert'
              )}
            </summary>
            <GroupRows {...{ alerts, now }} mayAcknowledge={act !== null && state === ''} />
          </details>
        ) : null}
      </div>
      <div class="row">
        {remedyOf(kind, alerts)}
        {act === null || state !== '' ? null : (
          <RowButton
            action={act}
            label="Acknowledge"
            about={`all of ${title}`}
            fields={{ action: 'acknowledge', all: 'yes', kind }}
          />
        )}
        {act === null || state === 'muted' ? null : (
          <Menu
            id={`mute-${kind.replace('.', '-')}`}
            label={`Mute: ${title}`}
            button="quiet small"
            face={
              <>
                Mute <Chevron />
              </>
            }
          >
            {spans.map(([span, words]) => (
              <RowButton
                key={span}
                action={act}
                label={words}
                about={`mute ${title}`}
                fields={{ action: 'mute', all: 'yes', kind, for: span }}
              />
            ))}
          </Menu>
        )}
      </div>
    </li>
  );
}

/** What happened at a time; other alerts last. */
const EVENTS: readonly NotificationKind[] = [
  'job.failed',
  'approval.requested',
  'webhook.disabled',
  'clock.jumped',
  'updates.stopped',
];

/** Of what goes on, such as `overdue for 1 h` of a backup. */
const ageOf = ({ kind, beganAt }: Notification, now: Instant): string =>
  `${kind === 'backup.stale' ? 'overdue' : 'open'} for ${duration(Math.max(0, now - beganAt))}`;

const Age = ({ alert, now }: { readonly alert: Notification; readonly now: Instant }) =>
  EVENTS.includes(alert.kind) ? (
    <Ago at={alert.beganAt} now={now} />
  ) : (
    <InWords at={alert.beganAt} words={ageOf(alert, now)} />
  );

/** The alerts of a group, those that it names first. */
const GroupRows = ({
  alerts,
  now,
  mayAcknowledge,
}: Pick<GroupProps, 'alerts' | 'now'> & { readonly mayAcknowledge: boolean }) => (
  <DataTable
    rows={alerts}
    max={MAX_ROWS}
    keyOf={({ id }) => id}
    columns={[
      { head: 'Server', cell: (alert) => <Subject alert={alert} /> },
      {
        head: 'Reason',
        kind: 'text',
        phone: 'line',
        cell: ({ message }) => <LocalTimes text={message} />,
      },
      { head: 'Since', kind: 'time', cell: ({ beganAt }) => <Ago at={beganAt} now={now} /> },
      mayAcknowledge && {
        head: 'Actions',
        kind: 'actions',
        cell: ({ id, title }) => (
          <RowButton action={`/notifications/${id}/acknowledge`} label="Acknowledge" about={title} />
        ),
      },
    ]}
  />
);

const Subject = ({
  alert: { serverId, serverName, jobId, title, variant },
}: {
  readonly alert: Notification;
}) => {
  const jobType = JOB_TYPES.find((each) => each === variant);
  return serverId === null ? (
    <>{title}</>
  ) : (
    <>
      <a href={`/servers/${serverId}`}>{serverName ?? `server ${serverId}`}</a>
      {jobId === null ? null : (
        <>
          {' '}
          <a href={`/jobs/${jobId}`}>{jobType === undefined ? `job ${jobId}` : jobTitle(jobType)}</a>
        </>
      )}
    </>
  );
};
