import {
  type ApiToken,
  type ApprovalMode,
  approvalMode,
  isExpired,
  isUsable,
} from '../../../domain/access/api-token.ts';
import { ruleText } from '../../../domain/access/approval-rule.ts';
import type { Instant } from '../../../domain/base/instant.ts';
import { ago } from '../../../domain/base/spans.ts';
import { localTime } from './local-time.ts';
import { properties, table } from './table.ts';

const APPROVALS: Readonly<Record<ApprovalMode, string>> = {
  none: 'none: it acts at once',
  client: 'by the user of the agent in a client that can ask, otherwise by a reviewer',
  reviewer: 'by a reviewer',
};

export const approvalText = (token: ApiToken): string => APPROVALS[approvalMode(token)];

/** All but its secret, of which it shows the prefix. */
export const tokenFacts = (token: ApiToken, now: Instant): string =>
  properties([
    ['Token', `${token.id} (${token.name})`],
    ['State', stateOf(token, now)],
    ['Secret', `${token.prefix}…`],
    ['Scopes', token.scopes.join(', ')],
    ['Servers', token.allowedServerIds?.join(', ') ?? 'all'],
    ['Granted by', token.serversGrantedBy?.label ?? null],
    ['Addresses', token.allowedCidrs.length === 0 ? 'any' : token.allowedCidrs.join(', ')],
    ['Approval', approvalText(token)],
    ['Approved by', token.approvalRule && ruleText(token.approvalRule)],
    ['Expires', token.expiresAt === null ? 'never' : localTime(token.expiresAt)],
    ['Last used', ago(token.lastUsedAt, now)],
    ['Created by', `${token.createdBy}, ${localTime(token.createdAt)}`],
  ]);

export function tokenTable(tokens: readonly ApiToken[], now: Instant): string {
  const rows = tokens.map((token) => [
    token.id,
    token.name,
    token.prefix,
    token.scopes.join(','),
    token.allowedServerIds?.join(',') ?? 'all',
    token.serversGrantedBy?.label ?? '-',
    ago(token.lastUsedAt, now),
    token.expiresAt === null ? 'never' : localTime(token.expiresAt),
    stateOf(token, now),
  ]);
  const heading = [
    'ID',
    'NAME',
    'SECRET',
    'SCOPES',
    'SERVERS',
    'GRANTED BY',
    'LAST USED',
    'EXPIRES',
    'STATE',
  ];
  return table(heading, rows);
}

function stateOf(token: ApiToken, now: Instant): string {
  if (isUsable(token, now)) return 'active';
  return isExpired(token, now) ? 'expired' : 'revoked';
}
