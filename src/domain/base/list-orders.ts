import type { Order } from './page.ts';

/** The orders that lists offer, besides the servers' own. */

/** Orders that an index serves. `started`: the time of the request. */
export const JOB_ORDERS = ['started', 'state'] as const;
export type JobOrder = Order<(typeof JOB_ORDERS)[number]>;

/** Orders of one server's snapshots. `source`: by its name. */
export const SNAPSHOT_ORDERS = ['source', 'taken', 'files', 'size', 'transferred', 'verified'] as const;
export type SnapshotOrder = Order<(typeof SNAPSHOT_ORDERS)[number]>;

export const PACKAGE_ORDERS = ['name', 'servers'] as const;
export type PackageOrder = Order<(typeof PACKAGE_ORDERS)[number]>;

export const BACKUP_ORDERS = ['server', 'last_success', 'verified'] as const;
export type BackupOrder = Order<(typeof BACKUP_ORDERS)[number]>;

/** Orders that an index serves. `since`: the time of the request. */
export const APPROVAL_ORDERS = ['since', 'state'] as const;
export type ApprovalOrder = Order<(typeof APPROVAL_ORDERS)[number]>;

export const USER_ORDERS = ['name', 'role', 'last_sign_in'] as const;
export type UserOrder = Order<(typeof USER_ORDERS)[number]>;

export const TOKEN_ORDERS = ['created', 'name', 'expires'] as const;
export type TokenOrder = Order<(typeof TOKEN_ORDERS)[number]>;

/** `since`: when it was opened, which indexes serve; `severity` sorts all that match, so it is for open alerts only. */
export const NOTIFICATION_ORDERS = ['since', 'severity'] as const;
export type NotificationOrder = Order<(typeof NOTIFICATION_ORDERS)[number]>;
