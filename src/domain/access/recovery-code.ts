/** Crockford's base 32: no letter that is taken for another. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** 120 random bits: enough for a plain hash to protect them (OWASP ASVS 5, 6.5.2 asks for 112). */
const LENGTH = 24;

export const RECOVERY_CODES = 10;

/** A new code, as `XXXX-XXXX-XXXX-XXXX-XXXX-XXXX`. The source returns that many random bytes. */
export function makeRecoveryCode(randomBytes: (count: number) => Uint8Array): string {
  const letters = [...randomBytes(LENGTH)].map((byte) => ALPHABET[byte % 32]).join('');
  return letters.replaceAll(/(.{4})(?!$)/g, '$1-');
}

/** Codes made up to version 1.1 have 16 letters and stay valid. */
const PLAIN = /^[0-9A-HJKMNP-TV-Z]{16}(?:[0-9A-HJKMNP-TV-Z]{8})?$/;

/** In the form that is hashed, however it was typed; null if it cannot be a code. */
export function normaliseRecoveryCode(raw: string): string | null {
  const plain = raw.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1');
  return PLAIN.test(plain) ? plain : null;
}
