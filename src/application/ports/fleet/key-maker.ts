/** A key pair in the forms that SSH uses. */
export interface KeyPair {
  /** Such as `ssh-ed25519`. */
  readonly algorithm: string;
  /** A line for authorized_keys: algorithm, base64, comment. */
  readonly publicKey: string;
  /** `SHA256:` and the unpadded base64 digest, as OpenSSH prints it. */
  readonly fingerprint: string;
  /** OpenSSH's own PEM, not encrypted: encrypt it before it is stored, never log it. */
  readonly privateKey: string;
}

export interface KeyMaker {
  /** A new ed25519 pair. Throws `invalid_input` if the comment has control characters or is over 200 characters. */
  generate(comment: string): Promise<KeyPair>;
  /**
   * Reads a private key (OpenSSH, PKCS#1, PKCS#8 or SEC1; ed25519, ECDSA or RSA of 2,048 bits and more). Throws
   * `invalid_input` with the reason: no key, only the public half, encrypted and no or a wrong passphrase, a type that
   * is unsupported or too weak. Neither key nor passphrase is part of any error.
   */
  import(pem: string, passphrase?: string): Promise<KeyPair>;
}
