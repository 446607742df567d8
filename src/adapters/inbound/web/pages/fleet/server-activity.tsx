import type { ServerHistory } from '../../../../../application/fleet/get-server-history.ts';
import { toIso } from '../../../../../domain/base/instant.ts';
import { count } from '../../../../../domain/base/spans.ts';
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
          <HeatStrip
            cells={backups.map((day) => jobCell(day, 'backup', { server: name, type: 'backup' }))}
            label={jobLabel('Backups', backups)}
          />
        </dd>
        <dt>
          <a href={`/servers/${id}/metrics`}>Reachable</a>
        </dt>
        <dd>
          <HeatStrip
            cells={seen.map((day) => ({ ...seenCell(day), href: `/servers/${id}/metrics` }))}
            label={seenLabel(seen)}
          />
        </dd>
        <dt>
          <a href={jobs('os_patch')}>Updates</a>
        </dt>
        <dd>
          <HeatStrip
            cells={updates.map((day) => jobCell(day, 'package update', { server: name, type: 'os_patch' }))}
            label={jobLabel('Package updates', updates)}
          />
        </dd>
      </dl>
    </section>
  );
}

/** A day of jobs in a strip, which leads to them: the same wherever it is shown. `filter`: of the list of jobs. */
export function jobCell(
  { day, succeeded, failed }: JobDay,
  what: string,
  filter: Readonly<Record<string, string>>,
): HeatCell {
  const total = succeeded + failed;
  const date = toIso(day).slice(0, 10);
  return {
    tone: total === 0 ? 'off' : toneOfMany(failed, total),
    title:
      total === 0
        ? `${dayText(day)}: no ${what}s`
        : `${dayText(day)}: ${count(total, what)}, ${failed} failed`,
    href: `/jobs?${new URLSearchParams({ ...filter, since: date, until: date })}`,
  };
}

export const jobLabel = (name: string, days: readonly JobDay[]): string => {
  const sum = (value: (day: JobDay) => number): number => days.reduce((total, day) => total + value(day), 0);
  return `${name}, ${days.length} days: ${sum(({ succeeded }) => succeeded)} succeeded, ${sum(({ failed }) => failed)} failed`;
};

const seenCell = ({ day, hours, expected }: SeenDay): HeatCell => ({
  tone: expected === 0 ? 'off' : hours === 0 ? 'bad' : expected - hours > HOURS_MISSED ? 'care' : 'good',
  title:
    expected === 0
      ? `${dayText(day)}: unknown`
      : `${dayText(day)}: inventory in ${hours} of ${count(expected, 'hour')}`,
});

const seenLabel = (days: readonly SeenDay[]): string => {
  const known = days.filter(({ expected }) => expected > 0);
  const missed = known.filter(({ hours, expected }) => expected - hours > HOURS_MISSED).length;
  return `Reachable, ${days.length} days: known for ${count(known.length, 'day')}, inventories missing on ${count(missed, 'day')}`;
};
