import type { Actor } from '../../domain/access/actor.ts';
import { type ApiToken, actorOf } from '../../domain/access/api-token.ts';
import { isTokenSecret } from '../../domain/access/token-secret.ts';
import { type DomainError, isDomainError } from '../../domain/base/errors.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import { UseCase } from '../base/use-case.ts';
import type { Authenticate } from './authenticate.ts';

/** What an agent with this secret would get. */
export interface TokenTrial {
  /** `null`: it is the secret of none. */
  readonly token: ApiToken | null;
  /** Why it would be refused from there; `null`: it would be let in. */
  readonly refusal: DomainError | null;
}

/** Tries a secret as a request would, without one. It does not count as a use. */
export class TryToken extends UseCase<
  'tokens' | 'digest' | 'audit' | 'clock',
  { readonly authenticate: Pick<Authenticate, 'check'> }
> {
  async execute(
    actor: Actor,
    presented: { readonly secret: string; readonly address: string },
  ): Promise<TokenTrial> {
    const token = await this.owner(actor, presented.secret);
    const refusal = await this.#refusalOf(presented);
    if (token !== null) {
      const outcome = refusal?.code ?? 'done';
      const detail = { name: token.name, from: presented.address };
      await this.deps.audit.record(
        auditEntry(actor, this.deps.clock.now(), 'token.try', `token:${token.id}`, detail, outcome),
      );
    }
    return { token, refusal };
  }

  /** The token whose secret this is, whether or not it opens anything. */
  async owner(actor: Actor, secret: string): Promise<ApiToken | null> {
    actor.requireRole('administrator');
    if (!isTokenSecret(secret)) return null;
    return (await this.deps.tokens.findBySecretHash(this.deps.digest.sha256(secret)))?.token ?? null;
  }

  async #refusalOf(presented: {
    readonly secret: string;
    readonly address: string;
  }): Promise<DomainError | null> {
    try {
      actorOf(await this.deps.authenticate.check(presented), presented.address).require('read');
      return null;
    } catch (error) {
      if (isDomainError(error)) return error;
      throw error;
    }
  }
}
