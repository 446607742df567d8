import { DAY, HOUR, type Instant } from '../base/instant.ts';
import type { Server } from './server.ts';

type WatchedServer = Pick<Server, 'features' | 'facts' | 'createdAt'>;

/** A backup that has not been verified for this long is not known to be restorable. */
const VERIFIED_WITHIN_MS = 31 * DAY;

/** Moments that split servers into those that are well and those that are not. */
export interface FleetLimits {
  /** A backup that is older than this is stale. */
  readonly backupStaleBefore: Instant;
  /** A backup that was last verified before this, or never, is unverified. */
  readonly unverifiedBefore: Instant;
}

export const fleetLimits = (now: Instant, backupStaleHours: number): FleetLimits => ({
  backupStaleBefore: staleBefore(now, backupStaleHours),
  unverifiedBefore: now - VERIFIED_WITHIN_MS,
});

export const staleBefore = (now: Instant, backupStaleHours: number): Instant => now - backupStaleHours * HOUR;

/** Whether the last backup is older than that; without one, the server counts from the time it was added. */
export const isBackupOld = (lastBackupAt: Instant | null, createdAt: Instant, before: Instant): boolean =>
  (lastBackupAt ?? createdAt) < before;

/** Whether a server with backups enabled has an old backup, or has had none for that long. */
export const isBackupStale = ({ features, facts, createdAt }: WatchedServer, before: Instant): boolean =>
  features.backup && isBackupOld(facts.lastBackupAt, createdAt, before);

/** Whether it is too early to expect a backup of a server with backups enabled. */
export const isNotBackedUpYet = (server: WatchedServer, before: Instant): boolean =>
  server.features.backup && server.facts.lastBackupAt === null && !isBackupStale(server, before);

/** Whether a server with backups enabled has a source without a verified snapshot since then, or ever. */
export const isBackupUnverified = ({ features, facts }: WatchedServer, before: Instant): boolean =>
  features.backup && (facts.lastVerifiedAt === null || facts.lastVerifiedAt < before);

/** Whether the last attempt to connect to a server failed. */
export const isUnreachable = ({ facts }: Pick<WatchedServer, 'facts'>): boolean =>
  facts.contactFailedSince !== null;

/** Whether what is known of a server is old: it is unreachable, or its inventory is from before that. */
export const isOutOfDate = (server: Pick<WatchedServer, 'facts'>, before: Instant): boolean =>
  isUnreachable(server) || (server.facts.inventoryAt !== null && server.facts.inventoryAt < before);

/** From this part of the whole on a disk is nearly full. */
export const NEARLY_FULL_PART = 0.9;

/** Whether the root file system has little space left. */
export const isDiskNearlyFull = ({ facts }: Pick<WatchedServer, 'facts'>): boolean =>
  facts.diskUsedBytes !== null &&
  facts.diskTotalBytes !== null &&
  facts.diskTotalBytes > 0 &&
  facts.diskUsedBytes >= NEARLY_FULL_PART * facts.diskTotalBytes;

/** As gauges and the summary count it: a stale backup, or none yet. */
export const lacksBackup = (server: WatchedServer, before: Instant): boolean =>
  isBackupStale(server, before) || isNotBackedUpYet(server, before);

/** Whether a server needs attention: stale or no backup, pending reboot or security updates, unreachable. */
export const needsAttention = (server: WatchedServer, limits: FleetLimits): boolean =>
  lacksBackup(server, limits.backupStaleBefore) ||
  server.facts.rebootPending === true ||
  (server.facts.securityUpdatesCount ?? 0) > 0 ||
  isUnreachable(server);
