import { passwordProblem } from '../../domain/access/user.ts';
import type { InputProblem } from '../../domain/base/errors.ts';
import type { PasswordStrength } from '../ports/access/password-hasher.ts';

interface Deps {
  readonly strength: PasswordStrength;
}

/** Which passwords are taken: long enough, and not among those that are guessed first. */
export class PasswordRules {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Adds what is wrong with it to the problems, under `/password`. */
  check(password: string, name: string, problems: InputProblem[]): void {
    const message =
      passwordProblem(password, name) ?? this.#deps.strength.weakness(password, [name, 'drover']);
    if (message !== null) problems.push({ path: '/password', message });
  }
}
