/** Where a secret is stored. A sealed secret opens only in its own place, so that nobody can move one row's to another. */
export interface SecretPlace {
  readonly table: string;
  readonly column: string;
  readonly row: string | number;
}

/** Seals secrets for the database. */
export interface SecretBox {
  /** Names the key that new secrets get; no secret itself. */
  readonly keyId: string;
  /** All keys that open secrets, the one for new secrets first. */
  readonly keyIds: readonly string[];
  /** `v1.keyid.iv.tag.ciphertext`, each base64url. The same secret sealed twice looks different. */
  seal(secret: string, place: SecretPlace): string;
  /** Throws `secret_unreadable`: another key, another place, or a damaged text. */
  open(sealed: string, place: SecretPlace): string;
  /** Whether it is sealed with the key that new secrets get. */
  isCurrent(sealed: string): boolean;
  /** Looks for keys that were added since, such as in the key file. */
  refresh(): void;
}
