import type { Actor } from '../../domain/access/actor.ts';
import { type ApiToken, actorOf } from '../../domain/access/api-token.ts';
import { isTokenSecret } from '../../domain/access/token-secret.ts';
import { type DomainError, isDomainError } from '../../domain/base/errors.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import type { TokenStore } from '../ports/access/token-store.ts';
import type { Clock } from '../ports/base/clock.ts';
import type { Digest } from '../ports/base/digest.ts';
import type { AuditLog } from '../ports/events/audit-log.ts';
import type { Authenticate } from './authenticate.ts';

/** What an agent with this secret would get. */
export interface TokenTrial {
  /** `null`: it is the secret of none. */
  readonly token: ApiToken | null;
  /** Why it would be refused from there; `null`: it would be let in. */
  readonly refusal: DomainError | null;
}

interface Deps {
  readonly authenticate: Pick<Authenticate, 'check'>;
  readonly tokens: TokenStore;
  readonly digest: Digest;
  readonly audit: AuditLog;
  readonly clock: Clock;
}

/** Tries a secret as a request would, without one. It does not count as a use. */
export class TryToken {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async execute(
    actor: Actor,
    presented: { readonly secret: string; readonly address: string },
  ): Promise<TokenTrial> {
    const token = await this.owner(actor, presented.secret);
    const refusal = await this.#refusalOf(presented);
    if (token !== null) {
      const outcome = refusal?.code ?? 'done';
      const detail = { name: token.name, from: presented.address };
      await this.#deps.audit.record(
        auditEntry(actor, this.#deps.clock.now(), 'token.try', `token:${token.id}`, detail, outcome),
      );
    }
    return { token, refusal };
  }

  /** The token whose secret this is, whether or not it opens anything. */
  async owner(actor: Actor, secret: string): Promise<ApiToken | null> {
    actor.requireRole('administrator');
    if (!isTokenSecret(secret)) return null;
    return (await this.#deps.tokens.findBySecretHash(this.#deps.digest.sha256(secret)))?.token ?? null;
  }

  async #refusalOf(presented: {
    readonly secret: string;
    readonly address: string;
  }): Promise<DomainError | null> {
    try {
      actorOf(await this.#deps.authenticate.check(presented), presented.address).require('read');
      return null;
    } catch (error) {
      if (isDomainError(error)) return error;
      throw error;
    }
  }
}
