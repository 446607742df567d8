import type { ChangeRecord } from '../../../../../application/ports/events/change-record.ts';
import type { KeyStore } from '../../../../../application/ports/fleet/key-store.ts';
import { DomainError } from '../../../../../domain/base/errors.ts';
import type { SshKey } from '../../../../../domain/fleet/ssh-key.ts';
import { SqlStore } from '../database.ts';
import { isUniqueViolation } from '../sql-errors.ts';
import { columns, int, type Row, text } from '../tables/columns.ts';
import { recordChange } from './record-change.ts';

const MAX_KEYS = 1_000;

const KEYS = columns({
  id: int,
  name: text,
  algorithm: text,
  publicKey: text,
  fingerprint: text,
  sealedPrivateKey: text,
  createdAt: int,
});
type KeyRow = Row<typeof KEYS>;

export class SqlKeyStore extends SqlStore implements KeyStore {
  async add(...[key, seal, record]: Parameters<KeyStore['add']>): Promise<SshKey> {
    return this.database.transaction(async (trx) => {
      // The encrypted text is bound to the row's id, which is not known yet.
      const row = KEYS.write({ ...key, sealedPrivateKey: '' });
      const [inserted] = await trx('ssh_keys')
        .insert(row)
        .catch((error: unknown) => {
          if (!isUniqueViolation(error)) throw error;
          throw new DomainError('name_taken', `An SSH key named "${key.name}" already exists.`);
        });
      const id = Number(inserted);
      const sealed = { sealed_private_key: seal(id) };
      await trx('ssh_keys').where({ id }).update(sealed);
      const added = KEYS.read({ ...row, ...sealed, id });
      await recordChange(trx, record(added));
      return added;
    });
  }

  async find(id: number): Promise<SshKey | null> {
    return this.#first({ id });
  }

  async findByName(name: string): Promise<SshKey | null> {
    return this.#first({ name });
  }

  async remove(id: number, record: ChangeRecord): Promise<void> {
    await this.database.transaction(async (trx) => {
      const key = await trx('ssh_keys').where({ id }).forUpdate().first<{ name: string } | undefined>('name');
      if (!key) throw new DomainError('key_not_found', `There is no SSH key with id ${id}.`);
      const user = await trx('servers')
        .where({ ssh_key_id: id })
        .whereNull('removed_at')
        .first<{ name: string } | undefined>('name');
      if (user) throw keyInUse(key.name, user.name);
      // Removed servers are history, and use no key.
      await trx('servers').where({ ssh_key_id: id }).update({ ssh_key_id: null });
      await trx('ssh_keys').where({ id }).delete();
      await recordChange(trx, record);
    });
  }

  async list(): Promise<readonly SshKey[]> {
    const rows: KeyRow[] = await this.database
      .knex('ssh_keys')
      .select(KEYS.names)
      .orderBy('id')
      .limit(MAX_KEYS);
    return rows.map(KEYS.read);
  }

  async #first(where: { id: number } | { name: string }): Promise<SshKey | null> {
    const found = this.database.knex('ssh_keys').where(where).select(KEYS.names);
    const [row] = await this.database.rowsOf<KeyRow>(found);
    return row ? KEYS.read(row) : null;
  }
}

const keyInUse = (name: string, server: string): DomainError =>
  new DomainError(
    'key_in_use',
    `Drover signs in to ${server} with the key "${name}"; give that server another key first.`,
  );
