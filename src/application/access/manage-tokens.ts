import type { Actor } from '../../domain/access/actor.ts';
import type { ApiToken } from '../../domain/access/api-token.ts';
import { mergeCalls } from '../../domain/access/token-calls.ts';
import { makeTokenSecret, SHOWN_PREFIX_LENGTH } from '../../domain/access/token-secret.ts';
import type { Schedule } from '../../domain/automation/schedule.ts';
import { DomainError } from '../../domain/base/errors.ts';
import type { TokenOrder } from '../../domain/base/list-orders.ts';
import type { Page, PageRequest } from '../../domain/base/page.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import {
  type ChangedToken,
  schedulesOfToken,
  switchedOffDetail,
  switchedOffEntry,
} from '../automation/switched-off-schedules.ts';
import { type Ports, UseCase } from '../base/use-case.ts';
import type { AuditLog } from '../ports/events/audit-log.ts';
import type { CallCounter } from './call-counter.ts';
import type { IssuedToken } from './issue-token.ts';
import type { TokenCache } from './token-cache.ts';

interface Counters {
  readonly callCounter: CallCounter;
}

/** With the calls that this process has counted and not written yet. */
const counted = ({ callCounter, clock }: Counters & Pick<Ports, 'clock'>, token: ApiToken): ApiToken => ({
  ...token,
  calls: mergeCalls(token.calls, callCounter.of(token.id), clock.now()),
});

export class ListTokens extends UseCase<'tokens' | 'clock', Counters> {
  async execute(actor: Actor, page: PageRequest, order?: TokenOrder): Promise<Page<ApiToken>> {
    actor.requireRole('administrator');
    const found = await this.deps.tokens.list(page, order);
    return { ...found, items: found.items.map((token) => counted(this.deps, token)) };
  }
}

/** One token, and its audit entries. */
export class GetToken extends UseCase<'tokens' | 'audit' | 'clock', Counters> {
  /** Throws `token_not_found`. */
  async execute(actor: Actor, id: number): Promise<ApiToken> {
    actor.requireRole('administrator');
    const token = await this.deps.tokens.find(id);
    if (token === null) throw new DomainError('token_not_found', `There is no token with id ${id}.`);
    return counted(this.deps, token);
  }

  /** `by`: done with the token; `to`: done to it. Newest first. */
  async history(actor: Actor, id: number, of: 'by' | 'to', page: PageRequest): ReturnType<AuditLog['list']> {
    actor.requireRole('administrator');
    return this.deps.audit.list(
      of === 'by' ? { actorKind: 'token', actorId: id } : { object: `token:${id}` },
      page,
    );
  }
}

/** Gives a token a new secret; the old one is void from that moment on. Everything else stays. */
export class RotateToken extends UseCase<
  'tokens' | 'randomness' | 'digest' | 'clock',
  { readonly cache: TokenCache }
> {
  /** Throws `token_not_found`, also for a revoked one. */
  async execute(actor: Actor, id: number): Promise<IssuedToken> {
    actor.requireRole('administrator');
    const secret = makeTokenSecret((count) => this.deps.randomness.bytes(count));
    const token = await this.deps.tokens.rotate(
      id,
      {
        hash: this.deps.digest.sha256(secret),
        prefix: secret.slice(0, SHOWN_PREFIX_LENGTH),
        by: actor.label,
      },
      (rotated) => ({
        audit: [
          auditEntry(actor, this.deps.clock.now(), 'token.rotate', `token:${id}`, { name: rotated.name }),
        ],
      }),
    );
    this.deps.cache.forget(id);
    return { token, secret };
  }
}

/** Ends a token for good. It stays listed. */
export class RevokeToken extends UseCase<'tokens' | 'clock', { readonly cache: TokenCache }> {
  /** Its schedules are switched off. Throws `token_not_found`. */
  async execute(actor: Actor, id: number): Promise<ChangedToken> {
    actor.requireRole('administrator');
    const now = this.deps.clock.now();
    let off: readonly Schedule[] = [];
    const token = await this.deps.tokens.revoke(
      id,
      now,
      ({ name }, switchedOff) => {
        off = switchedOff;
        const detail = { name, ...switchedOffDetail(off) };
        return {
          audit: [
            auditEntry(actor, now, 'token.revoke', `token:${id}`, detail),
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
