import type { KeyObject } from 'node:crypto';
import { DomainError } from '../../../../domain/base/errors.ts';

export interface ReadKey {
  readonly key: KeyObject;
  readonly comment: string;
}

export const ENCRYPTED = 'The key is encrypted: give its passphrase.';
export const WRONG_PASSPHRASE = 'The passphrase does not fit the key.';
export const DAMAGED = 'The private key cannot be read: it is damaged, or was cut off when it was copied.';

export const unsupportedType = (type: string): string =>
  `A key of type ${type} cannot be used: take ed25519, ECDSA (nistp256, nistp384, nistp521) or RSA.`;

/** Parsers' own words are never passed on: they might quote the key. */
export const refuseKey = (detail: string): DomainError => new DomainError('invalid_input', detail);
