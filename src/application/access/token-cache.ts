import type { ApiToken } from '../../domain/access/api-token.ts';
import type { Instant } from '../../domain/base/instant.ts';

/** The maximum delay until a token change in another process takes effect; in this process it is immediate. */
const FRESH_MS = 3_000;
const MAX_ENTRIES = 10_000;

interface Entry {
  readonly token: ApiToken;
  readonly readAt: Instant;
}

/** Spares the database a read for each request of the same token. */
export class TokenCache {
  readonly #entries = new Map<string, Entry>();
  #forgotten = 0;

  /** How often a token was dropped: if that changes during a read, the result may be outdated. */
  get forgotten(): number {
    return this.#forgotten;
  }

  get(secretHash: string, now: Instant): ApiToken | null {
    const entry = this.#entries.get(secretHash);
    if (!entry) return null;
    if (now - entry.readAt < FRESH_MS && now >= entry.readAt) return entry.token;
    this.#entries.delete(secretHash);
    return null;
  }

  /** `readAt`: when the read started. */
  put(secretHash: string, token: ApiToken, readAt: Instant): void {
    if (this.#entries.size >= MAX_ENTRIES) this.#entries.clear();
    this.#entries.set(secretHash, { token, readAt });
  }

  /** Drops a token, whichever secret it was found by. */
  forget(tokenId: number): void {
    this.#forgotten += 1;
    for (const [hash, entry] of this.#entries) {
      if (entry.token.id === tokenId) this.#entries.delete(hash);
    }
  }
}
