import { randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { link, mkdir, open, readFile, rename, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { KeyRing } from '../../../../application/ports/service/key-ring.ts';
import { DomainError, InvalidInput } from '../../../../domain/base/errors.ts';
import { shellCommand } from '../../../../domain/base/shell-command.ts';
import { MASTER_KEY_BYTES, MAX_MASTER_KEYS, MasterKey } from './master-key.ts';

const OTHERS_MODE_BITS = 0o077;

export const masterKeyPath = (dataDir: string): string => join(dataDir, 'master.key');

/**
 * The keys in the file, the current one first; `null` if there is no file. Throws `secret_unreadable` if the file
 * contains no key, cannot be read, or is readable by others than its owner.
 */
export async function readMasterKeyFile(path: string): Promise<readonly MasterKey[] | null> {
  let text: string;
  try {
    const { mode } = await stat(path);
    if ((mode & OTHERS_MODE_BITS) !== 0) {
      const octal = (mode & 0o777).toString(8).padStart(4, '0');
      throw refuse(
        `The master key file ${path} is accessible to other users (mode ${octal}); fix it with: ${shellCommand`chmod 600 ${path}`}`,
      );
    }
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof DomainError) throw error;
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') return null;
    throw refuse(
      `The master key file ${path} cannot be read (${code}); let the service's user own and read it.`,
    );
  }
  const keys = MasterKey.parseList(text);
  if (keys === null) throw refuse(`The master key file ${path} contains no key; restore your backup of it.`);
  return keys;
}

/** The same while the service runs: `null` also if the file cannot be used now. */
export function readMasterKeyFileNow(path: string): readonly MasterKey[] | null {
  try {
    return (statSync(path).mode & OTHERS_MODE_BITS) === 0
      ? MasterKey.parseList(readFileSync(path, 'utf8'))
      : null;
  } catch {
    return null;
  }
}

/** Replaces the keys in a file by others in one step; it keeps its owner, and is mode 0600. */
export async function replaceMasterKeyFile(path: string, keys: readonly MasterKey[]): Promise<void> {
  const { uid, gid } = await stat(path);
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  const file = await open(draft, 'wx', 0o600);
  try {
    if (process.geteuid?.() === 0) await file.chown(uid, gid);
    await file.writeFile(`${keys.map(({ key }) => key.export().toString('base64')).join('\n')}\n`);
    await file.sync();
    await rename(draft, path);
  } catch (error) {
    await unlink(draft);
    throw error;
  } finally {
    await file.close();
  }
  await syncDirectory(dirname(path));
}

/** Creates a file with a new key unless there is one; returns whether it did. */
export const makeMasterKeyFile = (path: string): Promise<boolean> =>
  putMasterKeyFile(path, [randomBytes(MASTER_KEY_BYTES).toString('base64')]);

/**
 * Writes keys in base64 to a new file, mode 0600, unless there is one; returns whether it did. The file appears
 * atomically, and of several concurrent processes exactly one creates it: it is written and synced under another
 * name, then linked into place.
 */
export async function putMasterKeyFile(path: string, keys: readonly string[]): Promise<boolean> {
  const directory = dirname(path);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(`${keys.join('\n')}\n`);
    await file.sync();
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await file.close();
    await unlink(draft);
  }
  await syncDirectory(directory);
  return true;
}

/** Without it, the new name could be lost in a power failure. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

const refuse = (detail: string): DomainError => new DomainError('secret_unreadable', detail);

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
