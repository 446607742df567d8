import type { Instant } from '../base/instant.ts';

/** One of the service's SSH keys. Its private half is encrypted for the place `ssh_keys|private_key|<id>`. */
export interface SshKey {
  readonly id: number;
  readonly name: string;
  readonly algorithm: string;
  /** A line for authorized_keys. */
  readonly publicKey: string;
  /** `SHA256:…` */
  readonly fingerprint: string;
  readonly sealedPrivateKey: string;
  readonly createdAt: Instant;
}
