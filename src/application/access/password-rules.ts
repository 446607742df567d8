import { passwordProblem } from '../../domain/access/user.ts';
import type { InputProblem } from '../../domain/base/errors.ts';
import { UseCase } from '../base/use-case.ts';

/** Accepted passwords: long enough, and not among the first guesses. */
export class PasswordRules extends UseCase<'strength'> {
  /** Adds faults to the problems, under `/password`. */
  async check(password: string, name: string, problems: InputProblem[]): Promise<void> {
    const message =
      passwordProblem(password, name) ?? (await this.deps.strength.weakness(password, [name, 'drover']));
    if (message !== null) problems.push({ path: '/password', message });
  }
}
