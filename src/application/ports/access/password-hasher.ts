/** Slow hashes of passwords. */
export interface PasswordHasher {
  /** A hash with its own salt and parameters in it. */
  hash(password: string): Promise<string>;
  /**
   * Without a hash it takes as long and says false, so that nobody learns by the clock who has an account.
   * Throws `sign_in_throttled` where too many are being hashed already.
   */
  verify(password: string, hash: string | null): Promise<boolean>;
}

/** Tells passwords that are guessed early. */
export interface PasswordStrength {
  /** A sentence on what makes it easy to guess, or null. The words are ones that an attacker would try, such as the user's name. */
  weakness(password: string, words: readonly string[]): string | null;
}
