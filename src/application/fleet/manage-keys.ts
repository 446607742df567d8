import type { Actor } from '../../domain/access/actor.ts';
import { DomainError, InvalidInput } from '../../domain/base/errors.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import type { SshKey } from '../../domain/fleet/ssh-key.ts';
import { UseCase } from '../base/use-case.ts';
import type { KeyPair } from '../ports/fleet/key-maker.ts';

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

/** The service's SSH keys. Private keys are encrypted before they are stored and never leave it. */
export class ManageKeys extends UseCase<'keys' | 'keyMaker' | 'box' | 'clock'> {
  /** Makes an ed25519 key. For operators. Throws `invalid_input`, `name_taken`. */
  async create(actor: Actor, name: string): Promise<SshKey> {
    actor.requireRole('operator');
    checkName(name);
    return this.#store(actor, name, await this.deps.keyMaker.generate(commentOf(name)), 'key.create');
  }

  /** Takes over a key in OpenSSH or PEM form. For operators. Throws `invalid_input` with the reason, `name_taken`. */
  async import(actor: Actor, name: string, privateKey: string, passphrase?: string): Promise<SshKey> {
    actor.requireRole('operator');
    checkName(name);
    return this.#store(actor, name, await this.deps.keyMaker.import(privateKey, passphrase), 'key.import');
  }

  list(): Promise<readonly SshKey[]> {
    return this.deps.keys.list();
  }

  findByName(name: string): Promise<SshKey | null> {
    return this.deps.keys.findByName(name);
  }

  /** Deletes a key for good. For administrators. Throws `key_not_found`, `key_in_use`. */
  async remove(actor: Actor, id: number): Promise<void> {
    actor.requireRole('administrator');
    const key = await this.deps.keys.find(id);
    if (!key) throw new DomainError('key_not_found', `There is no SSH key with id ${id}.`);
    const { name, fingerprint } = key;
    const audit = [
      auditEntry(actor, this.deps.clock.now(), 'key.remove', `key:${id}`, { name, fingerprint }),
    ];
    await this.deps.keys.remove(id, { audit });
  }

  #store(actor: Actor, name: string, made: KeyPair, action: string): Promise<SshKey> {
    const createdAt = this.deps.clock.now();
    const { algorithm, publicKey, fingerprint } = made;
    return this.deps.keys.add(
      { name, algorithm, publicKey, fingerprint, createdAt },
      (id) => this.deps.box.seal(made.privateKey, { table: 'ssh_keys', column: 'private_key', row: id }),
      (key) => ({ audit: [auditEntry(actor, createdAt, action, `key:${key.id}`, { name, fingerprint })] }),
    );
  }
}

/** The comment of the authorized_keys line: the key's owner. */
const commentOf = (name: string): string => (name === 'drover' ? name : `drover-${name}`);

function checkName(name: string): void {
  if (NAME.test(name)) return;
  throw new InvalidInput([
    {
      path: '/name',
      message: 'A key name has 1 to 63 letters, digits, ".", "_" and "-". It starts with a letter or digit.',
    },
  ]);
}
