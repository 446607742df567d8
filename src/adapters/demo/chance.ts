/** Randomness that is the same at every start (mulberry32): the demo always looks the same. */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** From 0 up to, but not, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number, both ends included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  happens(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(choices: readonly [T, ...T[]]): T {
    return choices[this.between(0, choices.length - 1)] ?? choices[0];
  }
}
