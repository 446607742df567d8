import type { Instant } from '../base/instant.ts';

/** An SSH key of the service's own. Its private half is sealed for the place `ssh_keys|private_key|<id>`. */
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
