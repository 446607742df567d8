import type { Instant } from '../base/instant.ts';
import type { NotificationKind } from '../events/notification.ts';
import type { JobStatus } from '../jobs/job.ts';
import type { JobType } from '../jobs/job-types.ts';
import type { FleetLimits } from './fleet-conditions.ts';
import type { SupportState } from './os-support.ts';

/** What updates are for: packages, security fixes among them, and container images. */
export const UPDATE_KINDS = ['os', 'security', 'container'] as const;

export type UpdateKind = (typeof UPDATE_KINDS)[number];

export const CHECK_KINDS = ['os', 'container'] as const;

export type CheckKind = (typeof CHECK_KINDS)[number];

/** The moments that a reading is made for. */
export interface GaugeMoments extends FleetLimits {
  readonly now: Instant;
  /** Jobs that failed at this moment or later count as failed lately. */
  readonly failedSince: Instant;
  /** Tokens that end at this moment or earlier are about to expire. */
  readonly expiringUntil: Instant;
}

/** All gauges of the service. None is omitted: an empty one is 0. */
export interface Gauges {
  readonly servers: {
    readonly total: number;
    /** As the domain's `needsAttention`. */
    readonly attention: number;
    readonly unreachable: number;
    readonly rebootPending: number;
    readonly backupEnabled: number;
    /** As the domain's `lacksBackup`. */
    readonly backupStale: number;
    /** As the domain's `isBackupUnverified`. */
    readonly backupUnverified: number;
    /** Servers whose feature for a kind of check is on, and that never had one. */
    readonly neverChecked: Readonly<Record<CheckKind, number>>;
    readonly withUpdates: Readonly<Record<UpdateKind, number>>;
    /** By the end of security updates for their release. */
    readonly bySupport: Readonly<Record<SupportState, number>>;
  };
  /** Updates that wait, summed over all servers. */
  readonly updates: Readonly<Record<UpdateKind, number>>;
  readonly jobs: {
    readonly byStatus: Readonly<Record<JobStatus, number>>;
    /** Pending and running ones. */
    readonly activeByType: Readonly<Record<JobType, number>>;
    readonly failedLately: number;
    /** When the job was asked for that waits longest to be run; `null`: none waits. */
    readonly oldestPendingAt: Instant | null;
    /** Servers with a recent job that failed because the host showed a different key than the confirmed one. */
    readonly hostKeyMismatches: number;
  };
  /** Jobs, and batches as a whole, that wait for approval. */
  readonly approvals: { readonly waiting: number };
  readonly notifications: {
    readonly openByType: Readonly<Record<NotificationKind, number>>;
  };
  readonly deliveries: {
    readonly pending: number;
    readonly dead: number;
  };
  readonly tokens: {
    /** Neither revoked nor expired. */
    readonly active: number;
    /** Those of them that are about to expire. */
    readonly expiring: number;
  };
}

/** Gauges per server. */
export interface ServerGauges {
  readonly id: number;
  readonly name: string;
  readonly osPretty: string | null;
  readonly lastBackupAt: Instant | null;
  readonly lastSeenAt: Instant | null;
  /** `null`: not known. */
  readonly updates: Readonly<Record<UpdateKind, number | null>>;
}
