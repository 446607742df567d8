import { normaliseRecoveryCode } from '../../domain/access/recovery-code.ts';
import type { User } from '../../domain/access/user.ts';
import type { OneTimeCodes } from '../ports/access/one-time-codes.ts';
import type { UserStore } from '../ports/access/user-store.ts';
import type { Clock } from '../ports/base/clock.ts';
import type { Digest } from '../ports/base/digest.ts';
import type { SecretBox } from '../ports/base/secret-box.ts';

/** The place that a user's TOTP secret is encrypted for. */
export const totpPlace = (userId: number) => ({ table: 'users', column: 'totp_secret', row: userId });

interface Deps {
  readonly users: UserStore;
  readonly codes: OneTimeCodes;
  readonly box: SecretBox;
  readonly digest: Digest;
  readonly clock: Clock;
}

/** Looks at one-time codes: each is good once. */
export class SecondFactor {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Uses up a code of the app or a recovery code; false if it is neither, or was used before. */
  async use(user: User, code: string): Promise<boolean> {
    return (await this.#isTotp(user, code)) || this.#isRecovery(user, code);
  }

  async #isTotp(user: User, code: string): Promise<boolean> {
    const digits = code.replaceAll(/\s/g, '');
    if (!/^\d{6}$/.test(digits)) return false;
    const found = await this.#deps.users.findByName(user.name);
    const sealed = found?.credentials.totpSecret ?? null;
    if (sealed === null) return false;
    const secret = this.#deps.box.open(sealed, totpPlace(user.id));
    const step = this.#deps.codes.stepOf(secret, digits, this.#deps.clock.now());
    return step !== null && this.#deps.users.useTotpStep(user.id, step);
  }

  async #isRecovery(user: User, code: string): Promise<boolean> {
    const plain = normaliseRecoveryCode(code);
    return plain !== null && this.#deps.users.useRecoveryCode(user.id, this.#deps.digest.sha256(plain));
  }
}
