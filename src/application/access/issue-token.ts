import type { Actor } from '../../domain/access/actor.ts';
import {
  type ApiToken,
  approvalMode,
  serverGrant,
  type TokenRequest,
  tokenTerms,
} from '../../domain/access/api-token.ts';
import { ruleText } from '../../domain/access/approval-rule.ts';
import { makeTokenSecret, SHOWN_PREFIX_LENGTH } from '../../domain/access/token-secret.ts';
import { InvalidInput } from '../../domain/base/errors.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import { UseCase } from '../base/use-case.ts';
import type { ServerStore } from '../ports/fleet/server-store.ts';

/** A token with its secret, which is never shown again. */
export interface IssuedToken {
  readonly token: ApiToken;
  readonly secret: string;
}

/** Makes an API token. Only administrators and the operator at the command line do this, never a token. */
export class IssueToken extends UseCase<'tokens' | 'servers' | 'randomness' | 'digest' | 'clock'> {
  /** Throws `invalid_input` with every fault of the request, an unknown server among them. */
  async execute(actor: Actor, request: TokenRequest): Promise<IssuedToken> {
    actor.requireRole('administrator');
    const now = this.deps.clock.now();
    const terms = tokenTerms(request, now);
    await refuseUnknownServers(this.deps.servers, terms.allowedServerIds);
    const secret = makeTokenSecret((count) => this.deps.randomness.bytes(count));
    const token = await this.deps.tokens.add(
      {
        ...terms,
        serversGrantedBy: serverGrant(actor, terms.allowedServerIds),
        prefix: secret.slice(0, SHOWN_PREFIX_LENGTH),
        createdBy: actor.label,
        createdAt: now,
      },
      this.deps.digest.sha256(secret),
      (added) => ({
        audit: [
          auditEntry(actor, now, 'token.create', `token:${added.id}`, {
            name: added.name,
            scopes: added.scopes,
            allowed_server_ids: added.allowedServerIds,
            approval: approvalMode(added),
            ...ruleDetail(added),
          }),
        ],
      }),
    );
    return { token, secret };
  }
}

/** For the audit log. */
export const ruleDetail = ({ approvalRule }: Pick<ApiToken, 'approvalRule'>): object =>
  approvalRule === null ? {} : { approval_by: ruleText(approvalRule) };

/** Throws `invalid_input` if a token would be limited to servers that do not exist. */
export async function refuseUnknownServers(
  servers: Pick<ServerStore, 'list'>,
  ids: readonly number[] | null,
): Promise<void> {
  if (ids === null) return;
  const { total } = await servers.list({ ids }, { limit: 1, offset: 0 });
  if (total === ids.length) return;
  throw new InvalidInput([
    { path: '/allowed_server_ids', message: 'At least one of these servers does not exist.' },
  ]);
}
