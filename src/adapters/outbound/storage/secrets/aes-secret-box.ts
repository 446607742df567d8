import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { SecretBox, SecretPlace } from '../../../../application/ports/base/secret-box.ts';
import { DomainError } from '../../../../domain/base/errors.ts';
import type { MasterKey } from './master-key.ts';

const VERSION = 'v1';
const CIPHER = 'aes-256-gcm';
/** NIST SP 800-38D: random 96-bit IVs are safe for 2^32 encryptions a key. */
const IV_BYTES = 12;
const TAG_BYTES = 16;
const FORM = /^v1\.([\w-]{8})\.([\w-]{16})\.([\w-]{22})\.([\w-]*)$/;

/** AES-256-GCM under one master key or several; the first encrypts. */
export class AesSecretBox implements SecretBox {
  #current: MasterKey;
  #byId: ReadonlyMap<string, MasterKey>;
  readonly #read: () => readonly MasterKey[] | null;

  /** `read`: the keys as they are now, if they can change while the box is in use; `null` if they cannot be read. */
  constructor(keys: readonly MasterKey[], read: () => readonly MasterKey[] | null = () => null) {
    const current = keys[0];
    if (current === undefined) throw new RangeError('A secret box needs at least one master key.');
    this.#current = current;
    this.#byId = new Map(keys.map((key) => [key.id, key]));
    this.#read = read;
  }

  get keyIds(): readonly string[] {
    return [this.#current.id, ...[...this.#byId.keys()].filter((id) => id !== this.#current.id)];
  }

  /** Keys without the current one belong to another database: they are not used. Retired keys still decrypt here. */
  refresh(): void {
    const keys = this.#read() ?? [];
    const [first] = keys;
    if (first === undefined || !keys.some(({ id }) => id === this.#current.id)) return;
    this.#byId = new Map([...this.#byId, ...keys.map((key) => [key.id, key] as const)]);
    this.#current = first;
  }

  get keyId(): string {
    return this.#current.id;
  }

  seal(secret: string, place: SecretPlace): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, this.#current.key, iv, { authTagLength: TAG_BYTES });
    cipher.setAAD(placeBytes(place));
    const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    const parts = [iv, cipher.getAuthTag(), sealed].map((part) => part.toString('base64url'));
    return [VERSION, this.#current.id, ...parts].join('.');
  }

  open(sealed: string, place: SecretPlace): string {
    const [, id = '', iv = '', tag = '', body = ''] = FORM.exec(sealed) ?? [];
    const parts = [iv, tag, body].map(decodeStrictly);
    const [ivBytes, tagBytes, bodyBytes] = parts;
    if (id === '' || !ivBytes || !tagBytes || !bodyBytes)
      throw unreadable(place, 'it is damaged, or not an encrypted secret');
    if (!this.#byId.has(id)) this.refresh();
    const key = this.#byId.get(id);
    if (key === undefined) {
      throw unreadable(
        place,
        `it was encrypted with the master key ${id}, and the service has ${[...this.#byId.keys()].join(', ')}`,
      );
    }
    try {
      const decipher = createDecipheriv(CIPHER, key.key, ivBytes, { authTagLength: TAG_BYTES });
      decipher.setAAD(placeBytes(place));
      decipher.setAuthTag(tagBytes);
      return Buffer.concat([decipher.update(bodyBytes), decipher.final()]).toString('utf8');
    } catch {
      throw unreadable(place, 'it is damaged, or was moved here from another row');
    }
  }

  isCurrent(sealed: string): boolean {
    return sealed.startsWith(`${VERSION}.${this.#current.id}.`);
  }
}

/**
 * What the encryption is bound to. JSON separates the parts whatever characters they contain; a row is the same as
 * number and text.
 */
const placeBytes = (place: SecretPlace): Buffer =>
  Buffer.from(JSON.stringify([place.table, place.column, String(place.row)]), 'utf8');

/** Node skips invalid base64url; a text that does not round-trip was changed. */
function decodeStrictly(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : null;
}

const unreadable = (place: SecretPlace, why: string): DomainError =>
  new DomainError(
    'secret_unreadable',
    `The secret in ${place.table}.${place.column}, row ${place.row}, cannot be read: ${why}. ` +
      'Start the service with the master key that encrypted it, or enter the secret again.',
  );
