import type { InputProblem } from '../base/errors.ts';
import { DAY, type Instant } from '../base/instant.ts';
import type { ContainerHealth } from '../compose/compose.ts';

/** When a policy restarts a service of a Compose project whose health check fails. */
export interface RestartRule {
  /** Checks in a row that find it unhealthy; Drover checks once a minute. */
  readonly checks: number;
  /** Restarts of one service within 24 hours. Then an alert opens. */
  readonly perDay: number;
  /** Names of Compose projects; missing: all. */
  readonly projects?: readonly string[] | undefined;
}

const MAX_CHECKS = 60;
const MAX_PER_DAY = 24;
const MAX_PROJECTS = 50;
const PROJECT = /^[a-z0-9][a-z0-9_-]{0,62}$/;

/** Whether the rule is about a project of this name. */
export const covers = ({ projects }: RestartRule, project: string | null): boolean =>
  projects === undefined || (project !== null && projects.includes(project));

export function restartProblems({ checks, perDay, projects = [] }: RestartRule): InputProblem[] {
  const wrong = projects.find((each) => !PROJECT.test(each));
  const isWhole = (value: number, most: number): boolean =>
    Number.isInteger(value) && value >= 1 && value <= most;
  return [
    ...(isWhole(checks, MAX_CHECKS)
      ? []
      : [{ path: '/restart_checks', message: `Enter a number of checks from 1 to ${MAX_CHECKS}.` }]),
    ...(isWhole(perDay, MAX_PER_DAY)
      ? []
      : [{ path: '/restarts_per_day', message: `Enter a number of restarts from 1 to ${MAX_PER_DAY}.` }]),
    ...(wrong === undefined
      ? []
      : [
          {
            path: '/restart_projects',
            message: `“${wrong.slice(0, 60)}” is not the name of a Compose project.`,
          },
        ]),
    ...(projects.length <= MAX_PROJECTS
      ? []
      : [{ path: '/restart_projects', message: `Name at most ${MAX_PROJECTS} projects.` }]),
  ];
}

/** A service that was found unhealthy, or was restarted within 24 hours. */
export interface WatchedService {
  readonly serverId: number;
  /** The directory of its project. */
  readonly directory: string;
  readonly service: string;
  /** In a row that found it unhealthy. */
  readonly checks: number;
  /** Within 24 hours, the oldest first. */
  readonly restarts: readonly Instant[];
  /** Since when it is unhealthy although it was restarted as often as it may; `null`: it is not. */
  readonly gaveUpAt: Instant | null;
}

/** After a check; `null`: nothing is left to remember. A container that starts is neither healthy nor unhealthy. */
export function checkedService(
  before: WatchedService,
  health: ContainerHealth | null,
  { rule, at }: { readonly rule: RestartRule; readonly at: Instant },
): WatchedService | null {
  const restarts = before.restarts.filter((each) => each > at - DAY);
  if (health === 'unhealthy') {
    const checks = Math.min(before.checks + 1, rule.checks);
    const isExhausted = checks >= rule.checks && restarts.length >= rule.perDay;
    return { ...before, checks, restarts, gaveUpAt: before.gaveUpAt ?? (isExhausted ? at : null) };
  }
  if (health === 'starting') return { ...before, restarts };
  return restarts.length === 0 ? null : { ...before, checks: 0, restarts, gaveUpAt: null };
}

/** Whether it is to be restarted now. */
export const needsRestart = ({ checks, restarts }: WatchedService, rule: RestartRule): boolean =>
  checks >= rule.checks && restarts.length < rule.perDay;

export const restarted = (service: WatchedService, at: Instant): WatchedService => ({
  ...service,
  checks: 0,
  restarts: [...service.restarts, at],
});
