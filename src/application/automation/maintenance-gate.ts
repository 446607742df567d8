import {
  type MaintenanceWindow,
  outsideWindow,
  type WindowState,
  windowState,
} from '../../domain/automation/maintenance-window.ts';
import type { DomainError } from '../../domain/base/errors.ts';
import type { Instant } from '../../domain/base/instant.ts';
import type { Server } from '../../domain/fleet/server.ts';
import { type JobType, needsWindow } from '../../domain/jobs/job-types.ts';
import { UseCase } from '../base/use-case.ts';
import type { CronClock } from '../ports/automation/cron-clock.ts';

type Candidate = Pick<Server, 'id' | 'name' | 'tags'>;

/** Keeps jobs that change a server within its maintenance windows. Checked whenever such a job is accepted. */
export class MaintenanceGate extends UseCase<'windows' | 'cron' | 'clock'> {
  /** Throws `outside_maintenance_window`. */
  async pass(server: Candidate, type: JobType, dryRun: boolean): Promise<void> {
    const refusal = (await this.check(type, dryRun))(server);
    if (refusal) throw refusal;
  }

  /** What `pass` would throw, for many servers at the cost of one. */
  async check(type: JobType, dryRun: boolean): Promise<(server: Candidate) => DomainError | null> {
    if (!needsWindow(type, dryRun)) return () => null;
    const states = await this.states();
    return (server) => outsideWindow(states, server, type);
  }

  /** All windows as they are now, by name. */
  async states(): Promise<readonly WindowState[]> {
    return (await this.statesAt())(this.deps.clock.now());
  }

  /** All windows as they are at a time, by name. */
  async statesAt(): Promise<(at: Instant) => readonly WindowState[]> {
    const windows = (await this.deps.windows.list()).map((window) => ({
      window,
      timesAt: timesOf(this.deps.cron, window),
    }));
    // Asked for every server, mostly at the same time.
    let known: { readonly at: Instant; readonly states: readonly WindowState[] } | null = null;
    return (at) => {
      if (known?.at !== at)
        known = { at, states: windows.map(({ window, timesAt }) => windowState(window, timesAt(at), at)) };
      return known.states;
    };
  }
}

interface Times {
  readonly last: Instant | null;
  readonly next: Instant | null;
}

/** When a window opened last and opens next. Between the two, the calendar is asked once. */
function timesOf(cron: CronClock, { opens }: MaintenanceWindow): (at: Instant) => Times {
  let known: Times | null = null;
  const holds = ({ last, next }: Times, at: Instant): boolean =>
    (last === null || last <= at) && (next === null || at < next);
  return (at) => {
    if (known === null || !holds(known, at))
      known = { last: cron.last(opens, at), next: cron.next(opens, at) };
    return known;
  };
}
