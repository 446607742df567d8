import { type Instant, toIsoOrNull } from '../../base/instant.ts';
import { oneLine } from '../../base/one-line.ts';
import type { Server } from '../../fleet/server.ts';
import type { FleetNeeds, ServerNeed } from '../../fleet/server-list.ts';
import type { Job } from '../../jobs/job.ts';
import { jobTitle } from '../../jobs/job-types.ts';
import type { Notification } from '../notification.ts';

/** Home Assistant takes no longer state. */
const MAX_STATE = 255;
/** Alerts that are listed with their number. */
export const MAX_LISTED_ALERTS = 20;

type Switch = 'ON' | 'OFF' | null;
type ActiveJob = Pick<Job, 'jobType' | 'status' | 'params'>;

/** A state in one line, without invisible characters: hosts write parts of some. */
export const stateText = (text: string): string => oneLine(text, MAX_STATE);

/** The state of one server, as the templates of its entities read it. */
export function serverState(
  server: Server,
  { needs, jobs }: { readonly needs: readonly ServerNeed[]; readonly jobs: readonly ActiveJob[] },
): object {
  const { facts } = server;
  const is = (need: ServerNeed): Switch => (needs.includes(need) ? 'ON' : 'OFF');
  const isRunning = (type: Job['jobType']): boolean =>
    jobs.some((job) => job.jobType === type && job.status === 'running' && !job.params.dryRun);
  return {
    reachable: facts.contactFailedSince !== null ? 'OFF' : facts.lastSeenAt === null ? null : 'ON',
    packages: update(facts.osUpdatesCount, facts.securityUpdatesCount, isRunning('os_patch')),
    containers: update(facts.containerUpdatesCount, null, isRunning('container_patch')),
    security_updates: facts.securityUpdatesCount,
    reboot_required: facts.rebootPending === null ? null : is('reboot'),
    backup_overdue: is('stale_backup'),
    last_backup: toIsoOrNull(facts.lastBackupAt),
    last_verified: toIsoOrNull(facts.lastVerifiedAt),
    alerts: server.alertsOpen,
    job: jobText(jobs),
    disk: percent(facts.diskUsedBytes, facts.diskTotalBytes),
    memory: percent(facts.memoryUsedBytes, facts.memoryTotalBytes),
    load: facts.cpuLoad,
  };
}

/** The state of the whole fleet. */
export const fleetState = (fleet: {
  readonly counts: FleetNeeds;
  readonly alerts: { readonly total: number; readonly worst: readonly Notification[] };
  readonly approvals: number;
}): object => ({
  servers: fleet.counts.servers,
  unreachable: fleet.counts.needs.unreachable,
  with_updates: fleet.counts.needs.os_updates,
  with_security_updates: fleet.counts.needs.security_updates,
  backups_overdue: fleet.counts.needs.stale_backup,
  alerts: fleet.alerts.total,
  approvals: fleet.approvals,
  worst: {
    alerts: fleet.alerts.worst.map(({ title, severity, serverName, beganAt }) => ({
      title: stateText(title),
      severity,
      server: serverName,
      since: toIsoOrNull(beganAt),
    })),
  },
});

/** The answer to a command, until the next. */
export const answerState = (text: string, at: Instant): object => ({
  text: stateText(text),
  at: toIsoOrNull(at),
});

/**
 * Home Assistant offers to install what differs from the installed version. Packages have many versions, so that these
 * two are words. Unknown is empty, which leaves the entity unknown: its schema takes no `null`.
 */
function update(pending: number | null, security: number | null, isRunning: boolean): object {
  if (pending === null) return {};
  const some = pending === 1 ? '1 update' : `${pending} updates`;
  return {
    installed_version: pending === 0 ? 'up to date' : 'installed',
    latest_version: pending === 0 ? 'up to date' : security ? `${some}, ${security} for security` : some,
    in_progress: isRunning,
  };
}

function jobText(jobs: readonly ActiveJob[]): string {
  const [first] = jobs;
  if (first === undefined) return 'none';
  const title = `${jobTitle(first.jobType)}${first.params.dryRun ? ' (dry run)' : ''}`;
  if (first.status === 'awaiting_approval') return `${title}: waits for approval`;
  return first.status === 'pending' ? `${title}: waits` : title;
}

const percent = (used: number | null, total: number | null): number | null =>
  used === null || total === null || total === 0 ? null : Math.round((1_000 * used) / total) / 10;
