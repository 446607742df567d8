import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';
import { DomainError } from '../../../../domain/base/errors.ts';

/** What encrypts an archive: a passphrase, or the recipients' public keys (`age1…`). */
export type Lock =
  | { readonly kind: 'passphrase'; readonly passphrase: string }
  | { readonly kind: 'recipients'; readonly recipients: readonly string[] };

/** What decrypts it: the passphrase, or private keys (`AGE-SECRET-KEY-1…`). */
export type Key =
  | { readonly kind: 'passphrase'; readonly passphrase: string }
  | { readonly kind: 'identities'; readonly identities: readonly string[] };

export interface KeyPair {
  readonly identity: string;
  readonly recipient: string;
}

/** The base-2 logarithm of scrypt's work: a second, and 256 MiB. */
const USUAL_WORK = 18;

export async function makeKeyPair(): Promise<KeyPair> {
  const identity = await generateX25519Identity();
  return { identity, recipient: await identityToRecipient(identity) };
}

/** Throws `invalid_request` for a recipient that is none. `work`: for tests, which need not be safe. */
export function closedBy(lock: Lock, work = USUAL_WORK): Encrypter {
  const encrypter = new Encrypter();
  if (lock.kind === 'passphrase') {
    encrypter.setPassphrase(lock.passphrase);
    encrypter.setScryptWorkFactor(work);
    return encrypter;
  }
  for (const recipient of lock.recipients) {
    try {
      encrypter.addRecipient(recipient);
    } catch {
      throw new DomainError(
        'invalid_request',
        `${recipient.slice(0, 80)} is not a public key; public keys start with age1.`,
      );
    }
  }
  return encrypter;
}

export function openedBy(key: Key): Decrypter {
  const decrypter = new Decrypter();
  if (key.kind === 'passphrase') decrypter.addPassphrase(key.passphrase);
  else for (const identity of key.identities) decrypter.addIdentity(identity);
  return decrypter;
}

const IDENTITY = /^AGE-SECRET-KEY-(PQ-)?1[0-9A-Z]+$/;

/** The private keys in a key file; its other lines are empty or start with `#`. Throws `invalid_request`. */
export function identitiesIn(text: string): readonly string[] {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  if (lines.length > 0 && lines.every((line) => IDENTITY.test(line))) return lines;
  throw new DomainError(
    'invalid_request',
    'The key file contains no private key; private keys start with AGE-SECRET-KEY-1.',
  );
}
