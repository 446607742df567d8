import type { ScheduleOverview } from '../../../../../application/automation/list-schedules.ts';
import { toIso } from '../../../../../domain/base/instant.ts';
import { duration } from '../../../../../domain/base/spans.ts';
import { jobTitle } from '../../../../../domain/jobs/job-types.ts';
import { exactly } from '../../components/time.tsx';

const MAX_NEXT = 4;

/** What schedules start next, one line each. */
export function UpNext({
  schedules,
  now,
  all,
}: {
  readonly schedules: readonly ScheduleOverview[];
  readonly now: number;
  /** The list of schedules. */
  readonly all: string;
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
              <time datetime={toIso(at)} title={exactly(at)}>
                {at > now ? `in ${duration(at - now)}` : 'now'}
              </time>
              <span>
                <a href={`/schedules/${schedule.id}`}>{schedule.name}</a>
                <span class="under">{jobTitle(schedule.jobType)}</span>
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
