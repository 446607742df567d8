import type { Instant } from '../base/instant.ts';
import type { Order } from '../base/page.ts';
import { isBackupStale, isDiskNearlyFull, isNotBackedUpYet, lacksBackup } from './fleet-conditions.ts';
import { areUpdatesUnknown } from './pending-updates.ts';
import type { Server } from './server.ts';

/** Filters of lists for servers that need care. */
export const SERVER_NEEDS = [
  'stale_backup',
  'disk_full',
  'security_updates',
  'os_updates',
  'container_updates',
  'reboot',
  'updates_unknown',
  'unreachable',
  'unchecked',
  'critical_alert',
  'alert',
  'no_backup',
  'lacks_backup',
] as const;

/** `updates_unknown`: as `areUpdatesUnknown`. `unreachable`: the last connection failed. `unchecked`: never connected, or no inventory yet. `critical_alert`, `alert`: as `worstAlert`. `no_backup`: as `isNotBackedUpYet`. `lacks_backup`: that or `stale_backup`, as programs count it. */
export type ServerNeed = (typeof SERVER_NEEDS)[number];

/** Sort orders of lists, as programs name them. `updates`: security fixes first, then the others. */
export const PROGRAM_ORDERS = ['name', 'system', 'updates', 'last_backup', 'last_seen'] as const;

/** All of them. `disk`: by how full the root file system is. `status`: by the worst need. */
export const SERVER_ORDERS = [...PROGRAM_ORDERS, 'disk', 'status'] as const;

export type ServerOrder = Order<(typeof SERVER_ORDERS)[number]>;

/** A tag and how many servers have it. */
export interface TagCount {
  readonly tag: string;
  readonly servers: number;
}

/** What a server needs, by the rules that lists are filtered by. Backups are stale as `isBackupStale`. */
export function needsOf(server: Server, staleBefore: Instant): readonly ServerNeed[] {
  const { facts } = server;
  const { contactFailedSince, inventoryAt } = facts;
  const is: Readonly<Record<ServerNeed, boolean>> = {
    stale_backup: isBackupStale(server, staleBefore),
    disk_full: isDiskNearlyFull(server),
    security_updates: (facts.securityUpdatesCount ?? 0) > 0,
    os_updates: (facts.osUpdatesCount ?? 0) > 0,
    container_updates: (facts.containerUpdatesCount ?? 0) > 0,
    reboot: facts.rebootPending === true,
    updates_unknown: areUpdatesUnknown(server),
    unreachable: contactFailedSince !== null,
    unchecked: contactFailedSince === null && inventoryAt === null,
    critical_alert: server.worstAlert === 'critical',
    alert: server.worstAlert === 'warning',
    no_backup: isNotBackedUpYet(server, staleBefore),
    lacks_backup: lacksBackup(server, staleBefore),
  };
  return SERVER_NEEDS.filter((need) => is[need]);
}

/** Worst first. Updates without a security fix are not included: they can wait. */
export const STATE_NEEDS = [
  'unreachable',
  'critical_alert',
  'stale_backup',
  'disk_full',
  'security_updates',
  'alert',
  'reboot',
  'updates_unknown',
  'unchecked',
  'no_backup',
] as const satisfies readonly ServerNeed[];

export type StateNeed = (typeof STATE_NEEDS)[number];

/** The state of a server: the needs that keep it from being healthy. */
export function stateNeeds(server: Server, staleBefore: Instant): readonly StateNeed[] {
  const needs = needsOf(server, staleBefore);
  return STATE_NEEDS.filter((need) => needs.includes(need));
}

/** How many servers there are, and how many need what. */
export interface FleetNeeds {
  readonly servers: number;
  readonly needs: Readonly<Record<ServerNeed, number>>;
}
