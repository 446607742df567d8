import type { ServerHistory } from '../../../../../application/fleet/get-server-history.ts';
import { count } from '../../../../../domain/base/spans.ts';
import type { JobDay, SeenDay } from '../../../../../domain/fleet/day-strip.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import type { JobType } from '../../../../../domain/jobs/job-types.ts';
import { type HeatCell, HeatStrip } from '../../components/heat-strip.tsx';
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
            cells={backups.map((day) => jobCell(day, 'backup'))}
            label={jobLabel('Backups', backups)}
          />
        </dd>
        <dt>
          <a href={`/servers/${id}/metrics`}>Reachable</a>
        </dt>
        <dd>
          <HeatStrip cells={seen.map(seenCell)} label={seenLabel(seen)} />
        </dd>
        <dt>
          <a href={jobs('os_patch')}>Updates</a>
        </dt>
        <dd>
          <HeatStrip
            cells={updates.map((day) => jobCell(day, 'package update'))}
            label={jobLabel('Package updates', updates)}
          />
        </dd>
      </dl>
    </section>
  );
}

/** A day of jobs in a strip: the same wherever it is shown. */
export const jobCell = ({ day, succeeded, failed }: JobDay, what: string): HeatCell => ({
  tone: failed > 0 ? (succeeded > 0 ? 'care' : 'bad') : succeeded > 0 ? 'good' : 'off',
  title:
    succeeded + failed === 0
      ? `${dayText(day)}: no ${what}`
      : `${dayText(day)}: ${count(succeeded + failed, what)}, ${failed} failed`,
});

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
