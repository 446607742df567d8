import type { Randomness } from '../../src/application/ports/base/randomness.ts';

/** The same seed gives the same numbers (mulberry32). */
export class SeededRandomness implements Randomness {
  #state: number;

  constructor(seed = 1) {
    this.#state = seed >>> 0;
  }

  bytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => this.#next() & 0xff);
  }

  uuid(): string {
    const bytes = this.bytes(16);
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
    const hex = Buffer.from(bytes).toString('hex');
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
  }

  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let value = this.#state;
    value = Math.imul(value ^ (value >>> 15), value | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return (value ^ (value >>> 14)) >>> 0;
  }
}
