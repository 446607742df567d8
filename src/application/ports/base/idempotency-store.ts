import type { KeptReply, ReplyToKeep } from '../../../domain/base/kept-reply.ts';

/** How a request finds things when it comes in. */
export type Attempt =
  /** It is the first, or the first one's process died over it: the caller has to answer it. */
  | { readonly kind: 'begun' }
  | { readonly kind: 'answered'; readonly reply: KeptReply }
  | { readonly kind: 'under_way' }
  /** The key was used for a request that said something else. */
  | { readonly kind: 'other_request' };

export interface RepeatableRequest {
  /** Stands for the caller, the route and the key: 64 hexadecimal digits. */
  readonly id: string;
  /** Hash of the request's content: 64 hexadecimal digits. */
  readonly hash: string;
}

/** Requests with an idempotency key, and their replies. Leases and ages are by the database's clock. */
export interface IdempotencyStore {
  /**
   * Of several concurrent calls exactly one starts the request, and holds it for `leaseMs`. A request that came
   * longer than `keptMs` ago counts as new, unless it is still running.
   */
  begin(request: RepeatableRequest, owner: string, leaseMs: number, keptMs: number): Promise<Attempt>;
  /** False if the lease expired and another attempt took over. */
  renew(id: string, owner: string, leaseMs: number): Promise<boolean>;
  /**
   * Stores the reply, unless it was stored with its change. False, and nothing is stored, if another attempt took
   * over.
   */
  answer(reply: ReplyToKeep): Promise<boolean>;
  /** Deletes an attempt without a result; does nothing if another attempt took over. */
  giveUp(id: string, owner: string): Promise<void>;
  /** Deletes older requests, except running ones; at most `limit`. Returns how many. */
  prune(keptMs: number, limit: number): Promise<number>;
}
