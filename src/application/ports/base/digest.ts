export interface Digest {
  /** SHA-256 of UTF-8 text, as 64 lower-case hex characters. */
  sha256(text: string): string;
  /** Compares two strings of equal meaning without telling by its time where they differ. */
  equal(a: string, b: string): boolean;
}
