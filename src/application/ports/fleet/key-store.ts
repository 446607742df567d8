import type { SshKey } from '../../../domain/fleet/ssh-key.ts';
import type { ChangeRecord } from '../events/change-record.ts';

export interface KeyStore {
  /** Encrypts with the callback once the id is known, in the same transaction. Throws `name_taken`. */
  add(
    key: Omit<SshKey, 'id' | 'sealedPrivateKey'>,
    seal: (id: number) => string,
    record: (key: SshKey) => ChangeRecord,
  ): Promise<SshKey>;
  find(id: number): Promise<SshKey | null>;
  findByName(name: string): Promise<SshKey | null>;
  /**
   * Deletes it, and its private half. Throws `key_not_found`, and `key_in_use` while a server is signed in to with
   * it.
   */
  remove(id: number, record: ChangeRecord): Promise<void>;
  /** By id; at most 1,000. */
  list(): Promise<readonly SshKey[]>;
}
