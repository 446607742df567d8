import { callsAt, mergeCalls, NO_CALLS, type TokenCalls } from '../../domain/access/token-calls.ts';
import { HOUR, type Instant } from '../../domain/base/instant.ts';

/** Beyond these tokens no more are counted. */
const MAX_TOKENS = 10_000;

interface CallCount {
  calls: TokenCalls;
  /** Calls since then, all within this hour: each request adds one, and merging hours takes longer than that. */
  hour: number;
  at: Instant;
  more: number;
}

const hourOf = (at: Instant): number => Math.floor(at / HOUR);

/** Calls by token that this process has not written yet. */
export class CallCounter {
  readonly #counted = new Map<number, CallCount>();

  /** One call. */
  count(tokenId: number, at: Instant): void {
    const known = this.#counted.get(tokenId);
    if (known?.hour === hourOf(at)) known.more += 1;
    else this.add(tokenId, at, callsAt(at));
  }

  add(tokenId: number, at: Instant, calls: TokenCalls): void {
    if (!this.#counted.has(tokenId) && this.#counted.size >= MAX_TOKENS) return;
    const merged = mergeCalls(this.of(tokenId), calls, at);
    this.#counted.set(tokenId, { calls: merged, hour: hourOf(at), at, more: 0 });
  }

  of(tokenId: number): TokenCalls {
    const known = this.#counted.get(tokenId);
    if (!known) return NO_CALLS;
    const { calls, at, more } = known;
    return more === 0 ? calls : mergeCalls(calls, callsAt(at, more), at);
  }

  /** The calls to write: they are no longer counted here. */
  take(tokenId: number): TokenCalls {
    const calls = this.of(tokenId);
    this.#counted.delete(tokenId);
    return calls;
  }
}
