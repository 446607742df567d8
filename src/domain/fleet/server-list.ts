/** Filters of lists for servers that need care. */
export const SERVER_NEEDS = [
  'stale_backup',
  'security_updates',
  'os_updates',
  'container_updates',
  'reboot',
  'updates_unknown',
  'unreachable',
  'unchecked',
] as const;

/** `updates_unknown`: as `areUpdatesUnknown`. `unreachable`: the last connection failed. `unchecked`: never connected, or no inventory yet. */
export type ServerNeed = (typeof SERVER_NEEDS)[number];

/** Sort orders of lists. `updates`: security fixes first, then the others. */
export const SERVER_ORDERS = ['name', 'system', 'updates', 'last_backup', 'last_seen'] as const;

export interface ServerOrder {
  readonly by: (typeof SERVER_ORDERS)[number];
  readonly descending: boolean;
}

/** A tag and how many servers have it. */
export interface TagCount {
  readonly tag: string;
  readonly servers: number;
}
