import { createHash, createSecretKey, type KeyObject } from 'node:crypto';

/** AES-256 takes 32 bytes. */
export const MASTER_KEY_BYTES = 32;
const ID_LENGTH = 8;
/** In one file or variable. */
export const MAX_MASTER_KEYS = 16;
const HEX = /^[0-9a-f]{64}$/i;
/** 43 characters hold 32 bytes; the padding may be left out, and both base64 alphabets are taken. */
const BASE64 = /^[A-Za-z0-9+/_-]{43}=?$/;

/**
 * A key that encrypts secrets, and the short id with which an encrypted secret names it. Printing it does not show
 * the key.
 */
export class MasterKey {
  /** The first characters of a digest of the key: distinguishes keys, and reveals nothing about them. */
  readonly id: string;
  readonly key: KeyObject;

  constructor(bytes: Uint8Array) {
    if (bytes.length !== MASTER_KEY_BYTES)
      throw new RangeError(`A master key has ${MASTER_KEY_BYTES} bytes.`);
    this.key = createSecretKey(bytes);
    this.id = createHash('sha256')
      .update('drover master key id\0')
      .update(bytes)
      .digest('base64url')
      .slice(0, ID_LENGTH);
  }

  /** One key or more, separated by commas or white space; `null` if any of it is invalid, or there is none. */
  static parseList(text: string): readonly MasterKey[] | null {
    const entries = text.split(/[\s,]+/).filter((entry) => entry !== '');
    const bytes = entries.map(decode).filter((decoded) => decoded !== null);
    if (bytes.length === 0 || bytes.length !== entries.length || bytes.length > MAX_MASTER_KEYS) return null;
    return bytes.map((decoded) => new MasterKey(decoded));
  }
}

function decode(text: string): Buffer | null {
  if (HEX.test(text)) return Buffer.from(text, 'hex');
  return BASE64.test(text) ? Buffer.from(text, 'base64') : null;
}
