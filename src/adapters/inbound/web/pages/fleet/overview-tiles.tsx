import type { ComponentChildren } from 'preact';
import type { Overview } from '../../../../../application/fleet/get-overview.ts';
import type { JobDay, JobDays } from '../../../../../application/jobs/job-days.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { count, grouped } from '../../../../../domain/base/spans.ts';
import type { FleetDay } from '../../../../../domain/fleet/day-strip.ts';
import { Icon } from '../../components/icon.tsx';
import type { IconName } from '../../components/icon-names.ts';
import { Sparkline } from '../../components/sparkline.tsx';
import type { Tone } from '../../components/status.tsx';
import { Ago, Day } from '../../components/time.tsx';
import { JobStrip, wordsOf } from './server-activity.tsx';

interface TileProps {
  readonly icon: IconName;
  readonly label: string;
  readonly href: string;
  readonly value: string | number;
  readonly unit?: string;
  /** Of a number that needs attention. */
  readonly tone?: Extract<Tone, 'bad' | 'care'> | undefined;
  readonly foot: ComponentChildren;
  readonly chart?: ComponentChildren;
}

/** A number, what it means, and how it came about. The whole of it is the link. */
export const StatTile = ({ icon, label, href, value, unit, tone, foot, chart }: TileProps) => (
  <a class="card stat" href={href}>
    <span class="label">
      <Icon name={icon} />
      {label}
    </span>
    <span class={tone ? `value ${tone}` : 'value'}>
      {typeof value === 'number' ? grouped(value) : value} {unit === undefined ? null : <small>{unit}</small>}
    </span>
    <span class="foot">
      <span>{foot}</span>
      {chart}
    </span>
  </a>
);

/** The days before today, the oldest first; `null`: unknown. */
export type FleetPast = readonly (FleetDay | null)[];

const WEEK = 7;

/** How a number of servers changed since a week ago, such as `+12 this week`; `null` without one from then. */
function weekly(now: number, before: number | undefined): string | null {
  if (before === undefined) return null;
  const change = now - before;
  return change === 0
    ? 'unchanged in 7 days'
    : `${change > 0 ? '+' : '−'}${grouped(Math.abs(change))} this week`;
}

/** Of all that ended, in percent; `null`: nothing did. */
const successOf = ({ succeeded, failed }: Pick<JobDay, 'succeeded' | 'failed'>): number | null =>
  succeeded + failed === 0 ? null : Math.round((1000 * succeeded) / (succeeded + failed)) / 10;

const endedOn = ({ succeeded, failed }: JobDay): number => succeeded + failed;

/** The latest value that is known, such as `, last 97.5`. */
function lastOf(values: readonly (number | null)[]): string {
  const last = values.findLast((value) => value !== null);
  return last === undefined ? '' : `, last ${grouped(last)}`;
}

/** The four numbers that say how the fleet is. */
export function OverviewTiles({
  overview: { summary },
  days,
  past,
  now,
}: {
  readonly overview: Overview;
  readonly days: JobDays;
  readonly past: FleetPast;
  readonly now: Instant;
}) {
  const {
    hosts,
    unreachable,
    unchecked,
    backupsOn,
    backupsStale,
    notBackedUpYet,
    securityUpdates,
    securityPackages,
    updatesUnknown,
  } = summary;
  const online = hosts - unreachable - unchecked;
  const today = days.all.at(-1);
  // Today is not over: as a day like the others, it would look like a collapse.
  const over = days.all.slice(0, -1);
  const ended = today ? endedOn(today) : 0;
  const away = [
    unreachable > 0 ? `${grouped(unreachable)} unreachable` : '',
    unchecked > 0 ? `${grouped(unchecked)} to set up` : '',
  ].filter(Boolean);
  return (
    <div class="stats">
      <StatTile
        icon="server"
        label="Servers online"
        href={unreachable > 0 ? '/servers?needs=unreachable' : '/servers'}
        value={online}
        unit={`/ ${grouped(hosts)}`}
        foot={away.length === 0 ? 'all reachable' : away.join(', ')}
        chart={
          <Sparkline
            values={[...past.map((day) => day?.servers ?? null), online]}
            label={`Servers online, ${past.length + 1} days, now ${grouped(online)}`}
          />
        }
      />
      <StatTile
        icon="database-backup"
        label="Protected"
        href={backupsStale > 0 ? '/servers?needs=stale_backup' : '/backups'}
        value={backupsOn - backupsStale - notBackedUpYet}
        unit={`/ ${grouped(backupsOn)}`}
        foot={
          summary.lastBackupOldestAt === null ? (
            'no backup yet'
          ) : (
            <>
              oldest <Ago at={summary.lastBackupOldestAt} now={now} />
            </>
          )
        }
        chart={
          <Sparkline
            values={days.backups.map(successOf)}
            label={`Backups that succeeded in percent, ${days.backups.length} days${lastOf(days.backups.map(successOf))}`}
          />
        }
      />
      <StatTile
        icon="package"
        label="Security updates"
        href={securityUpdates > 0 ? '/servers?needs=security_updates' : '/servers?needs=os_updates'}
        value={securityPackages}
        unit={`on ${count(securityUpdates, 'server')}`}
        foot={[
          weekly(securityUpdates, past.at(-WEEK)?.withSecurityUpdates) ??
            `updates on ${count(summary.osUpdates, 'server')}`,
          updatesUnknown > 0 ? `unknown on ${grouped(updatesUnknown)}` : '',
        ]
          .filter(Boolean)
          .join(', ')}
        chart={
          <Sparkline
            values={[...past.map((day) => day?.withSecurityUpdates ?? null), securityUpdates]}
            label={`Servers with security updates, ${past.length + 1} days, now ${grouped(securityUpdates)}`}
          />
        }
      />
      <StatTile
        icon="list-checks"
        label="Jobs today"
        href="/jobs"
        value={ended}
        unit={today && today.failed > 0 ? `${grouped(today.failed)} failed` : ''}
        foot={
          today && ended > 0
            ? `${successOf(today)} % succeeded`
            : count(summary.jobsRunning, 'job') + ' running'
        }
        chart={
          <Sparkline
            values={over.map(endedOn)}
            label={`Jobs a day, ${over.length} days until yesterday${lastOf(over.map(endedOn))}`}
          />
        }
      />
    </div>
  );
}

/** Whether backups succeeded, day by day, in one line. */
export const BackupDays = ({ days }: { readonly days: readonly JobDay[] }) => (
  <>
    <JobStrip days={days} name="Backups" filter={{ type: 'backup' }} />
    <p class="ends">
      <span>
        <Day at={days[0]?.day ?? 0} />
      </span>
      <span>today</span>
    </p>
  </>
);

/** Whether backups succeeded, day by day. */
export function BackupStrip({ days }: { readonly days: readonly JobDay[] }) {
  return (
    <section class="card" aria-labelledby="strip-title">
      <header>
        <h2 id="strip-title">Backups, {days.length} days</h2>
        <div class="acts quiet">{wordsOf(days)}</div>
      </header>
      <div class="body">
        <BackupDays days={days} />
      </div>
    </section>
  );
}
