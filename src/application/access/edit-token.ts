import type { Actor } from '../../domain/access/actor.ts';
import { approvalMode, serverGrant, type TokenRequest, tokenTerms } from '../../domain/access/api-token.ts';
import type { Schedule } from '../../domain/automation/schedule.ts';
import { DomainError } from '../../domain/base/errors.ts';
import { toIso } from '../../domain/base/instant.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import {
  type ChangedToken,
  schedulesOfToken,
  switchedOffDetail,
  switchedOffEntry,
} from '../automation/switched-off-schedules.ts';
import { UseCase } from '../base/use-case.ts';
import { refuseUnknownServers, ruleDetail } from './issue-token.ts';
import type { TokenCache } from './token-cache.ts';

/** Changes a token's rights. The secret and absent fields stay. */
export class EditToken extends UseCase<'tokens' | 'clock' | 'servers.list', { readonly cache: TokenCache }> {
  /**
   * Throws `token_not_found`, and `invalid_input` with every fault. An expiry in the past stays unless a new one is
   * given. Schedules that the token can no longer run are disabled.
   */
  async execute(actor: Actor, id: number, change: Partial<TokenRequest>): Promise<ChangedToken> {
    actor.requireRole('administrator');
    const before = await this.deps.tokens.find(id);
    if (before === null) throw new DomainError('token_not_found', `There is no token with id ${id}.`);
    const now = this.deps.clock.now();
    const { expires, ...rest } = change;
    const { requireApproval, approvalInClient = false, approvalRule } = change;
    // The ways of approval go with it.
    const inClient = requireApproval === undefined ? {} : { approvalInClient };
    const unruled = (requireApproval === false || approvalInClient) && approvalRule === undefined;
    const asked = {
      ...before,
      ...rest,
      ...inClient,
      ...(unruled ? { approvalRule: null } : {}),
      ...(expires === undefined ? {} : { expires }),
    };
    const terms = tokenTerms(asked, now);
    if (change.allowedServerIds !== undefined)
      await refuseUnknownServers(this.deps.servers, terms.allowedServerIds);
    const wanted = {
      ...terms,
      ...(expires === undefined ? { expiresAt: before.expiresAt } : {}),
      serversGrantedBy:
        change.allowedServerIds === undefined
          ? before.serversGrantedBy
          : serverGrant(actor, terms.allowedServerIds),
    };
    let off: readonly Schedule[] = [];
    const token = await this.deps.tokens.change(
      id,
      wanted,
      (edited, switchedOff) => {
        off = switchedOff;
        return {
          audit: [
            auditEntry(actor, now, 'token.edit', `token:${id}`, {
              name: edited.name,
              scopes: edited.scopes,
              allowed_server_ids: edited.allowedServerIds,
              approval: approvalMode(edited),
              ...ruleDetail(edited),
              expires_at: edited.expiresAt === null ? null : toIso(edited.expiresAt),
              ...switchedOffDetail(off),
            }),
            ...off.map((schedule) => switchedOffEntry(actor, now, schedule)),
          ],
        };
      },
      schedulesOfToken(now),
    );
    this.deps.cache.forget(id);
    return { token, switchedOff: off };
  }
}
