import { Secret, TOTP } from 'otpauth';
import type { OneTimeCodes } from '../../../application/ports/access/one-time-codes.ts';
import type { Instant } from '../../../domain/base/instant.ts';

const PERIOD = 30;
const FORM = { algorithm: 'SHA1', digits: 6, period: PERIOD } as const;
const ISSUER = 'Drover';

export class TotpCodes implements OneTimeCodes {
  secretOf(bytes: Uint8Array): string {
    return new Secret({ buffer: Uint8Array.from(bytes).buffer }).base32;
  }

  uri(secret: string, account: string): string {
    return new TOTP({
      ...FORM,
      issuer: ISSUER,
      label: account,
      secret: Secret.fromBase32(secret),
    }).toString();
  }

  stepOf(secret: string, code: string, now: Instant): number | null {
    if (!/^\d{6}$/.test(code)) return null;
    const totp = new TOTP({ ...FORM, secret: Secret.fromBase32(secret) });
    const delta = totp.validate({ token: code, timestamp: now, window: 1 });
    return delta === null ? null : Math.floor(now / 1000 / PERIOD) + delta;
  }
}
