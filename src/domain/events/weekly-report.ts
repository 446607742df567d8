import { oneLine } from '../base/one-line.ts';
import { count, grouped } from '../base/spans.ts';
import type { Severity } from './event.ts';

export const MAX_REPORTED_ALERTS = 5;
const MAX_LINE = 120;

/** What happened in a week, and the problems of now. */
export interface WeekFacts {
  readonly servers: number;
  readonly backups: {
    /** Servers that are backed up. */
    readonly servers: number;
    /** Of these, those without a verification in the week. */
    readonly unverified: number;
    readonly overdue: number;
    readonly failed: number;
  };
  /** Jobs that succeeded; dry runs do not count. */
  readonly packageUpdates: number;
  readonly containerUpdates: number;
  readonly securityUpdatesPending: number;
  readonly rebootPending: number;
  readonly unreachable: number;
  readonly alerts: {
    readonly total: number;
    /** The gravest. */
    readonly worst: readonly { readonly severity: Severity; readonly title: string }[];
  };
}

/** A report in a few lines. */
export function weeklyReport(facts: WeekFacts): { readonly title: string; readonly message: string } {
  const { servers, backups, packageUpdates, containerUpdates, alerts } = facts;
  const { securityUpdatesPending, rebootPending, unreachable } = facts;
  const verified = backups.servers - backups.unverified;
  const pending = [
    ...some(securityUpdatesPending, 'with security updates'),
    ...some(rebootPending, 'that need a reboot', 'that needs a reboot'),
    ...some(unreachable, 'that are unreachable', 'that is unreachable'),
  ];
  const rest = alerts.total - alerts.worst.length;
  const lines = [
    backups.servers === 0
      ? 'Backups: no server is backed up.'
      : `Backups: ${grouped(verified)} of ${count(backups.servers, 'server')} verified in the last 7 days, ${grouped(backups.overdue)} overdue, ${grouped(backups.failed)} failed.`,
    `Updates: ${count(packageUpdates, 'package update')} and ${count(containerUpdates, 'container update')} installed.`,
    pending.length === 0 ? 'Servers: none needs care.' : `Servers: ${pending.join(', ')}.`,
    alerts.total === 0 ? 'Alerts: none.' : `Alerts: ${grouped(alerts.total)} open.`,
    ...alerts.worst.map(({ severity, title }) => oneLine(`${severity}: ${title}`, MAX_LINE)),
    ...(rest > 0 ? [`and ${count(rest, 'more alert')}`] : []),
  ];
  const needs = alerts.total === 0 ? 'no alerts' : count(alerts.total, 'alert');
  return { title: `Weekly report: ${count(servers, 'server')}, ${needs}`, message: lines.join('\n') };
}

const some = (number: number, many: string, one = many): readonly string[] =>
  number === 0 ? [] : [`${grouped(number)} ${number === 1 ? one : many}`];
