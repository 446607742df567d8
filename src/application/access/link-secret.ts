import type { Digest } from '../ports/base/digest.ts';
import type { Randomness } from '../ports/base/randomness.ts';

/** A secret of 192 random bits, safe in a URL, and the hash by which it is kept. */
export function makeSecret(randomness: Randomness, digest: Digest): { secret: string; hash: string } {
  const secret = base64url(randomness.bytes(24));
  return { secret, hash: digest.sha256(secret) };
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Without padding; the bytes are a multiple of three. */
function base64url(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const three = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    for (const shift of [18, 12, 6, 0]) text += LETTERS[(three >> shift) & 63];
  }
  return text;
}

const SECRET = /^[A-Za-z0-9_-]{32}$/;

/** Whether it has a valid form: anything else is refused without a database query. */
export const looksLikeSecret = (raw: string): boolean => SECRET.test(raw);
