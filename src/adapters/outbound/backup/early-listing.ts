import type { PlanRequest } from '../../../application/ports/backups/backup-engine.ts';
import { whenAborted } from '../hosts/shell/when-aborted.ts';
import { type ByteString, bytesOfText } from './byte-string.ts';
import { excludeMatcher } from './exclude-matcher.ts';
import { excludePatterns } from './exclude-rules.ts';
import { type HostListing, surveyHost } from './host-survey.ts';
import type { SourceOrder } from './pull-order.ts';

/**
 * A listing of a source's paths as they are written, begun before the host has resolved the links in them. Mostly there are
 * none, and the backup waits for the host once instead of twice.
 */
export class EarlyListing {
  readonly #roots: readonly ByteString[];
  readonly #patterns: readonly string[];
  readonly #ending = new AbortController();
  readonly #listing: Promise<HostListing>;
  readonly #forget: () => void;

  constructor({ host, source, extraExcludes = [] }: PlanRequest, signal: AbortSignal) {
    this.#roots = [...new Set(source.paths.map(bytesOfText))];
    this.#patterns = excludePatterns({
      patterns: [...source.excludes, ...extraExcludes],
      roots: this.#roots,
      moved: [],
      store: null,
    });
    this.#forget = whenAborted(signal, () => this.#ending.abort(signal.reason));
    this.#listing = surveyHost(host, this.#roots, excludeMatcher(this.#patterns), this.#ending.signal);
    this.#listing.catch(() => undefined);
  }

  /** `null` if it is not what the order asks for; then it is ended. */
  async take({ roots, patterns }: SourceOrder): Promise<HostListing | null> {
    const isWanted = isSame(roots, this.#roots) && isSame(patterns, this.#patterns);
    if (!isWanted) {
      await this.end();
      return null;
    }
    try {
      return await this.#listing;
    } finally {
      this.#forget();
    }
  }

  /** Nobody waits for it any more. */
  async end(): Promise<void> {
    this.#forget();
    this.#ending.abort();
    await this.#listing.catch(() => undefined);
  }
}

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((each, index) => each === b[index]);
