import type { ScheduleOverview } from '../../../application/list-schedules.ts';
import { cronText } from '../../../domain/cron-rule.ts';
import { selectorText } from '../../../domain/host-selector.ts';
import { type Instant, toIso } from '../../../domain/instant.ts';
import type { WindowState } from '../../../domain/maintenance-window.ts';
import type { Server } from '../../../domain/server.ts';
import { duration } from '../../../domain/spans.ts';
import { Status } from './status.tsx';

/** A time to come, to the minute. */
const At = ({ at }: { readonly at: Instant | null }) =>
  at === null ? (
    <span class="quiet">never</span>
  ) : (
    <time datetime={toIso(at)} title={toIso(at)}>
      {toIso(at).slice(0, 16).replace('T', ' ')} UTC
    </time>
  );

/** What starts by itself on a server. */
export function ScheduleRows({
  schedules,
  server,
}: {
  readonly schedules: readonly ScheduleOverview[];
  readonly server: Server;
}) {
  if (schedules.length === 0) {
    return (
      <p>
        No schedule means {server.name} yet: what is done on it, somebody has to start. On the service's
        machine: <code>drover schedule add nightly backup --server {server.name} --cron "0 3 * * *"</code>
      </p>
    );
  }
  return (
    <div class="wide">
      <table>
        <thead>
          <tr>
            <th scope="col">Schedule</th>
            <th scope="col">Does</th>
            <th scope="col">On</th>
            <th scope="col">When</th>
            <th scope="col">Next</th>
            <th scope="col">Last</th>
          </tr>
        </thead>
        <tbody>
          {schedules.map(({ schedule, nextRunAt, lastRun }) => (
            <tr key={schedule.id}>
              <td>{schedule.name}</td>
              <td>{schedule.jobType}</td>
              <td class="text">{selectorText(schedule.selector)}</td>
              <td class="mono">{cronText(schedule.cron)}</td>
              <td>{schedule.enabled ? <At at={nextRunAt} /> : <Status tone="off">off</Status>}</td>
              <td>
                {lastRun === null ? (
                  <span class="quiet">never</span>
                ) : lastRun.jobId === null ? (
                  lastRun.outcome
                ) : (
                  <a href={`/jobs/${lastRun.jobId}`}>{lastRun.outcome}</a>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** When a server may be changed. */
export function WindowRows({
  windows,
  now,
  remove,
}: {
  readonly windows: readonly WindowState[];
  readonly now: Instant;
  /** Where one is taken away; null where it may not be here. */
  readonly remove: (state: WindowState) => string | null;
}) {
  if (windows.length === 0) return <p class="quiet">It has no windows, and may be changed at any time.</p>;
  return (
    <div class="wide">
      <table>
        <thead>
          <tr>
            <th scope="col">Window</th>
            <th scope="col">For</th>
            <th scope="col">Opens</th>
            <th scope="col">Open for</th>
            <th scope="col">Now</th>
            <th scope="col">
              <span class="hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {windows.map((state) => {
            const { window, openUntil, opensAt } = state;
            const at = remove(state);
            return (
              <tr key={window.id}>
                <td>{window.name}</td>
                <td class="text">{selectorText(window.selector)}</td>
                <td class="mono">{cronText(window.opens)}</td>
                <td>{duration(window.durationMs)}</td>
                <td>
                  {openUntil === null ? (
                    <>
                      <Status tone="off">closed</Status> opens <At at={opensAt} />
                    </>
                  ) : (
                    <Status tone="good">{`open for ${duration(openUntil - now)}`}</Status>
                  )}
                </td>
                <td class="end">
                  {at === null ? null : (
                    <form method="post" action={at}>
                      <button type="submit" class="danger small" aria-label={`Remove: ${window.name}`}>
                        Remove
                      </button>
                    </form>
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
