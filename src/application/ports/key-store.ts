import type { Instant } from '../../domain/instant.ts';
import type { Trail } from './trail.ts';

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

export interface KeyStore {
  /** Seals by the callback once the id is known, in the same transaction. Throws `name_taken`. */
  add(
    key: Omit<SshKey, 'id' | 'sealedPrivateKey'>,
    seal: (id: number) => string,
    trail: (key: SshKey) => Trail,
  ): Promise<SshKey>;
  find(id: number): Promise<SshKey | null>;
  findByName(name: string): Promise<SshKey | null>;
  /** Forgets it, and its private half. Throws `key_not_found`, and `key_in_use` while a server is signed in to with it. */
  remove(id: number, trail: Trail): Promise<void>;
  /** By id; at most 1,000. */
  list(): Promise<readonly SshKey[]>;
}
