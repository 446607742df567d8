import { createHash } from 'node:crypto';
import type { SecretBox, SecretPlace } from '../../src/application/ports/base/secret-box.ts';
import { DomainError } from '../../src/domain/base/errors.ts';

/** Hides nothing, but binds a secret to its place, and notices damage, as a real box does. */
export class PlainSecretBox implements SecretBox {
  readonly keyId: string;
  readonly keyIds: readonly string[];
  #sealed = 0;

  constructor(keyId = 'plainbox', ...older: readonly string[]) {
    this.keyId = keyId;
    this.keyIds = [keyId, ...older];
  }

  seal(secret: string, place: SecretPlace): string {
    this.#sealed += 1;
    const number = encode(String(this.#sealed).padStart(12, '0'));
    const body = encode(secret);
    return ['v1', this.keyId, number, tagOf(this.keyId, number, body, place), body].join('.');
  }

  open(sealed: string, place: SecretPlace): string {
    const [version, keyId, number = '', tag, body = '', ...more] = sealed.split('.');
    const whole = version === 'v1' && keyId !== undefined && this.keyIds.includes(keyId) && more.length === 0;
    if (whole && tag === tagOf(keyId ?? '', number, body, place))
      return Buffer.from(body, 'base64url').toString('utf8');
    throw new DomainError(
      'secret_unreadable',
      `The secret in ${place.table}.${place.column}, row ${place.row}, cannot be read.`,
    );
  }

  refresh(): void {}

  isCurrent(sealed: string): boolean {
    return sealed.startsWith(`v1.${this.keyId}.`);
  }
}

const encode = (text: string): string => Buffer.from(text, 'utf8').toString('base64url');

const tagOf = (keyId: string, number: string, body: string, place: SecretPlace): string =>
  createHash('sha256')
    .update(JSON.stringify([keyId, number, body, place.table, place.column, String(place.row)]))
    .digest('base64url')
    .slice(0, 22);
