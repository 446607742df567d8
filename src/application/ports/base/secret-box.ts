/**
 * Where a secret is stored. An encrypted secret opens only in its own place, so that it cannot be moved to another
 * row.
 */
export interface SecretPlace {
  readonly table: string;
  readonly column: string;
  readonly row: string | number;
}

/** Encrypts secrets for the database. */
export interface SecretBox {
  /** Names the key that new secrets get; no secret itself. */
  readonly keyId: string;
  /** All keys that open secrets, the one for new secrets first. */
  readonly keyIds: readonly string[];
  /** `v1.keyid.iv.tag.ciphertext`, each base64url. Encrypting the same secret twice gives different results. */
  seal(secret: string, place: SecretPlace): string;
  /** Throws `secret_unreadable`: another key, another place, or a damaged text. */
  open(sealed: string, place: SecretPlace): string;
  /** Whether it is encrypted with the current key. */
  isCurrent(sealed: string): boolean;
  /** Looks for keys that were added since, such as in the key file. */
  refresh(): void;
}
