import { createHash } from 'node:crypto';

/** What a host prints before its listing: how it lists, and its clock. */
const TOKENS_BEFORE = 2;
/** Metadata, path and target. */
const TOKENS_OF_A_PATH = 3;

/**
 * The SHA-256 of a host's listing as it comes, from the empty answer behind the parent directories on: these change all
 * the time. Two listings with the same are of the same tree.
 */
export class ListingDigest {
  readonly #hash = createHash('sha256');
  #tokens = 0;
  #isEmpty = true;
  #isBelow = false;

  take(chunk: Buffer): void {
    let from = 0;
    while (!this.#isBelow) {
      const end = chunk.indexOf(0, from);
      if (end !== from && from < chunk.length) this.#isEmpty = false;
      if (end < 0) return;
      const before = this.#tokens - TOKENS_BEFORE;
      if (this.#isEmpty && before >= 0 && before % TOKENS_OF_A_PATH === 0) {
        this.#isBelow = true;
        break;
      }
      this.#tokens += 1;
      this.#isEmpty = true;
      from = end + 1;
    }
    this.#hash.update(chunk.subarray(from));
  }

  /** Hex; once, at the end. */
  finish(): string {
    return this.#hash.digest('hex');
  }
}
