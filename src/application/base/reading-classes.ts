import { CallCounter } from '../access/call-counter.ts';
import { SsoProviders } from '../access/sso-providers.ts';
import { MaintenanceGate } from '../automation/maintenance-gate.ts';
import { OrderForecasts } from '../automation/order-forecasts.ts';
import { OrderedBatches } from '../automation/ordered-batches.ts';
import { ManageChannels } from '../events/manage-channels.ts';
import { ManageWebhooks } from '../events/manage-webhooks.ts';
import { ApprovalRules } from '../jobs/approval-rules.ts';

/** The shared classes that commands need which only read: the others, and all that those import, are not loaded for them. */
export const READING = {
  gate: MaintenanceGate,
  orderForecasts: OrderForecasts,
  orderedBatches: OrderedBatches,
  ssoProviders: SsoProviders,
  manageChannels: ManageChannels,
  manageWebhooks: ManageWebhooks,
  approvalRules: ApprovalRules,
  callCounter: CallCounter,
};
