/** The only source of chance. Cryptographically strong. */
export interface Randomness {
  bytes(count: number): Uint8Array;
  /** A random (version 4) UUID. */
  uuid(): string;
}
