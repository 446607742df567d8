import type { ComponentChildren } from 'preact';
import type { Concern, Overview, UrgentNeed } from '../../../../../application/fleet/get-overview.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { count } from '../../../../../domain/base/spans.ts';
import type { Notification } from '../../../../../domain/events/notification.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import type { Job } from '../../../../../domain/jobs/job.ts';
import { jobTitle } from '../../../../../domain/jobs/job-types.ts';
import { By } from '../../components/origin.tsx';
import { Status, type Tone } from '../../components/status.tsx';
import { Ago } from '../../components/time.tsx';
import { Remedy, Way } from './remedy.tsx';

/** `bad`: something does not work. `care`: it works, but needs attention. */
type Weight = Extract<Tone, 'bad' | 'care'>;

interface Case {
  readonly key: string;
  readonly host: { readonly id: number; readonly name: string } | null;
  readonly text: ComponentChildren;
  readonly action: ComponentChildren;
}

/** Things of one sort that need care. */
interface Group {
  readonly key: string;
  readonly weight: Weight;
  /** For the sentence: `2 servers cannot be reached`. */
  readonly words: string;
  readonly total: number;
  /** The link to all of them. */
  readonly all: string;
  readonly cases: readonly Case[];
}

interface NeedText {
  readonly weight: Weight;
  readonly words: (servers: string, one: boolean) => string;
  readonly text: (server: Server, now: Instant) => ComponentChildren;
}

const NEEDS: Readonly<Record<UrgentNeed, NeedText>> = {
  unreachable: {
    weight: 'bad',
    words: (servers) => `${servers} cannot be reached`,
    text: ({ facts }, now) => (
      <>
        {reasonOf(facts.contactError)}, since <Ago at={facts.contactFailedSince} now={now} />
      </>
    ),
  },
  stale_backup: {
    weight: 'bad',
    words: (servers, one) => `${servers} ${one ? 'has' : 'have'} no fresh backup`,
    text: ({ facts }, now) =>
      facts.lastBackupAt === null ? (
        'never backed up'
      ) : (
        <>
          last backup <Ago at={facts.lastBackupAt} now={now} />
        </>
      ),
  },
  security_updates: {
    weight: 'bad',
    words: (servers, one) => `${servers} ${one ? 'lacks' : 'lack'} security updates`,
    text: ({ facts }) => `${count(facts.securityUpdatesCount ?? 0, 'security update')} to install`,
  },
  reboot: {
    weight: 'care',
    words: (servers, one) => `${servers} ${one ? 'waits' : 'wait'} for a reboot`,
    text: () => 'updates take effect after a reboot',
  },
  updates_unknown: {
    weight: 'care',
    words: (servers, one) => `${servers} ${one ? 'has' : 'have'} unknown updates`,
    text: () => 'Drover has not checked for updates yet',
  },
  unchecked: {
    weight: 'care',
    words: (servers, one) => `${servers} ${one ? 'needs' : 'need'} setup`,
    text: () => 'Drover has not connected to it yet',
  },
};

const REASONS: Readonly<Record<string, string>> = {
  host_unreachable: 'no connection',
  host_auth_failed: 'login rejected',
  host_key_mismatch: 'host key changed',
  host_timeout: 'does not answer in time',
  host_connection_lost: 'the connection broke',
};
const reasonOf = (code: string | null): string => (code === null ? 'no contact' : (REASONS[code] ?? code));

/** Problems, worst first. */
export function groupsOf(overview: Overview, now: Instant, mayAct: boolean): readonly Group[] {
  const need = (each: UrgentNeed): Group => ofServers(each, overview.needs[each], now, mayAct);
  return [
    need('unreachable'),
    ofFailedJobs(overview.failedJobs, now),
    need('stale_backup'),
    need('security_updates'),
    ofOthers(overview.others, now),
    ofApprovals(overview.approvals, now),
    need('reboot'),
    need('updates_unknown'),
    need('unchecked'),
  ].filter(({ total }) => total > 0);
}

function ofServers(
  need: UrgentNeed,
  { total, worst }: Concern<Server>,
  now: Instant,
  mayAct: boolean,
): Group {
  const { weight, words, text } = NEEDS[need];
  return {
    key: need,
    weight,
    words: words(count(total, 'server'), total === 1),
    total,
    all: `/servers?needs=${need}`,
    cases: worst.map((server) => ({
      key: `${need}-${server.id}`,
      host: server,
      text: text(server, now),
      action: mayAct ? <Remedy server={server} need={need} /> : null,
    })),
  };
}

const ofFailedJobs = ({ total, worst }: Concern<Notification>, now: Instant): Group => ({
  key: 'failed',
  weight: 'bad',
  words: total === 1 ? '1 job failed' : `${total} jobs failed`,
  total,
  all: '/jobs?status=failed',
  cases: worst.map((each) => ({
    key: `failed-${each.id}`,
    host: hostOf(each),
    text: (
      <>
        {each.title} <Ago at={each.beganAt} now={now} />
      </>
    ),
    action:
      each.jobId === null ? null : <Way to={`/jobs/${each.jobId}`} label="See why" about={each.title} />,
  })),
});

const ofOthers = ({ total, worst }: Concern<Notification>, now: Instant): Group => ({
  key: 'others',
  weight: 'care',
  words: count(total, 'notification') + (total === 1 ? ' is open' : ' are open'),
  total,
  all: '/notifications',
  cases: worst.map((each) => ({
    key: `notification-${each.id}`,
    host: hostOf(each),
    text: (
      <>
        {each.message} <Ago at={each.beganAt} now={now} />
      </>
    ),
    action: <Way to="/notifications" label="Look" about={each.title} />,
  })),
});

const ofApprovals = ({ total, worst }: Concern<Job>, now: Instant): Group => ({
  key: 'approvals',
  weight: 'care',
  words: total === 1 ? '1 job waits for approval' : `${total} jobs wait for approval`,
  total,
  all: '/approvals',
  cases: worst.map((job) => ({
    key: `approval-${job.id}`,
    host: { id: job.serverId, name: job.serverName },
    text: (
      <>
        {jobTitle(job.jobType)}, requested by <By label={job.requestedBy} />{' '}
        <Ago at={job.createdAt} now={now} />
      </>
    ),
    action: <Way to={`/jobs/${job.id}`} label="Look" about={`job ${job.id}`} />,
  })),
});

const hostOf = ({ serverId, serverName }: Notification): Case['host'] =>
  serverId === null || serverName === null ? null : { id: serverId, name: serverName };

/** How many kinds the sentence names; the rest is counted. */
const NAMED = 2;

/** The answer to "is anything wrong?". */
export function Verdict({ groups, hosts }: { readonly groups: readonly Group[]; readonly hosts: number }) {
  const [first] = groups;
  if (!first) {
    return (
      <p class="verdict good">
        <span aria-hidden="true">✓</span> No problems on {count(hosts, 'server')}.
      </p>
    );
  }
  const broken = groups.some(({ weight }) => weight === 'bad');
  const more = groups.slice(NAMED).reduce((sum, { total }) => sum + total, 0);
  const named = groups.slice(0, NAMED).map(({ words }) => words);
  const parts =
    more === 0 ? named : [...named, `${count(more, 'more thing')} ${more === 1 ? 'needs' : 'need'} care`];
  return (
    <p class={`verdict ${broken ? 'bad' : 'care'}`}>
      <span aria-hidden="true">{broken ? '✕' : '!'}</span>{' '}
      {broken ? 'Something is wrong' : 'Nothing is broken'}
      {broken ? ': ' : ', but '}
      {listed(parts)}.
    </p>
  );
}

const listed = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;

/** Each kind with its worst cases, and their fixes. */
export function Attention({ groups }: { readonly groups: readonly Group[] }) {
  if (groups.length === 0) return null;
  return (
    <div class="attention">
      {groups.map(({ key, weight, words, total, all, cases }) => (
        <section key={key} id={`attention-${key}`}>
          <h2>
            <Status tone={weight}>{words}</Status>
            {total > cases.length ? (
              <a href={all} aria-label={`All: ${words}`}>
                all {total}
              </a>
            ) : null}
          </h2>
          <ul>
            {cases.map((each) => (
              <li key={each.key} id={`attention-${each.key}`}>
                <span class="host">
                  {each.host === null ? null : <a href={`/servers/${each.host.id}`}>{each.host.name}</a>}
                </span>
                <span class="grow">{each.text}</span>
                {each.action}
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}
