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
  /** Stands for what the request says: 64 hexadecimal digits. */
  readonly hash: string;
}

/** Which requests were sent with a key, and what was replied. Leases and ages are by the database's clock. */
export interface IdempotencyStore {
  /**
   * Of several at once exactly one is told that it has begun; it holds the request for `leaseMs`. A request that came
   * longer than `keptMs` ago counts as never seen, unless it is under way.
   */
  begin(request: RepeatableRequest, owner: string, leaseMs: number, keptMs: number): Promise<Attempt>;
  /** False where the lease ran out and another took over. */
  renew(id: string, owner: string, leaseMs: number): Promise<boolean>;
  /** Keeps the reply, unless it was kept with what it is about. False, and nothing is kept, where another took over. */
  answer(reply: ReplyToKeep): Promise<boolean>;
  /** Forgets an attempt that came to nothing; nothing happens where another took over. */
  giveUp(id: string, owner: string): Promise<void>;
  /** Forgets requests that came longer ago, except those under way; at most `limit`. Tells how many. */
  prune(keptMs: number, limit: number): Promise<number>;
}
