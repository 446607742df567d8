/** What makes a server need care, as lists are asked for it. */
export const SERVER_NEEDS = [
  'stale_backup',
  'security_updates',
  'os_updates',
  'container_updates',
  'reboot',
  'unreachable',
  'unchecked',
] as const;

/** `unreachable`: the last try to get onto it failed. `unchecked`: nobody has tried yet, or got as far as an inventory. */
export type ServerNeed = (typeof SERVER_NEEDS)[number];

/** What lists can go by. `updates`: those that mend a fault first, then the others. */
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
