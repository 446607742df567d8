import * as z from 'zod';
import {
  APPROVAL_MODES,
  type ApiToken,
  approvalMode,
  isUsable,
} from '../../../../domain/access/api-token.ts';
import { APPROVER_ROLES, type ApprovalRule } from '../../../../domain/access/approval-rule.ts';
import { allowedFeatures, SCOPES } from '../../../../domain/access/scope.ts';
import { type Instant, toIso, toIsoOrNull } from '../../../../domain/base/instant.ts';
import { id, text, textOrNull, time, timeOrNull } from './values.ts';

export const approvalRuleSchema = z.strictObject({
  four_eyes: z.boolean(),
  approver_role: z.enum(APPROVER_ROLES),
  approvers: z.int(),
});

export const approvalRuleView = ({
  fourEyes,
  role,
  approvers,
}: ApprovalRule): z.output<typeof approvalRuleSchema> => ({
  four_eyes: fourEyes,
  approver_role: role,
  approvers,
});

export const featureSchema = z.enum(['backup', 'os', 'docker']);

/** A token without its secret, which is shown only once. */
export const tokenSchema = z.strictObject({
  id,
  name: text,
  token_prefix: text,
  scopes: z.array(z.enum(SCOPES)),
  allowed_features: z.array(featureSchema).nullable(),
  allowed_cidrs: z.array(text),
  allowed_server_ids: z.array(id).nullable(),
  servers_granted_by: textOrNull.describe(
    'The administrator or CLI that set its servers; required for access to the machine that Drover runs on',
  ),
  require_approval: z.boolean(),
  approval: z
    .enum(APPROVAL_MODES)
    .describe(
      'Who approves its jobs and changes. none: it acts at once; client: the user of the agent in a client that can ask, otherwise a reviewer; reviewer: a user of Drover',
    ),
  approval_rule: approvalRuleSchema.nullable().describe('Beside the rule for all requests'),
  created_by: text,
  created_at: time,
  last_used_at: timeOrNull,
  expires_at: timeOrNull,
  revoked_at: timeOrNull,
  active: z.boolean(),
});

export function tokenView(token: ApiToken, now: Instant): z.output<typeof tokenSchema> {
  const features = allowedFeatures(token.scopes);
  return {
    id: token.id,
    name: token.name,
    token_prefix: token.prefix,
    scopes: [...token.scopes],
    allowed_features: features === null ? null : [...features],
    allowed_cidrs: [...token.allowedCidrs],
    allowed_server_ids: token.allowedServerIds === null ? null : [...token.allowedServerIds],
    servers_granted_by: token.serversGrantedBy?.label ?? null,
    require_approval: token.requireApproval,
    approval: approvalMode(token),
    approval_rule: token.approvalRule && approvalRuleView(token.approvalRule),
    created_by: token.createdBy,
    created_at: toIso(token.createdAt),
    last_used_at: toIsoOrNull(token.lastUsedAt),
    expires_at: toIsoOrNull(token.expiresAt),
    revoked_at: toIsoOrNull(token.revokedAt),
    active: isUsable(token, now),
  };
}
