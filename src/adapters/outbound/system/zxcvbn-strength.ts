import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import * as common from '@zxcvbn-ts/language-common';
import type { PasswordStrength } from '../../../application/ports/access/password-hasher.ts';

/** zxcvbn's score from 0 to 4. 3 means more than 10^8 guesses, "safely unguessable" if tries are throttled. */
const GOOD = 3;
/** The time grows with the square of the length; longer ones are judged by their start. */
const MAX_JUDGED = 128;

/** Judges as an attacker would guess: by lists of leaked passwords, names, dates, rows of keys and repetition. */
export class ZxcvbnStrength implements PasswordStrength {
  #zxcvbn: ZxcvbnFactory | null = null;

  weakness(password: string, words: readonly string[]): string | null {
    this.#zxcvbn ??= new ZxcvbnFactory({ dictionary: common.dictionary, graphs: common.adjacencyGraphs });
    const { score } = this.#zxcvbn.check(password.slice(0, MAX_JUDGED), [...words]);
    if (score >= GOOD) return null;
    return 'This password is easy to guess; use four or more words that do not belong together, or let a password manager generate one.';
  }
}
