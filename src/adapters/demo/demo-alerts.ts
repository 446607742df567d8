import { DAY, HOUR, type Instant, MINUTE } from '../../domain/base/instant.ts';
import type { Server } from '../../domain/fleet/server.ts';
import type { Chance } from './chance.ts';
import { deliver } from './demo-jobs.ts';
import { ANN, type DemoPorts, NEVER } from './demo-ports.ts';

/** Checks the fleet as the service does: opens alerts, and sends notifications. */
export async function look(ports: DemoPorts, chance: Chance, at: Instant): Promise<void> {
  ports.clock.setTo(at);
  await ports.watchConditions.execute(NEVER);
  await deliver(ports, chance);
}

/** A time at which servers became unreachable or reachable again, or at which the fleet was just checked. */
interface Moment {
  readonly at: Instant;
  readonly servers: readonly Server[];
  readonly isAway: boolean;
}

/** Servers that were unreachable for two hours: their alerts are resolved. */
const AWAY_BEFORE = ['gate-02', 'pi-03', 'stage-02'];

/** The default of `METRICS_BACKUP_STALE_HOURS`. */
const STALE_AFTER = 36 * HOUR;

/** Alerts that are as old as their causes: each cause comes at its own time, and the fleet is checked then. */
export async function watched(
  ports: DemoPorts,
  servers: readonly Server[],
  chance: Chance,
  now: Instant,
): Promise<void> {
  const away = servers.filter(({ facts }) => facts.contactFailedSince !== null);
  for (const { id } of away) await ports.servers.learn(id, REACHABLE);
  const before = servers.filter(
    ({ name, facts }) => AWAY_BEFORE.includes(name) && facts.contactFailedSince === null,
  );
  const overdue = servers.flatMap(({ facts: { lastBackupAt } }) =>
    lastBackupAt === null || lastBackupAt + STALE_AFTER >= now ? [] : [lastBackupAt + STALE_AFTER + MINUTE],
  );
  const checks = [...overdue, now - 2 * DAY, ...[8, 7, 5, 3, 1].map((hours) => now - hours * HOUR)];
  const moments: readonly Moment[] = [
    ...away.map((server) => ({
      at: server.facts.contactFailedSince ?? now,
      servers: [server],
      isAway: true,
    })),
    { at: now - 9 * HOUR, servers: before, isAway: true },
    { at: now - 7 * HOUR, servers: before, isAway: false },
    ...checks.map((at) => ({ at, servers: [], isAway: false })),
  ];
  for (const { at, servers: some, isAway } of moments.toSorted((one, other) => one.at - other.at)) {
    for (const { id } of some)
      await ports.servers.learn(
        id,
        isAway ? { contactFailedSince: at, contactError: 'host_unreachable' } : REACHABLE,
      );
    await look(ports, chance, at);
  }
}

const REACHABLE = { contactFailedSince: null, contactError: null };

/** The users' reactions to alerts. */
export async function answered(
  { manageAlerts, notifications, clock }: DemoPorts,
  now: Instant,
): Promise<void> {
  clock.setTo(now - 2 * MINUTE);
  const { items } = await notifications.list(
    { kind: 'server.unreachable', states: ['open'] },
    { limit: 1, offset: 0 },
  );
  for (const { id } of items) await manageAlerts.acknowledge(ANN, id);
  await manageAlerts.mute(ANN, { kind: 'updates.available', serverId: null, until: now + 2 * DAY });
}
