import * as z from 'zod';
import { toIso, toMinute } from '../../../../domain/base/instant.ts';
import type { Approval } from '../../../../domain/jobs/approval.ts';
import { id, text, time } from './values.ts';

/** The reply (202) to a change that waits for approval. */
export const awaitingSchema = z.strictObject({
  status: z.literal('awaiting_approval'),
  approval_id: id,
  expires_at: time,
  detail: text,
});

export const awaitingView = ({
  id: approval,
  serverId,
  expiresAt,
}: Approval): z.output<typeof awaitingSchema> => ({
  status: 'awaiting_approval',
  approval_id: approval,
  expires_at: toIso(expiresAt),
  detail: `Nothing has changed yet: a reviewer has to approve request ${approval} until ${toMinute(expiresAt)}. Tell the user, and do not retry. ${serverId === null ? '' : 'get_server (requests) or '}GET /api/v1/approvals/${approval} shows the decision.`,
});

/** Whether a reply says that the change waits; its status is 202 whatever the route's is. */
export const isAwaiting = (body: object): boolean =>
  'approval_id' in body && 'status' in body && body.status === 'awaiting_approval';

export const statusFor = (route: { readonly status: number }, body: object): number =>
  isAwaiting(body) ? 202 : route.status;
