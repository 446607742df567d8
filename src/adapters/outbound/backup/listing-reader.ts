import { DomainError } from '../../../domain/base/errors.ts';
import { printedFacts } from './surveyed.ts';

/** A host's listing is held in memory: about 300 bytes a path. */
export const MAX_ENTRIES = 4_000_000;
const MAX_BYTES = 1024 * 1024 * 1024;
const MAX_NAME_BYTES = 4 * 1024 * 1024;

/** Takes the answer apart while it comes. */
export class ListingReader {
  heardAt = performance.now();
  readonly #take: (facts: string, path: string, target: string, isAbove: boolean) => void;
  #rest = '';
  #bytes = 0;
  #kind: string | undefined;
  #startedAt: number | undefined;
  #isAbove: boolean;
  /** Paths that are still to come. */
  #facts: string[] = [];
  #path: string | undefined;

  constructor(
    hasAbove: boolean,
    take: (facts: string, path: string, target: string, isAbove: boolean) => void,
  ) {
    this.#isAbove = hasAbove;
    this.#take = take;
  }

  take(chunk: Buffer): void {
    this.heardAt = performance.now();
    this.#bytes += chunk.length;
    if (this.#bytes > MAX_BYTES) throw tooMany();
    const tokens = `${this.#rest}${chunk.toString('latin1')}`.split('\0');
    this.#rest = tokens.pop() ?? '';
    if (this.#rest.length > MAX_NAME_BYTES) throw noListing('a name in it is not terminated');
    for (const token of tokens) this.#token(token);
  }

  /** Returns the host's start time. */
  finish(): number {
    const isWhole = this.#rest === '' && this.#facts.length === 0 && !this.#isAbove;
    if (!isWhole || this.#startedAt === undefined) throw noListing('it is truncated');
    return this.#startedAt;
  }

  #token(token: string): void {
    if (this.#facts.length > 0) {
      if (this.#path === undefined) this.#path = token;
      else {
        const path = this.#path;
        this.#path = undefined;
        this.#take(this.#facts.pop() ?? '', path, token, this.#isAbove);
      }
    } else if (this.#kind === undefined) this.#kind = token;
    else if (this.#startedAt === undefined) this.#startedAt = clock(token);
    else if (this.#isAbove && token === '') this.#isAbove = false;
    else if (this.#kind === 'printf') this.#facts.push(token);
    else this.#facts = token.split('\n').map(printedFacts).toReversed();
  }
}

function clock(token: string): number {
  if (!/^\d{1,12}$/.test(token)) throw noListing('it does not start with the time');
  return Number(token);
}

export const tooMany = (): DomainError =>
  new DomainError(
    'backup_failed',
    `The source has more than ${MAX_ENTRIES} files: split it into several sources, or back it up with restic.`,
  );

export const noListing = (why: string): DomainError =>
  new DomainError('backup_failed', `The host's file listing cannot be read: ${why}.`);
