import type { Instant } from '../../../domain/base/instant.ts';

/** Time-based one-time passwords: RFC 6238 with SHA-1, six digits, 30 seconds, as every authenticator app has them. */
export interface OneTimeCodes {
  /** The secret in base 32, as apps take it, of 20 random bytes. */
  secretOf(bytes: Uint8Array): string;
  /** `otpauth://totp/…`, which apps read as a QR code. */
  uri(secret: string, account: string): string;
  /** The time step of the code, with a tolerance of one step; null if it is wrong. */
  stepOf(secret: string, code: string, now: Instant): number | null;
}
