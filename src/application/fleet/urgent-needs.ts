import type { Instant } from '../../domain/base/instant.ts';
import { isBackupStale } from '../../domain/fleet/fleet-conditions.ts';
import type { Server } from '../../domain/fleet/server.ts';
import type { ServerNeed } from '../../domain/fleet/server-list.ts';

/** Worst first. Updates that mend no fault can wait: they are none of these. */
export const URGENT_NEEDS = [
  'unreachable',
  'stale_backup',
  'security_updates',
  'reboot',
  'unchecked',
] as const satisfies readonly ServerNeed[];
export type UrgentNeed = (typeof URGENT_NEEDS)[number];

/** What one server needs, as stores find it of many. */
export function urgentNeeds(server: Server, backupStaleBefore: Instant): readonly UrgentNeed[] {
  const { facts } = server;
  const needs: Readonly<Record<UrgentNeed, boolean>> = {
    unreachable: facts.contactFailedSince !== null,
    stale_backup: isBackupStale(server, backupStaleBefore),
    security_updates: (facts.securityUpdatesCount ?? 0) > 0,
    reboot: facts.rebootPending === true,
    unchecked: facts.inventoryAt === null && facts.contactFailedSince === null,
  };
  return URGENT_NEEDS.filter((need) => needs[need]);
}
