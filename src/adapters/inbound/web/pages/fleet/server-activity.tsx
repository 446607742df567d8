import type { ServerHistory } from '../../../../../application/fleet/get-server-history.ts';
import { toIso } from '../../../../../domain/base/instant.ts';
import { count, grouped } from '../../../../../domain/base/spans.ts';
import type { JobDay, SeenDay } from '../../../../../domain/fleet/day-strip.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import type { JobType } from '../../../../../domain/jobs/job-types.ts';
import { type HeatCell, HeatStrip } from '../../components/heat-strip.tsx';
import { toneOfMany } from '../../components/status.tsx';
import { dayText } from '../../components/time.tsx';

/** A day may lack an inventory in this many hours before that shows: a restart, an upgrade of Drover. */
const HOURS_MISSED = 2;

/** What happened on each of the last days: backups, connections, updates. */
export function ServerActivity({
  server: { id, name },
  history,
}: {
  readonly server: Pick<Server, 'id' | 'name'>;
  readonly history: ServerHistory;
}) {
  const jobs = (type: JobType): string => `/jobs?${new URLSearchParams({ server: name, type })}`;
  const { backups, seen, updates } = history;
  const days = backups.length;
  return (
    <section class="card">
      <header>
        <h2>Activity, {days} days</h2>
        <div class="acts">
          <a class="button ghost small" href={`/changes?server=${id}`}>
            What changed
          </a>
        </div>
      </header>
      <dl class="body strips">
        <dt>
          <a href={jobs('backup')}>Backup</a>
        </dt>
        <dd>
          <JobStrip days={backups} name="Backups" filter={{ server: name, type: 'backup' }} />
        </dd>
        <dt>
          <a href={`/servers/${id}/metrics`}>Reachable</a>
        </dt>
        <dd>
          <HeatStrip
            cells={seen.map((day) => seenCell(day, `/servers/${id}/metrics`))}
            label={seenLabel(seen)}
            none="Not known yet"
          />
        </dd>
        <dt>
          <a href={jobs('os_patch')}>Updates</a>
        </dt>
        <dd>
          <JobStrip
            days={updates}
            what="package update"
            name="Package updates"
            filter={{ server: name, type: 'os_patch' }}
          />
        </dd>
      </dl>
    </section>
  );
}

interface JobStripProps {
  readonly days: readonly JobDay[];
  /** Of the strip, such as `Backups of web-01`. */
  readonly name: string;
  readonly what?: string;
  /** Of the list of jobs. */
  readonly filter: Readonly<Record<string, string>>;
}

/** Jobs day by day, each day with a link to them: the same wherever it is shown. */
export const JobStrip = ({ days, name, what = 'backup', filter }: JobStripProps) => (
  <HeatStrip
    cells={days.map((day) => jobCell(day, what, filter))}
    label={`${name}, ${days.length} days: ${wordsOf(days)}`}
    none={`No runs in ${days.length} days`}
  />
);

function jobCell(
  { day, succeeded, failed }: JobDay,
  what: string,
  filter: JobStripProps['filter'],
): HeatCell {
  const total = succeeded + failed;
  const date = toIso(day).slice(0, 10);
  return {
    tone: total === 0 ? 'off' : toneOfMany(failed, total),
    title:
      total === 0
        ? `${dayText(day)}: no ${what}s`
        : `${dayText(day)}: ${count(total, what)}, ${failed} failed`,
    href: total === 0 ? undefined : `/jobs?${new URLSearchParams({ ...filter, since: date, until: date })}`,
  };
}

/** The results of the jobs of these days. */
export function wordsOf(days: readonly JobDay[]): string {
  const sum = (of: (day: JobDay) => number): number => days.reduce((total, day) => total + of(day), 0);
  return `${grouped(sum((day) => day.succeeded))} succeeded, ${grouped(sum((day) => day.failed))} failed`;
}

const seenCell = ({ day, hours, expected }: SeenDay, href: string): HeatCell => ({
  tone: expected === 0 ? 'off' : hours === 0 ? 'bad' : expected - hours > HOURS_MISSED ? 'care' : 'good',
  title:
    expected === 0
      ? `${dayText(day)}: unknown`
      : `${dayText(day)}: inventory in ${hours} of ${count(expected, 'hour')}`,
  href: expected === 0 ? undefined : href,
});

const seenLabel = (days: readonly SeenDay[]): string => {
  const known = days.filter(({ expected }) => expected > 0);
  const missed = known.filter(({ hours, expected }) => expected - hours > HOURS_MISSED).length;
  return `Reachable, ${days.length} days: known for ${count(known.length, 'day')}, inventories missing on ${count(missed, 'day')}`;
};
