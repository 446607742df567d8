/** Crockford's base 32: no letter that is taken for another. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LENGTH = 16;

export const RECOVERY_CODES = 10;

/** A code of 80 random bits, as `XXXX-XXXX-XXXX-XXXX`. The source gives that many random bytes. */
export function makeRecoveryCode(randomBytes: (count: number) => Uint8Array): string {
  const letters = [...randomBytes(LENGTH)].map((byte) => ALPHABET[byte % 32]).join('');
  return letters.replaceAll(/(.{4})(?!$)/g, '$1-');
}

const PLAIN = /^[0-9A-HJKMNP-TV-Z]{16}$/;

/** As it is hashed, however it was typed; null where it cannot be one. */
export function normaliseRecoveryCode(raw: string): string | null {
  const plain = raw.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1');
  return PLAIN.test(plain) ? plain : null;
}
