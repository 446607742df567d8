import type { Actor } from '../../domain/access/actor.ts';
import { DomainError } from '../../domain/base/errors.ts';
import { DAY, SECOND } from '../../domain/base/instant.ts';
import type { KeepReply, KeptReply } from '../../domain/base/kept-reply.ts';
import { keyInUse } from '../../domain/base/request-key.ts';
import { UseCase } from './use-case.ts';

/** How long a reply is given again. */
export const REPLIES_KEPT_MS = DAY;

/** A request whose process died can be sent again after this long at the latest. */
const LEASE_MS = 30 * SECOND;

/** Longer replies are not stored: a repeated request is executed again. */
const MAX_BODY_BYTES = 1_000_000;

export interface KeyedRequest {
  readonly actor: Actor;
  /** Method and path, such as `POST /servers/1/jobs`. */
  readonly route: string;
  readonly key: string;
  /** All that the request says, the same text for the same request. */
  readonly content: string;
}

/** Answers a request that carries a key once, however often it is sent. */
export class AnswerOnce extends UseCase<'requests' | 'digest' | 'randomness' | 'clock' | 'log'> {
  /**
   * Lets `work` create the reply, or returns the stored one. A change has to be written together with what `keep`
   * makes of its reply: then both exist or neither, wherever this process dies. Any other reply is stored after
   * `work`, on a best-effort basis. Errors of `work` are not stored: the request can be sent again. Throws
   * `idempotency_key_reused` and `idempotency_key_in_use`.
   */
  async execute(
    { actor, route, key, content }: KeyedRequest,
    work: (keep: KeepReply<KeptReply>) => Promise<KeptReply>,
  ): Promise<KeptReply & { readonly replayed: boolean }> {
    const id = this.deps.digest.sha256(JSON.stringify([actor.kind, actor.id, route, key]));
    const owner = this.deps.randomness.uuid();
    const request = { id, hash: this.deps.digest.sha256(content) };
    const attempt = await this.deps.requests.begin(request, owner, LEASE_MS, REPLIES_KEPT_MS);
    if (attempt.kind === 'begun') return { ...(await this.#answer(id, owner, work)), replayed: false };
    if (attempt.kind === 'answered') return { ...attempt.reply, replayed: true };
    throw attempt.kind === 'under_way' ? keyInUse() : keyReused();
  }

  async #answer(
    id: string,
    owner: string,
    work: (keep: KeepReply<KeptReply>) => Promise<KeptReply>,
  ): Promise<KeptReply> {
    let kept: KeptReply | undefined;
    const done = new AbortController();
    const renewing = this.#renew(id, owner, done.signal);
    const stopRenewing = (): Promise<void> => (done.abort(), renewing);
    try {
      const reply = await work((made) => {
        kept = made;
        return { id, owner, reply: made };
      });
      await stopRenewing();
      if (reply.status !== kept?.status || reply.body !== kept.body) await this.#keep(id, owner, reply);
      return reply;
    } catch (error) {
      await stopRenewing();
      await this.#settle(this.deps.requests.giveUp(id, owner));
      throw error;
    }
  }

  /** The work is done: that its reply cannot be kept must not make a failure of it. */
  async #keep(id: string, owner: string, reply: KeptReply): Promise<void> {
    const kept =
      reply.body.length > MAX_BODY_BYTES
        ? this.deps.requests.giveUp(id, owner)
        : this.deps.requests.answer({ id, owner, reply });
    await this.#settle(kept);
  }

  async #renew(id: string, owner: string, done: AbortSignal): Promise<void> {
    while (!done.aborted) {
      await this.deps.clock.sleep(LEASE_MS / 3, done);
      if (!done.aborted) await this.#settle(this.deps.requests.renew(id, owner, LEASE_MS));
    }
  }

  async #settle(writing: Promise<unknown>): Promise<void> {
    await writing.catch((error: unknown) => {
      this.deps.log.warn('could not record how a request with a key stands', { error: String(error) });
    });
  }
}

const keyReused = (): DomainError =>
  new DomainError(
    'idempotency_key_reused',
    'This Idempotency-Key was already used for a different request. Use a new key for each request.',
  );
