import {
  makeRecoveryCode,
  normaliseRecoveryCode,
  RECOVERY_CODES,
} from '../../domain/access/recovery-code.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import { UseCase } from '../base/use-case.ts';
import type { Visitor } from './sessions.ts';

/** One-time codes for users without their device. */
export class RecoveryCodes extends UseCase<'randomness' | 'digest' | 'clock' | 'users.setRecoveryCodes'> {
  /** New ones, which are shown this once; the old ones are void. */
  async renew({ actor, user }: Visitor): Promise<readonly string[]> {
    const { users, randomness, digest, clock } = this.deps;
    const codes = Array.from({ length: RECOVERY_CODES }, () =>
      makeRecoveryCode((count) => randomness.bytes(count)),
    );
    const hashes = codes.map((code) => digest.sha256(normaliseRecoveryCode(code) ?? ''));
    const audit = [auditEntry(actor, clock.now(), 'user.renew_recovery_codes', `user:${user.id}`)];
    await users.setRecoveryCodes(user.id, hashes, { audit });
    return codes;
  }
}
