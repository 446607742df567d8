/**
 * The secret of an API token: `drv_`, 30 base62 characters, and 6 base62 characters of the CRC-32 over all that
 * precedes them. The checksum lets a typing error or a guess be refused without asking the database; it adds no secrecy.
 * 30 base62 characters hold 178 bits.
 */
export const TOKEN_PREFIX = 'drv_';
const RANDOM_LENGTH = 30;
const CHECK_LENGTH = 6;
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SHAPE = new RegExp(`^${TOKEN_PREFIX}[0-9A-Za-z]{${RANDOM_LENGTH + CHECK_LENGTH}}$`);

/** How much of the secret is kept to distinguish tokens in the web UI. */
export const SHOWN_PREFIX_LENGTH = 12;

/** How many random bytes `makeTokenSecret` wants: a few more than needed, since some are thrown away. */
export const TOKEN_RANDOM_BYTES = 64;

/**
 * Makes a secret from random bytes. Bytes from 248 up are skipped, so that each of the 62 characters is as likely as the
 * others; `more` is asked again in the rare case that too many were.
 */
export function makeTokenSecret(more: (bytes: number) => Uint8Array): string {
  let body = '';
  while (body.length < RANDOM_LENGTH) {
    for (const byte of more(TOKEN_RANDOM_BYTES)) {
      if (byte < 248 && body.length < RANDOM_LENGTH) body += ALPHABET[byte % 62];
    }
  }
  return `${TOKEN_PREFIX}${body}${checksum(`${TOKEN_PREFIX}${body}`)}`;
}

/** Whether a string can be a token's secret at all: right shape, right checksum. */
export function isTokenSecret(text: string): boolean {
  if (!SHAPE.test(text)) return false;
  return text.slice(-CHECK_LENGTH) === checksum(text.slice(0, -CHECK_LENGTH));
}

function checksum(text: string): string {
  let value = crc32(text);
  let out = '';
  for (let i = 0; i < CHECK_LENGTH; i += 1) {
    out = `${ALPHABET[value % 62]}${out}`;
    value = Math.floor(value / 62);
  }
  return out;
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value >>> 0;
});

/** CRC-32 (ISO 3309, as in zlib) of ASCII text. */
function crc32(text: string): number {
  let value = 0xffffffff;
  for (let i = 0; i < text.length; i += 1) {
    value = (value >>> 8) ^ (CRC_TABLE[(value ^ text.charCodeAt(i)) & 0xff] ?? 0);
  }
  return (value ^ 0xffffffff) >>> 0;
}
