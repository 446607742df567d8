import { type ByteString, display } from './byte-string.ts';

const MAX_NAMED = 10;

/** Faults: all counted, the first ones named. */
export class Findings {
  #count = 0;
  readonly #first: string[] = [];
  readonly #paths: ByteString[] = [];

  add(path: ByteString, what: string): void {
    this.#count += 1;
    if (this.#first.length >= MAX_NAMED) return;
    this.#first.push(`"${display(path)}" ${what}`);
    this.#paths.push(path);
  }

  get count(): number {
    return this.#count;
  }

  /** The paths of those that are named. */
  get paths(): readonly ByteString[] {
    return this.#paths;
  }

  /** `"a" is missing; "b" has another size; and 3 more`. */
  get text(): string {
    const more = this.#count - this.#first.length;
    return [...this.#first, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
  }
}
