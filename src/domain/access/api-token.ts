import { type InputProblem, InvalidInput } from '../base/errors.ts';
import { DAY, type Instant } from '../base/instant.ts';
import { oneLine } from '../base/one-line.ts';
import { Actor } from './actor.ts';
import {
  type ApprovalRule,
  approvalRule,
  isUsualRule,
  type RawApprovalRule,
  USUAL_RULE,
} from './approval-rule.ts';
import { isInAnyCidr, parseCidr } from './client-address.ts';
import { allowedFeatures, CAPABILITIES, type Capability, isScope, SCOPES, type Scope } from './scope.ts';
import type { TokenCalls } from './token-calls.ts';

/** A token as it is stored and shown: everything but its secret. */
export interface ApiToken {
  readonly id: number;
  readonly name: string;
  /** The first characters of the secret, to distinguish tokens. */
  readonly prefix: string;
  readonly scopes: readonly Scope[];
  /** Address ranges that may use it, normalised; empty: any address. */
  readonly allowedCidrs: readonly string[];
  /** `null`: every server, also later ones. */
  readonly allowedServerIds: readonly number[] | null;
  /** Who granted these servers; `null` if no administrator did, and for tokens from before this was recorded. */
  readonly serversGrantedBy: ServerGrant | null;
  /** Its jobs and changes wait for a user's approval. */
  readonly requireApproval: boolean;
  /** With `requireApproval`: the user of an agent may approve them in a client that can ask. */
  readonly approvalInClient: boolean;
  /** Who has to approve them, beside the rule for all requests; `null`: that rule alone. */
  readonly approvalRule: ApprovalRule | null;
  readonly createdBy: string;
  /** Labels of those who have replaced its secret, and so saw it. */
  readonly rotatedBy: readonly string[];
  readonly createdAt: Instant;
  /** Accurate to a minute. */
  readonly lastUsedAt: Instant | null;
  readonly expiresAt: Instant | null;
  readonly revokedAt: Instant | null;
  readonly calls: TokenCalls;
}

/** An administrator, or the operator at the command line (`userId` is `null`), who granted servers by name. */
export interface ServerGrant {
  readonly label: string;
  readonly userId: number | null;
}

export type NewApiToken = Omit<
  ApiToken,
  | 'id'
  | 'lastUsedAt'
  | 'revokedAt'
  | 'calls'
  | 'serversGrantedBy'
  | 'approvalInClient'
  | 'approvalRule'
  | 'rotatedBy'
> &
  TokenGrant &
  Partial<Pick<ApiToken, 'approvalInClient' | 'approvalRule'>>;

/**
 * Who approves what a token does. `none`: no one, it acts at once. `client`: the agent's user in a client that can ask, else a
 * reviewer. `reviewer`: a user of Drover.
 */
export const APPROVAL_MODES = ['none', 'client', 'reviewer'] as const;
export type ApprovalMode = (typeof APPROVAL_MODES)[number];
type Approvals = Pick<ApiToken, 'requireApproval' | 'approvalInClient'>;

export const approvalMode = ({ requireApproval, approvalInClient }: Approvals): ApprovalMode =>
  requireApproval ? (approvalInClient ? 'client' : 'reviewer') : 'none';

export const approvalsBy = (mode: ApprovalMode): Approvals => ({
  requireApproval: mode !== 'none',
  approvalInClient: mode === 'client',
});

/** If absent, no administrator granted the servers. */
export interface TokenGrant {
  readonly serversGrantedBy?: ServerGrant | null;
}

/** The grant that goes with a list of servers that this actor gives. */
export function serverGrant(actor: Actor, servers: readonly number[] | null): ServerGrant | null {
  if (servers === null) return null;
  if (actor.kind === 'operator') return { label: actor.label, userId: null };
  if (actor.kind === 'user' && actor.role === 'administrator')
    return { label: actor.label, userId: actor.id };
  return null;
}

export interface TokenRequest {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly allowedCidrs?: readonly string[];
  readonly allowedServerIds?: readonly number[] | null;
  readonly requireApproval?: boolean;
  readonly approvalInClient?: boolean;
  readonly approvalRule?: RawApprovalRule | null;
  /** `YYYY-MM-DD` (the end of that day, UTC), a full timestamp with offset, `30d`-like days from now, or null for never. */
  readonly expires?: string | null;
}

export type TokenTerms = Pick<
  ApiToken,
  | 'name'
  | 'scopes'
  | 'allowedCidrs'
  | 'allowedServerIds'
  | 'requireApproval'
  | 'approvalInClient'
  | 'approvalRule'
  | 'expiresAt'
>;

/** Validates the settings of a token; throws `InvalidInput` that names every fault. Nothing is dropped silently. */
export function tokenTerms(request: TokenRequest, now: Instant): TokenTerms {
  const problems: InputProblem[] = [];
  const name = request.name.trim();
  if (name === '' || name.length > 100) {
    problems.push({ path: '/name', message: 'A name has 1 to 100 characters.' });
  } else if (oneLine(name, name.length) !== name) {
    // Reviewers decide by it.
    problems.push({
      path: '/name',
      message: 'A name must not contain control characters or invisible ones.',
    });
  }
  const scopes = checkScopes(request.scopes, problems);
  const allowedCidrs = addressRanges(request.allowedCidrs ?? [], problems);
  const servers = request.allowedServerIds ?? null;
  if (servers !== null && servers.length === 0) {
    problems.push({
      path: '/allowed_server_ids',
      message: 'Name at least one server, or omit the list for all servers.',
    });
  }
  const rule = tokenRule(request, problems);
  const asked = request.expires ?? null;
  const expiresAt = asked === null ? null : checkExpiry(asked, now, problems);
  if (problems.length > 0) throw new InvalidInput(problems);
  return {
    name,
    scopes,
    allowedCidrs,
    allowedServerIds: servers === null ? null : [...new Set(servers)].sort((a, b) => a - b),
    requireApproval: request.requireApproval ?? false,
    approvalInClient: (request.requireApproval && request.approvalInClient) ?? false,
    approvalRule: rule,
    expiresAt,
  };
}

/** A rule that is the usual one is none. It is about users of Drover, whom a client does not know. */
function tokenRule(
  { approvalRule: raw, requireApproval, approvalInClient }: TokenRequest,
  problems: InputProblem[],
): ApprovalRule | null {
  const rule = approvalRule(raw ?? USUAL_RULE, problems);
  if (isUsualRule(rule)) return null;
  if (!requireApproval || approvalInClient) {
    problems.push({
      path: '/approval',
      message: 'Only a token whose requests wait for a reviewer can have a rule for it.',
    });
  }
  return rule;
}

function checkScopes(raw: readonly string[], problems: InputProblem[]): readonly Scope[] {
  if (raw.length === 0)
    problems.push({ path: '/scopes', message: `Name at least one of ${SCOPES.join(', ')}.` });
  for (const [index, scope] of raw.entries()) {
    if (!isScope(scope)) {
      problems.push({
        path: `/scopes/${index}`,
        message: `There is no scope "${scope.slice(0, 40)}"; the scopes are ${SCOPES.join(', ')}.`,
      });
    }
  }
  const known = SCOPES.filter((scope) => raw.includes(scope));
  if (known.length > 0 && known.every((scope) => scope.startsWith('feature:'))) {
    problems.push({
      path: '/scopes',
      message: `A feature scope alone grants nothing; add at least one of ${CAPABILITIES.join(', ')}.`,
    });
  }
  return known;
}

/** The ranges in normal form; adds invalid ones to the problems. */
export function addressRanges(raw: readonly string[], problems: InputProblem[]): readonly string[] {
  const normalised: string[] = [];
  for (const [index, text] of raw.entries()) {
    const range = parseCidr(text);
    if (range) normalised.push(range.text);
    else {
      problems.push({
        path: `/allowed_cidrs/${index}`,
        message: `"${text.slice(0, 60)}" is not an address range. Use CIDR notation without host bits, such as 192.0.2.0/24 or 2001:db8::/32.`,
      });
    }
  }
  return [...new Set(normalised)];
}

const DATE_ONLY = /^(\d{4})-(\d{2})-(\d{2})$/;
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;
const DAYS = /^([1-9]\d{0,4})d$/;

function checkExpiry(raw: string, now: Instant, problems: InputProblem[]): Instant | null {
  const at = parseExpiry(raw, now);
  if (at === null) {
    problems.push({
      path: '/expires_at',
      message:
        'Enter a date (YYYY-MM-DD, valid until the end of that day in UTC), a timestamp with offset, or days such as 30d.',
    });
  } else if (at <= now) {
    problems.push({ path: '/expires_at', message: 'The expiry must be in the future.' });
  }
  return at;
}

function parseExpiry(raw: string, now: Instant): Instant | null {
  const days = DAYS.exec(raw);
  if (days) return now + Number(days[1]) * DAY;
  const date = DATE_ONLY.exec(raw);
  if (date) {
    const midnight = Date.parse(`${raw}T00:00:00.000Z`);
    // Date.parse takes 2026-02-31 as 3 March in some engines; a day that does not exist is refused.
    if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== raw) return null;
    return midnight + DAY - 1;
  }
  if (!TIMESTAMP.test(raw)) return null;
  const at = Date.parse(raw);
  return Number.isNaN(at) ? null : at;
}

export const isExpired = (token: Pick<ApiToken, 'expiresAt'>, now: Instant): boolean =>
  token.expiresAt !== null && token.expiresAt <= now;

/** Whether the token is valid now. */
export const isUsable = (token: Pick<ApiToken, 'expiresAt' | 'revokedAt'>, now: Instant): boolean =>
  token.revokedAt === null && !isExpired(token, now);

/** Whether an address is among the token's. An allow-list that matches nothing denies. */
export const allowsAddress = (token: Pick<ApiToken, 'allowedCidrs'>, address: string): boolean =>
  token.allowedCidrs.length === 0 || isInAnyCidr(address, token.allowedCidrs);

/** The token's holder as the use cases see it. */
export function actorOf(token: ApiToken, address: string | null): Actor {
  return new Actor({
    kind: 'token',
    id: token.id,
    name: token.name,
    address,
    capabilities: new Set(token.scopes.filter((scope): scope is Capability => !scope.startsWith('feature:'))),
    features: allowedFeatures(token.scopes),
    serverIds: token.allowedServerIds === null ? null : new Set(token.allowedServerIds),
    requireApproval: token.requireApproval,
    approvalInClient: token.approvalInClient,
    serversGranted: token.serversGrantedBy !== null,
  });
}

/** Labels of users who have seen its secret. */
export const secretSeenBy = ({ createdBy, rotatedBy }: Pick<ApiToken, 'createdBy' | 'rotatedBy'>) => [
  createdBy,
  ...rotatedBy,
];
