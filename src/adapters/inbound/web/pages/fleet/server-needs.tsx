import type { ComponentChildren } from 'preact';
import { capital, count, duration } from '../../../../../domain/base/spans.ts';
import type { Notification } from '../../../../../domain/events/notification.ts';
import { contactFault } from '../../../../../domain/fleet/contact-fault.ts';
import { isUnreachable } from '../../../../../domain/fleet/fleet-conditions.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import { type StateNeed, stateNeeds } from '../../../../../domain/fleet/server-list.ts';
import type { Job } from '../../../../../domain/jobs/job.ts';
import { Icon } from '../../components/icon.tsx';
import type { IconName } from '../../components/icon-names.ts';
import { Ago, LocalTimes } from '../../components/time.tsx';
import { WholeNames } from '../../components/whole-names.tsx';
import { diskPart } from './need-pill.tsx';
import { Remedy } from './remedy.tsx';
import type { Viewer } from './server-table.tsx';

interface NeedsProps {
  readonly server: Server;
  readonly onlooker: Viewer;
  /** The backups since the last successful one, the latest first. */
  readonly failedBackups: readonly Job[];
  /** Those that are a need, the worst first. */
  readonly alerts: readonly Notification[];
}

const ALERT: Omit<NeedText, 'tone'> = {
  icon: 'bell',
  title: ({ server, alerts: [first] }) =>
    first === undefined ? 'An alert is open.' : `${first.title.replace(` on ${server.name}`, '')}.`,
  cause: ({ alerts }) =>
    alerts.length < 2
      ? null
      : `${capital(count(alerts.length - 1, 'more alert'))} ${alerts.length === 2 ? 'is' : 'are'} open.`,
};

interface NeedText {
  readonly tone: 'bad' | 'care' | '';
  readonly icon: IconName;
  readonly title: (props: NeedsProps) => string;
  readonly cause?: (props: NeedsProps) => ComponentChildren;
}

/** An unreachable server has its cause above. */
function causeOfNoBackup({ server, failedBackups }: NeedsProps): ComponentChildren {
  const [last] = failedBackups;
  if (last === undefined || isUnreachable(server)) return null;
  const runs = failedBackups.length === 1 ? 'The last run' : `The last ${failedBackups.length} runs`;
  return (
    <>
      {runs} failed: <LocalTimes text={last.error?.detail ?? 'no reason is known'} />
    </>
  );
}

const NEEDS: Readonly<Record<StateNeed, NeedText>> = {
  unreachable: {
    tone: 'bad',
    icon: 'unplug',
    title: ({ server: { facts }, onlooker }) =>
      facts.contactFailedSince === null
        ? 'Unreachable.'
        : `Unreachable for ${duration(onlooker.now - facts.contactFailedSince)}.`,
    cause: ({ server: { facts }, onlooker }) => (
      <>
        The last attempt failed:{' '}
        {facts.contactError === null ? 'no contact' : contactFault(facts.contactError)}. Last contact{' '}
        <Ago at={facts.lastSeenAt} now={onlooker.now} />.
      </>
    ),
  },
  critical_alert: { tone: 'bad', ...ALERT },
  stale_backup: {
    tone: 'bad',
    icon: 'database-backup',
    title: ({ server: { facts }, onlooker }) =>
      facts.lastBackupAt === null
        ? 'No backup yet.'
        : `No backup for ${duration(onlooker.now - facts.lastBackupAt)}.`,
    cause: causeOfNoBackup,
  },
  disk_full: {
    tone: 'care',
    icon: 'hard-drive',
    title: ({ server }) => `The root file system is ${diskPart(server)?.replace(' ', '\u00a0')} full.`,
  },
  security_updates: {
    tone: 'care',
    icon: 'package',
    title: ({ server: { facts } }) => {
      const pending = facts.securityUpdatesCount ?? 0;
      return `${count(pending, 'security update')} ${pending === 1 ? 'is' : 'are'} pending.`;
    },
  },
  alert: { tone: 'care', ...ALERT },
  reboot: { tone: 'care', icon: 'power', title: () => 'A reboot is pending.' },
  updates_unknown: {
    tone: 'care',
    icon: 'circle-help',
    title: () => 'Drover has not checked for updates yet, so it does not know whether any are pending.',
  },
  no_backup: {
    tone: '',
    icon: 'database-backup',
    title: () => 'Not backed up yet.',
    cause: causeOfNoBackup,
  },
  unchecked: {
    tone: 'care',
    icon: 'circle-dashed',
    title: () => "Setup isn't finished: Drover has not connected to this server yet.",
  },
};

/** The head of the page checks an unreachable server; a changed key is compared first. Until then, nothing else helps. */
const isInHead = ({ facts }: Server): boolean => facts.contactError !== 'host_key_mismatch';

/** The job that shows why. */
function failedRun(need: StateNeed, { failedBackups, alerts }: NeedsProps): number | null {
  if (need === 'stale_backup' || need === 'no_backup') return failedBackups[0]?.id ?? null;
  return need === 'critical_alert' || need === 'alert' ? (alerts[0]?.jobId ?? null) : null;
}

/** What a server needs, worst first: why, and the fix. */
export function ServerNeeds(props: NeedsProps) {
  const { server, onlooker } = props;
  const away = isUnreachable(server);
  const needs = stateNeeds(server, onlooker.staleBefore);
  if (needs.length === 0) return null;
  return (
    <div class="card needs">
      {needs.map((need) => {
        const { tone, icon, title, cause } = NEEDS[need];
        const failed = failedRun(need, props);
        const why = cause?.(props);
        return (
          <div key={need} id={`need-${need}`} class={`banner ${tone}`}>
            <Icon name={icon} />
            <div>
              <strong>
                <WholeNames text={title(props)} />
              </strong>
              {why ? <p>{why}</p> : null}
            </div>
            <span class="row">
              {failed === null ? null : (
                <a class="button quiet small" href={`/jobs/${failed}`}>
                  See failed run
                </a>
              )}
              {onlooker.mayAct && (!away || (need === 'unreachable' && !isInHead(server))) ? (
                // Phones have it in the head or among the tabs, and room for one.
                <span class={failed === null ? undefined : 'desk'}>
                  <Remedy server={server} need={need} />
                </span>
              ) : null}
            </span>
          </div>
        );
      })}
    </div>
  );
}
