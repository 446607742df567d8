export interface Digest {
  /** SHA-256 of UTF-8 text, as 64 lower-case hex characters. */
  sha256(text: string): string;
  /** Compares two strings in constant time. */
  equal(a: string, b: string): boolean;
}
