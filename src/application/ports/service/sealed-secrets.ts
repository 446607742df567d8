import type { SecretPlace } from '../base/secret-box.ts';

/** An encrypted secret in the database. */
export interface SealedSecret {
  readonly place: SecretPlace;
  readonly sealed: string;
}

/** Every encrypted secret in the database, wherever it is stored. */
export interface SealedSecrets {
  /** How many secrets each key has encrypted, by its id. */
  counts(): Promise<ReadonlyMap<string, number>>;
  /** Those that a different key has encrypted, a bounded page at a time. Pages may be empty. */
  notUnder(keyId: string): AsyncGenerator<readonly SealedSecret[]>;
  /** Replaces its encrypted form, unless it was changed or removed in the meantime; returns whether it did. */
  replace(secret: SealedSecret, sealed: string): Promise<boolean>;
}
