import { randomBytes } from 'node:crypto';
import type { KeyRing } from '../../../../application/ports/service/key-ring.ts';
import { DomainError, InvalidInput } from '../../../../domain/base/errors.ts';
import { MASTER_KEY_BYTES, MAX_MASTER_KEYS, MasterKey } from './master-key.ts';
import { readMasterKeyFile, replaceMasterKeyFile } from './master-key-file.ts';

/** Master keys in a file that only the service's user can read, one on each line. */
export class KeyFileRing implements KeyRing {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  async ids(): Promise<readonly string[]> {
    return (await this.#keys()).map(({ id }) => id);
  }

  async add(): Promise<string> {
    const keys = await this.#keys();
    if (keys.length >= MAX_MASTER_KEYS) throw tooMany();
    const added = new MasterKey(randomBytes(MASTER_KEY_BYTES));
    await replaceMasterKeyFile(this.#path, [added, ...keys]);
    return added.id;
  }

  async remove(ids: readonly string[]): Promise<void> {
    const left = (await this.#keys()).filter(({ id }) => !ids.includes(id));
    if (left.length === 0) throw noneLeft();
    await replaceMasterKeyFile(this.#path, left);
  }

  async #keys(): Promise<readonly MasterKey[]> {
    const keys = await readMasterKeyFile(this.#path);
    if (keys !== null) return keys;
    throw new DomainError('secret_unreadable', `There is no master key file ${this.#path}.`);
  }
}

const tooMany = (): InvalidInput =>
  new InvalidInput([
    {
      path: '/file',
      message: `It has ${MAX_MASTER_KEYS} keys, which is the maximum. Run: drover master-key rotate, then drover master-key retire.`,
    },
  ]);

const noneLeft = (): InvalidInput =>
  new InvalidInput([{ path: '/file', message: 'No key would be left; nothing was changed.' }]);
