/** Slow hashes of passwords. */
export interface PasswordHasher {
  /** A hash that contains its salt and parameters. */
  hash(password: string): Promise<string>;
  /**
   * Without a hash it takes equally long and returns false, so that timing does not reveal who has an account. Throws
   * `sign_in_throttled` if too many are being hashed already.
   */
  verify(password: string, hash: string | null): Promise<boolean>;
}

/** Tells passwords that are guessed early. */
export interface PasswordStrength {
  /**
   * Why it is easy to guess, as a sentence, or null. The words are ones that an attacker would try, such as the
   * user's name.
   */
  weakness(password: string, words: readonly string[]): Promise<string | null>;
}
