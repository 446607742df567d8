import type { InputProblem } from '../../domain/errors.ts';
import { passwordProblem } from '../../domain/user.ts';
import type { PasswordStrength } from '../ports/password-hasher.ts';

/** Which passwords are taken: long enough, and not among those that are guessed first. */
export class PasswordRules {
  readonly #strength: PasswordStrength;

  constructor(deps: { strength: PasswordStrength }) {
    this.#strength = deps.strength;
  }

  /** Adds what is wrong with it to the problems, under `/password`. */
  check(password: string, name: string, problems: InputProblem[]): void {
    const message = passwordProblem(password, name) ?? this.#strength.weakness(password, [name, 'drover']);
    if (message !== null) problems.push({ path: '/password', message });
  }
}
