import type { Knex } from 'knex';
import * as firstSchema from './0001-first-schema.ts';
import * as servicesAndIdempotency from './0002-services-and-idempotency.ts';
import * as schedulesAndWindows from './0005-schedules-and-windows.ts';
import * as batches from './0006-batches.ts';
import * as templates from './0008-templates.ts';
import * as repositoriesAndVerification from './0010-repositories-and-verification.ts';
import * as gaugeIndexes from './0011-gauge-indexes.ts';
import * as notificationsAndDeliveries from './0012-notifications-and-deliveries.ts';
import * as accounts from './0013-accounts.ts';
import * as approvals from './0014-approvals.ts';
import * as auditChain from './0015-audit-chain.ts';
import * as signInDevices from './0024-sign-in-devices.ts';
import * as serverSamples from './0033-server-samples.ts';
import * as hostChanges from './0038-host-changes.ts';
import * as alertChannels from './0039-alert-channels.ts';
import * as singleSignOn from './0043-single-sign-on.ts';
import * as passkeys from './0044-passkeys.ts';
import * as software from './0045-software.ts';
import * as approvers from './0049-approvers.ts';
import * as channelTiming from './0050-channel-timing.ts';
import * as serverFixes from './0058-server-fixes.ts';
import {
  approvalInClient,
  backupHooks,
  batchesByJob,
  clockJumps,
  composeDirectories,
  contentComparison,
  deniedFiles,
  dumps,
  fileChanges,
  grantedServers,
  jobPhases,
  jobReasons,
  jobsAwaitHosts,
  masterKeyIds,
  ownMachineServers,
  patchPolicies,
  pinnedSnapshots,
  plansUsedOnce,
  removedSnapshots,
  requestedChanges,
  scheduleOwners,
  tagRoles,
  tokenCalls,
  unreachableIndex,
  updateChecks,
  updateOrder,
  watchedServices,
  windowsSwitchedOff,
} from './small-migrations.ts';

/**
 * A step from one schema to the next. It runs outside any transaction and may be run again after it died half-way, so
 * each of its parts has to find out whether it is done. Older replicas may still be at work beside it: it only adds.
 * MariaDB ends a statement after 30 s: one that takes longer lifts that limit for itself (`limitStatements`).
 */
export interface Migration {
  /** Recorded in the database: never changed once released. */
  readonly name: string;
  readonly up: (knex: Knex) => Promise<void>;
}

/** All, in order. */
export const MIGRATIONS: readonly Migration[] = [
  { name: '0001-first-schema', up: firstSchema.up },
  { name: '0002-services-and-idempotency', up: servicesAndIdempotency.up },
  { name: '0003-denied-files', up: deniedFiles },
  { name: '0004-plans-used-once', up: plansUsedOnce },
  { name: '0005-schedules-and-windows', up: schedulesAndWindows.up },
  { name: '0006-batches', up: batches.up },
  { name: '0007-compose-directories', up: composeDirectories },
  { name: '0008-templates', up: templates.up },
  { name: '0010-repositories-and-verification', up: repositoriesAndVerification.up },
  { name: '0011-gauge-indexes', up: gaugeIndexes.up },
  { name: '0012-notifications-and-deliveries', up: notificationsAndDeliveries.up },
  { name: '0013-accounts', up: accounts.up },
  { name: '0014-approvals', up: approvals.up },
  { name: '0015-audit-chain', up: auditChain.up },
  { name: '0020-windows-switched-off', up: windowsSwitchedOff },
  { name: '0021-unreachable-index', up: unreachableIndex },
  { name: '0022-granted-servers', up: grantedServers },
  { name: '0023-schedule-owners', up: scheduleOwners },
  { name: '0024-sign-in-devices', up: signInDevices.up },
  { name: '0026-master-key-ids', up: masterKeyIds },
  { name: '0027-removed-snapshots', up: removedSnapshots },
  { name: '0028-clock-jumps', up: clockJumps },
  { name: '0029-dumps', up: dumps },
  { name: '0030-backup-hooks', up: backupHooks },
  { name: '0031-own-machine-servers', up: ownMachineServers },
  { name: '0032-content-comparison', up: contentComparison },
  { name: '0033-server-samples', up: serverSamples.up },
  { name: '0034-job-reasons', up: jobReasons },
  { name: '0035-pinned-snapshots', up: pinnedSnapshots },
  { name: '0036-requested-changes', up: requestedChanges },
  { name: '0037-job-phases', up: jobPhases },
  { name: '0038-host-changes', up: hostChanges.up },
  { name: '0039-alert-channels', up: alertChannels.up },
  { name: '0040-token-calls', up: tokenCalls },
  { name: '0041-batches-by-job', up: batchesByJob },
  { name: '0042-patch-policies', up: patchPolicies },
  { name: '0043-single-sign-on', up: singleSignOn.up },
  { name: '0044-passkeys', up: passkeys.up },
  { name: '0045-software', up: software.up },
  { name: '0047-jobs-await-hosts', up: jobsAwaitHosts },
  { name: '0048-file-changes', up: fileChanges },
  { name: '0048-watched-services', up: watchedServices },
  { name: '0049-approvers', up: approvers.up },
  { name: '0050-channel-timing', up: channelTiming.up },
  { name: '0051-update-order', up: updateOrder },
  { name: '0052-update-checks', up: updateChecks },
  { name: '0053-tag-roles', up: tagRoles },
  { name: '0057-approval-in-client', up: approvalInClient },
  { name: '0058-server-fixes', up: serverFixes.up },
];
