import type { ScheduleOverview } from '../../../../../application/automation/list-schedules.ts';
import { count } from '../../../../../domain/base/spans.ts';
import { type HostSelector, selects } from '../../../../../domain/fleet/host-selector.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import { jobTitle } from '../../../../../domain/jobs/job-types.ts';
import { InWords, Soon } from '../../components/time.tsx';

const MAX_NEXT = 4;

export interface NextServers {
  readonly fleet: readonly Pick<Server, 'id' | 'tags'>[];
  /** How many there are, also beyond these. */
  readonly total: number;
}

/** How many a schedule selects, such as `42 servers`; of a larger fleet, those with a tag are not counted. */
function serversOf(selector: HostSelector, { fleet, total }: NextServers): string | null {
  if (selector.by === 'all') return count(total, 'server');
  if (total === fleet.length)
    return count(fleet.filter((server) => selects(selector, server)).length, 'server');
  return selector.by === 'ids' ? count(selector.ids.length, 'server') : null;
}

/** What schedules start next, one line each. */
export function UpNext({
  schedules,
  now,
  all,
  servers,
}: {
  readonly schedules: readonly ScheduleOverview[];
  readonly now: number;
  /** The list of schedules. */
  readonly all: string;
  /** Absent on the page of one server. */
  readonly servers?: NextServers;
}) {
  const next = schedules
    .flatMap(({ schedule, nextRunAt }) => (nextRunAt === null ? [] : [{ schedule, at: nextRunAt }]))
    .toSorted((a, b) => a.at - b.at)
    .slice(0, MAX_NEXT);
  return (
    <section class="card" aria-labelledby="next-title">
      <header>
        <h2 id="next-title">Up next</h2>
        <div class="acts">
          <a class="button ghost small" href={all}>
            Schedules
          </a>
        </div>
      </header>
      {next.length === 0 ? (
        <p class="body quiet">No upcoming runs.</p>
      ) : (
        <ul class="body next">
          {next.map(({ schedule, at }) => (
            <li key={schedule.id}>
              {at > now ? <Soon at={at} now={now} /> : <InWords at={at} words="now" />}
              <span>
                <a href={`/schedules/${schedule.id}`}>{schedule.name}</a>{' '}
                {servers ? <span class="quiet">{serversOf(schedule.selector, servers)}</span> : null}
                <span class="under">{jobTitle(schedule.jobType)}</span>
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
