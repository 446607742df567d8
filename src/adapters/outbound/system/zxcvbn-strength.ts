import type { PasswordStrength } from '../../../application/ports/access/password-hasher.ts';

/** zxcvbn's score from 0 to 4. 3 means more than 10^8 guesses, "safely unguessable" if tries are throttled. */
const GOOD = 3;
/** The time grows with the square of the length; longer ones are judged by their start. */
const MAX_JUDGED = 128;

/** Judges as an attacker would guess: by lists of leaked passwords, names, dates, rows of keys and repetition. */
export class ZxcvbnStrength implements PasswordStrength {
  async weakness(password: string, words: readonly string[]): Promise<string | null> {
    // Unpacking the lists takes a tenth of the service's start, and few processes ever judge a password.
    const { zxcvbn } = await import('./zxcvbn.ts');
    const { score } = zxcvbn.check(password.slice(0, MAX_JUDGED), [...words]);
    if (score >= GOOD) return null;
    return 'This password is easy to guess; use four or more words that do not belong together, or let a password manager generate one.';
  }
}
