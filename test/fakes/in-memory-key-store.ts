import type { ChangeRecord } from '../../src/application/ports/events/change-record.ts';
import type { KeyStore } from '../../src/application/ports/fleet/key-store.ts';
import { DomainError } from '../../src/domain/base/errors.ts';
import type { SshKey } from '../../src/domain/fleet/ssh-key.ts';
import { InMemoryWorld } from './in-memory-world.ts';

export class InMemoryKeyStore implements KeyStore {
  readonly #world: InMemoryWorld;
  readonly #keys = new Map<number, SshKey>();

  constructor(world = new InMemoryWorld()) {
    this.#world = world;
  }

  async add(
    key: Omit<SshKey, 'id' | 'sealedPrivateKey'>,
    seal: (id: number) => string,
    record: (key: SshKey) => ChangeRecord,
  ): Promise<SshKey> {
    if (this.#named(key.name)) {
      throw new DomainError('name_taken', `There is an SSH key named "${key.name}" already.`);
    }
    const id = this.#world.nextId('ssh_keys');
    const added: SshKey = { ...key, id, sealedPrivateKey: seal(id) };
    const left = record(added);
    this.#keys.set(id, added);
    this.#world.record.write(left);
    return added;
  }

  async find(id: number): Promise<SshKey | null> {
    return this.#keys.get(id) ?? null;
  }

  async findByName(name: string): Promise<SshKey | null> {
    return this.#named(name) ?? null;
  }

  async remove(id: number, record: ChangeRecord): Promise<void> {
    const key = this.#keys.get(id);
    if (!key) throw new DomainError('key_not_found', `There is no SSH key with id ${id}.`);
    const user = [...this.#world.servers.values()].find(({ address }) => address.sshKeyId === id);
    if (user) throw new DomainError('key_in_use', `Drover signs in to ${user.name} with it.`);
    this.#keys.delete(id);
    this.#world.record.write(record);
  }

  async list(): Promise<readonly SshKey[]> {
    return [...this.#keys.values()].slice(0, 1_000);
  }

  #named(name: string): SshKey | undefined {
    return [...this.#keys.values()].find((key) => key.name === name);
  }
}
