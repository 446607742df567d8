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
import { MIGRATION_NAMES } from './names.ts';
import { SMALL_MIGRATIONS } from './small-migrations.ts';

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

/** The step of each name. */
const STEPS: Readonly<Record<(typeof MIGRATION_NAMES)[number], Migration['up']>> = {
  ...SMALL_MIGRATIONS,
  '0001-first-schema': firstSchema.up,
  '0002-services-and-idempotency': servicesAndIdempotency.up,
  '0005-schedules-and-windows': schedulesAndWindows.up,
  '0006-batches': batches.up,
  '0008-templates': templates.up,
  '0010-repositories-and-verification': repositoriesAndVerification.up,
  '0011-gauge-indexes': gaugeIndexes.up,
  '0012-notifications-and-deliveries': notificationsAndDeliveries.up,
  '0013-accounts': accounts.up,
  '0014-approvals': approvals.up,
  '0015-audit-chain': auditChain.up,
  '0024-sign-in-devices': signInDevices.up,
  '0033-server-samples': serverSamples.up,
  '0038-host-changes': hostChanges.up,
  '0039-alert-channels': alertChannels.up,
  '0043-single-sign-on': singleSignOn.up,
  '0044-passkeys': passkeys.up,
  '0045-software': software.up,
  '0049-approvers': approvers.up,
  '0050-channel-timing': channelTiming.up,
  '0058-server-fixes': serverFixes.up,
};

/** All, in order. */
export const MIGRATIONS: readonly Migration[] = MIGRATION_NAMES.map((name) => ({ name, up: STEPS[name] }));
