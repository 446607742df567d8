import { normaliseRecoveryCode } from '../../domain/access/recovery-code.ts';
import type { User } from '../../domain/access/user.ts';
import { UseCase } from '../base/use-case.ts';

/** The place that a user's TOTP secret is encrypted for. */
export const totpPlace = (userId: number) => ({ table: 'users', column: 'totp_secret', row: userId });

/** Looks at one-time codes: each is good once. */
export class SecondFactor extends UseCase<'users' | 'codes' | 'box' | 'digest' | 'clock'> {
  /** Uses up a code of the app or a recovery code; false if it is neither, or was used before. */
  async use(user: User, code: string): Promise<boolean> {
    return (await this.#isTotp(user, code)) || this.#isRecovery(user, code);
  }

  async #isTotp(user: User, code: string): Promise<boolean> {
    const digits = code.replaceAll(/\s/g, '');
    if (!/^\d{6}$/.test(digits)) return false;
    const found = await this.deps.users.findByName(user.name);
    const sealed = found?.credentials.totpSecret ?? null;
    if (sealed === null) return false;
    const secret = this.deps.box.open(sealed, totpPlace(user.id));
    const step = this.deps.codes.stepOf(secret, digits, this.deps.clock.now());
    return step !== null && this.deps.users.useTotpStep(user.id, step);
  }

  async #isRecovery(user: User, code: string): Promise<boolean> {
    const plain = normaliseRecoveryCode(code);
    return plain !== null && this.deps.users.useRecoveryCode(user.id, this.deps.digest.sha256(plain));
  }
}
