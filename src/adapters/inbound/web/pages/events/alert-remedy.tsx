import type { ComponentChildren } from 'preact';
import { EVENT_TITLES } from '../../../../../domain/events/event.ts';
import type { Notification, NotificationKind } from '../../../../../domain/events/notification.ts';
import type { JobType } from '../../../../../domain/jobs/job-types.ts';
import { Way } from '../fleet/remedy.tsx';

/** The job that solves it on all servers of the group. */
const JOBS: Readonly<Partial<Record<NotificationKind, readonly [JobType, string]>>> = {
  'backup.stale': ['backup', 'Back up…'],
  'updates.available': ['os_patch', 'Update packages…'],
  'server.reboot_pending': ['host_reboot', 'Reboot…'],
};

/** Where the rest is solved. */
const PLACES: Readonly<Partial<Record<NotificationKind, readonly [string, string]>>> = {
  'job.failed': ['/jobs?status=failed', 'View jobs'],
  'server.unreachable': ['/servers?needs=unreachable', 'Review'],
  'token.expiring': ['/settings/tokens', 'Review'],
  'approval.requested': ['/approvals', 'Review'],
  'webhook.disabled': ['/settings/alerts', 'Review'],
  'clock.jumped': ['/settings/about', 'Review'],
};

/** A selection of more servers is made in their list. */
const MAX_IN_ADDRESS = 50;

/** What solves all alerts of a kind, or leads there. */
export function remedyOf(kind: NotificationKind, alerts: readonly Notification[]): ComponentChildren {
  const about = EVENT_TITLES[kind];
  const servers = [...new Set(alerts.flatMap(({ serverName }) => serverName ?? []))].toSorted();
  const [first] = alerts;
  if (kind === 'host_key.mismatch' && first?.serverId)
    return <Way to={`/servers/${first.serverId}/setup/host-key`} label="Compare keys" about={about} />;
  if (kind === 'disk.filling' && first?.serverId)
    return <Way to={`/servers/${first.serverId}/metrics`} label="View metrics" about={about} />;
  if (kind === 'os.end_of_life') {
    const support = alerts.some(({ severity }) => severity === 'critical') ? 'ended' : 'ending';
    return <Way to={`/servers?support=${support}`} label="Review" about={about} />;
  }
  if (kind === 'updates.stopped' && first !== undefined)
    return <Way to={`/batches/${first.subjectId}`} label="Batch" about={about} />;
  if (kind === 'service.unhealthy' && first?.serverId)
    return <Way to={`/servers/${first.serverId}/containers`} label="View containers" about={about} />;
  const [job, label] = JOBS[kind] ?? [];
  if (job !== undefined && label !== undefined && servers.length > 0 && servers.length <= MAX_IN_ADDRESS) {
    const to = new URLSearchParams({ type: job, selector: 'ids', servers: servers.join(', ') });
    return <Way to={`/batches/new?${to}`} label={label} about={about} />;
  }
  const [to, words] = PLACES[kind] ?? [];
  return to !== undefined && words !== undefined ? <Way to={to} label={words} about={about} /> : null;
}
