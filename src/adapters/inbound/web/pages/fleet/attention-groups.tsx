import type { ComponentChildren } from 'preact';
import type { Concern, Overview, UrgentNeed } from '../../../../../application/fleet/get-overview.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { count, duration, grouped } from '../../../../../domain/base/spans.ts';
import type { Notification } from '../../../../../domain/events/notification.ts';
import { contactFault } from '../../../../../domain/fleet/contact-fault.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import type { Job } from '../../../../../domain/jobs/job.ts';
import { JOB_TYPES, type JobType, jobTitle } from '../../../../../domain/jobs/job-types.ts';
import type { IconName } from '../../components/icon-names.ts';
import { Ago, InWords, LocalTimes } from '../../components/time.tsx';
import { diskPart } from './need-pill.tsx';
import { CheckAll, Remedy, Way } from './remedy.tsx';

/** `bad`: something does not work. `care`: it works, but needs attention. */
type Weight = 'bad' | 'care';

interface Case {
  readonly key: string;
  readonly host: { readonly id: number; readonly name: string } | null;
  readonly text: ComponentChildren;
}

/** Problems of one kind. */
export interface Group {
  readonly key: string;
  readonly weight: Weight;
  readonly icon: IconName;
  /** Its title: `2 servers unreachable`. */
  readonly words: string;
  /** Its part of the verdict: `2 unreachable`. */
  readonly brief: string;
  readonly ofServers: boolean;
  readonly total: number;
  /** The list of all of them. */
  readonly all: string;
  readonly cases: readonly Case[];
  /** How many of them the cases name; absent: one each. */
  readonly shown?: number;
  /** How many cases phones show; absent: one. */
  readonly onPhone?: number;
  /** How many of them these cases name; absent: one each. */
  readonly narrow?: number;
  /** What solves all of them, or leads there. */
  readonly action: ComponentChildren;
}

interface NeedText {
  readonly weight: Weight;
  readonly icon: IconName;
  /** What the servers are: `unreachable`. */
  readonly words: (one: boolean) => string;
  readonly text: (server: Server, now: Instant) => ComponentChildren;
  /** The job that solves it on all of them, and what the button says. */
  readonly job?: { readonly type: JobType; readonly label: (total: number) => string };
  /** The button stands out. */
  readonly isNext?: boolean;
}

const allOf = (total: number): string => (total === 2 ? 'both' : `all ${total}`);

const NEEDS: Readonly<Record<UrgentNeed, NeedText>> = {
  unreachable: {
    weight: 'bad',
    icon: 'unplug',
    words: () => 'unreachable',
    text: ({ facts }, now) => (
      <>
        {reasonOf(facts.contactError)}
        {facts.contactFailedSince === null ? null : (
          <InWords at={facts.contactFailedSince} words={` for ${duration(now - facts.contactFailedSince)}`} />
        )}
      </>
    ),
  },
  stale_backup: {
    weight: 'bad',
    icon: 'database-backup',
    words: (one) => (one ? 'with an overdue backup' : 'with overdue backups'),
    text: ({ facts }, now) =>
      facts.lastBackupAt === null ? 'not backed up yet' : <Ago at={facts.lastBackupAt} now={now} />,
    job: { type: 'backup', label: (total) => `Back up ${allOf(total)}…` },
    isNext: true,
  },
  disk_full: {
    weight: 'care',
    icon: 'hard-drive',
    words: (one) => (one ? 'with a nearly full disk' : 'with nearly full disks'),
    text: (server) => diskPart(server),
  },
  security_updates: {
    weight: 'care',
    icon: 'package',
    words: () => 'with security updates',
    text: ({ facts }) => count(facts.securityUpdatesCount ?? 0, 'update'),
    job: { type: 'os_patch', label: () => 'Plan updates…' },
  },
  reboot: {
    weight: 'care',
    icon: 'power',
    words: () => 'to reboot',
    text: () => null,
    job: { type: 'host_reboot', label: () => 'Reboot…' },
  },
  updates_unknown: {
    weight: 'care',
    icon: 'circle-help',
    words: () => 'with unknown updates',
    text: () => null,
    job: { type: 'os_update_check', label: (total) => `Check ${allOf(total)}…` },
  },
  unchecked: {
    weight: 'care',
    icon: 'circle-dashed',
    words: () => 'with unfinished setup',
    text: () => null,
  },
};

export const needWords = (need: UrgentNeed, total: number): string =>
  `${count(total, 'server')} ${NEEDS[need].words(total === 1)}`;

const reasonOf = (code: string | null): string => (code === null ? 'no contact' : contactFault(code));

/** What needs attention, worst first. */
export function groupsOf(overview: Overview, now: Instant, mayAct: boolean): readonly Group[] {
  const need = (each: UrgentNeed): Group => ofServers(each, overview.needs[each], now, mayAct);
  return [
    need('unreachable'),
    ofFailedJobs(overview.failedJobs),
    need('stale_backup'),
    need('disk_full'),
    need('security_updates'),
    ofOthers(overview.others),
    ofApprovals(overview.approvals),
    need('reboot'),
    need('updates_unknown'),
    need('unchecked'),
  ]
    .filter(({ total }) => total > 0)
    .toSorted((a, b) => Number(b.weight === 'bad') - Number(a.weight === 'bad'));
}

function ofServers(
  need: UrgentNeed,
  { total, worst }: Concern<Server>,
  now: Instant,
  mayAct: boolean,
): Group {
  const { weight, icon, words, text } = NEEDS[need];
  const all = `/servers?needs=${need}`;
  return {
    key: need,
    weight,
    icon,
    words: needWords(need, total),
    brief: `${grouped(total)} ${words(total === 1)}`,
    ofServers: true,
    total,
    all,
    // The number of the others takes the place of one.
    cases: worst.slice(0, total > worst.length ? -1 : undefined).map((server) => ({
      key: `${need}-${server.id}`,
      host: server,
      text: <span class="desk">{text(server, now)}</span>,
    })),
    // By name alone.
    onPhone: 2,
    action: mayAct ? <Solve {...{ need, total, worst, all }} /> : null,
  };
}

/** One server: what solves it there. A few: one batch of them all. More: the list, where they are chosen, or the batch of all that match. */
function Solve({
  need,
  total,
  worst,
  all,
}: {
  readonly need: UrgentNeed;
  readonly total: number;
  readonly worst: readonly Server[];
  readonly all: string;
}) {
  const { job, isNext = false } = NEEDS[need];
  const [first] = worst;
  const about = needWords(need, total);
  if (total === 1 && first) return <Remedy server={first} need={need} />;
  const isFew = total === worst.length;
  if (need === 'unreachable' && isFew) return <CheckAll servers={worst} about={about} />;
  if (job === undefined || (!isFew && need !== 'security_updates'))
    return <Way to={all} label="Review" about={about} />;
  const chosen: Readonly<Record<string, string>> = isFew
    ? { selector: 'ids', servers: worst.map(({ name }) => name).join(', ') }
    : { all: 'yes', needs: need };
  const to = new URLSearchParams({ type: job.type, ...chosen });
  return (
    <Way
      to={`/batches/new?${to}`}
      label={job.label(total)}
      about={about}
      tone={isNext ? 'soft' : undefined}
    />
  );
}

const UNRESOLVED = '/jobs?status=unresolved';

/** Servers by what failed there, such as `Update packages: mail-01, web-01`. */
function ofFailedJobs({ total, worst }: Concern<Notification>): Group {
  const kinds = new Map<string, Notification[]>();
  for (const each of worst) kinds.set(failedWords(each), [...(kinds.get(failedWords(each)) ?? []), each]);
  return {
    key: 'failed',
    weight: 'bad',
    icon: 'x',
    words: count(total, 'unresolved job failure'),
    brief: count(total, 'unresolved job failure'),
    ofServers: false,
    total,
    all: UNRESOLVED,
    shown: worst.length,
    narrow: [...kinds.values()][0]?.length ?? 0,
    cases: [...kinds].map(([words, alerts]) => ({
      key: `failed-${alerts[0]?.id}`,
      host: null,
      text: (
        <>
          {words}:{' '}
          {alerts.map(({ id, jobId, serverName }, index) => (
            <span key={id}>
              {index === 0 ? '' : ', '}
              {jobId === null ? serverName : <a href={`/jobs/${jobId}`}>{serverName ?? `Job ${jobId}`}</a>}
            </span>
          ))}
        </>
      ),
    })),
    action: <Way to={UNRESOLVED} label="Review" about="failed jobs" />,
  };
}

const failedWords = ({ variant, title }: Notification): string => {
  const type = JOB_TYPES.find((each) => each === variant);
  return type === undefined ? title : jobTitle(type);
};

const ofOthers = ({ total, worst }: Concern<Notification>): Group => ({
  key: 'others',
  weight: 'care',
  icon: 'bell',
  words: count(total, 'other alert'),
  brief: count(total, 'other alert'),
  ofServers: false,
  total,
  all: '/notifications',
  cases: worst.map((each) => ({
    key: `notification-${each.id}`,
    host: hostOf(each),
    // The rest says what to do, as its page does.
    text: <LocalTimes text={each.message.replace(/(?<=\.) .*/s, '')} />,
  })),
  action: <Way to="/notifications" label="Review" about="alerts" />,
});

const ofApprovals = ({ total, worst }: Concern<Job>): Group => ({
  key: 'approvals',
  weight: 'care',
  icon: 'shield-check',
  words: `${count(total, 'job')} waiting for approval`,
  brief: `${count(total, 'job')} waiting for approval`,
  ofServers: false,
  total,
  all: '/approvals',
  cases: worst.map((job) => ({
    key: `approval-${job.id}`,
    host: { id: job.serverId, name: job.serverName },
    text: <a href={`/jobs/${job.id}`}>{jobTitle(job.jobType)}</a>,
  })),
  action: <Way to="/approvals" label="Review" about="approvals" tone="soft" />,
});

const hostOf = ({ serverId, serverName }: Notification): Case['host'] =>
  serverId === null || serverName === null ? null : { id: serverId, name: serverName };
