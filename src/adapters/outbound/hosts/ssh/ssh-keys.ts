import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import type { KeyMaker, KeyPair } from '../../../../application/ports/fleet/key-maker.ts';
import { writeKey } from './openssh-key-format.ts';
import {
  DAMAGED,
  ENCRYPTED,
  hasSshFormat,
  type ReadKey,
  readSshFormat,
  refuseKey,
  unsupportedType,
  WRONG_PASSPHRASE,
} from './ssh-format-reader.ts';

const MAX_COMMENT_CHARACTERS = 200;
/** An RSA key of 16,384 bits has some 13,000. */
const MAX_CHARACTERS = 32_768;
const MIN_RSA_BITS = 2_048;
const MAX_RSA_BITS = 16_384;

/** Makes and reads SSH keys, in memory only. */
export class SshKeyMaker implements KeyMaker {
  async generate(comment: string): Promise<KeyPair> {
    if (/\p{Cc}/u.test(comment) || comment.length > MAX_COMMENT_CHARACTERS) {
      throw refuseKey(`A key's comment is one line of at most ${MAX_COMMENT_CHARACTERS} characters.`);
    }
    return written({ key: generateKeyPairSync('ed25519').privateKey, comment });
  }

  async import(pem: string, passphrase?: string): Promise<KeyPair> {
    const text = pem.trim();
    assertPrivateKey(text);
    // forms and options give an empty text if there is no passphrase
    const secret = passphrase === '' ? undefined : passphrase;
    const read = hasSshFormat(text) ? await readSshFormat(text, secret) : readPem(text, secret);
    assertStrong(read.key);
    const pair = written({ ...read, comment: oneLine(read.comment) });
    assertWhole(read.key);
    return pair;
  }
}

function written({ key, comment }: ReadKey): KeyPair {
  const pair = writeKey(key, comment);
  if (!pair) throw refuseKey(unsupportedType(curveOf(key) ?? key.asymmetricKeyType ?? 'unknown'));
  return pair;
}

function assertPrivateKey(text: string): void {
  if (text.length > MAX_CHARACTERS) throw refuseKey('This is too long for a private key.');
  if (/^((ssh|ecdsa|sk)-\S+|.*BEGIN( SSH2)? PUBLIC KEY)/.test(text)) {
    throw refuseKey('This is a public key: use the private one, the file without .pub.');
  }
  if (/BEGIN CERTIFICATE/.test(text)) throw refuseKey('This is a certificate, not a private key.');
  if (text.startsWith('PuTTY-User-Key-File-')) {
    throw refuseKey('This is a PuTTY key: export it with "puttygen KEY -O private-openssh-new -o NEW".');
  }
  if (!/-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/.test(text)) {
    throw refuseKey(
      'This is not a private key, which starts with a line like "-----BEGIN OPENSSH PRIVATE KEY-----".',
    );
  }
}

function readPem(text: string, passphrase: string | undefined): ReadKey {
  const encrypted = /BEGIN ENCRYPTED|Proc-Type: 4,ENCRYPTED/.test(text);
  if (encrypted && passphrase === undefined) throw refuseKey(ENCRYPTED);
  try {
    const key = createPrivateKey({ key: text, ...(encrypted ? { passphrase } : {}) });
    return { key, comment: '' };
  } catch {
    throw refuseKey(encrypted ? WRONG_PASSPHRASE : DAMAGED);
  }
}

function assertStrong(key: KeyObject): void {
  if (key.asymmetricKeyType === 'dsa') throw refuseKey(unsupportedType('ssh-dss'));
  const bits = key.asymmetricKeyType === 'rsa' ? (key.asymmetricKeyDetails?.modulusLength ?? 0) : null;
  if (bits !== null && (bits < MIN_RSA_BITS || bits > MAX_RSA_BITS)) {
    throw refuseKey(
      `An RSA key of ${bits} bits cannot be used: ${MIN_RSA_BITS} to ${MAX_RSA_BITS} bits are allowed; prefer ed25519.`,
    );
  }
}

/**
 * A file may contain a public half that does not match the private one; a login with it would fail without a reason.
 */
function assertWhole(key: KeyObject): void {
  const probe = Buffer.from('drover');
  // the signatures of ed25519 have their digest built in
  const digest = key.asymmetricKeyType === 'ed25519' ? null : 'sha256';
  let whole = false;
  try {
    whole = verify(digest, probe, createPublicKey(key), sign(digest, probe, key));
  } catch {
    whole = false;
  }
  if (!whole) throw refuseKey(DAMAGED);
}

const curveOf = (key: KeyObject): string | undefined => key.asymmetricKeyDetails?.namedCurve;

const oneLine = (comment: string): string =>
  comment
    .replace(/\p{Cc}+/gu, ' ')
    .slice(0, MAX_COMMENT_CHARACTERS)
    .trim();
