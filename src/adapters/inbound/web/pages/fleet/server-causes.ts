import type { ListNotifications } from '../../../../../application/events/list-notifications.ts';
import type { ListJobs } from '../../../../../application/jobs/list-jobs.ts';
import { ALERTS_AS_NEEDS, isAlertANeed } from '../../../../../domain/events/notification.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import type { SignedInVisit } from '../../route.ts';

const LATEST_BACKUPS = { limit: 10, offset: 0 };
const MAX_ALERTS = 30;

/** The latest backups as far as they failed. */
export async function failedSince(
  deps: { readonly listJobs: Pick<ListJobs, 'execute'> },
  { id }: Server,
  { visitor }: SignedInVisit,
) {
  const found = await deps.listJobs.execute(visitor.actor, {
    ...LATEST_BACKUPS,
    serverId: id,
    jobType: 'backup',
  });
  const ended = found.items.filter(({ finishedAt, params }) => finishedAt !== null && !params.dryRun);
  const lastGood = ended.findIndex(({ status }) => status !== 'failed');
  return lastGood < 0 ? ended : ended.slice(0, lastGood);
}

/** The open alerts that are a need of the server, the worst first. */
export async function alertsAsNeeds(
  { listNotifications }: { readonly listNotifications: Pick<ListNotifications, 'execute'> },
  { id, worstAlert }: Server,
  { visitor }: SignedInVisit,
) {
  const filter = {
    serverId: id,
    states: ['open', 'acknowledged'],
    muted: false,
    kinds: ALERTS_AS_NEEDS,
  } as const;
  const found = await listNotifications.execute(visitor.actor, filter, { limit: MAX_ALERTS, offset: 0 });
  return found.items
    .filter(isAlertANeed)
    .toSorted((a, b) => Number(b.severity === worstAlert) - Number(a.severity === worstAlert));
}
