import { callsAt, mergeCalls, NO_CALLS, type TokenCalls } from '../../domain/access/token-calls.ts';
import type { Instant } from '../../domain/base/instant.ts';

/** Beyond these tokens no more are counted. */
const MAX_TOKENS = 10_000;

/** Calls by token that this process has not written yet. */
export class CallCounter {
  readonly #calls = new Map<number, TokenCalls>();

  add(tokenId: number, at: Instant, calls = callsAt(at)): void {
    const known = this.#calls.get(tokenId);
    if (known === undefined && this.#calls.size >= MAX_TOKENS) return;
    this.#calls.set(tokenId, known === undefined ? calls : mergeCalls(known, calls, at));
  }

  of(tokenId: number): TokenCalls {
    return this.#calls.get(tokenId) ?? NO_CALLS;
  }

  /** The calls to write: they are no longer counted here. */
  take(tokenId: number): TokenCalls {
    const calls = this.of(tokenId);
    this.#calls.delete(tokenId);
    return calls;
  }
}
