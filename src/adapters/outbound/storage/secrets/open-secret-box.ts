import { unlink } from 'node:fs/promises';
import type { Logger } from '../../../../application/ports/base/logger.ts';
import type { SecretBox, SecretPlace } from '../../../../application/ports/base/secret-box.ts';
import type { SettingStore } from '../../../../application/ports/service/setting-store.ts';
import { DomainError, isDomainError } from '../../../../domain/base/errors.ts';
import { AesSecretBox } from './aes-secret-box.ts';
import type { MasterKey } from './master-key.ts';
import {
  makeMasterKeyFile,
  masterKeyPath,
  readMasterKeyFile,
  readMasterKeyFileNow,
} from './master-key-file.ts';

/** The setting with a known text, encrypted with the key of all secrets of this database. */
const CHECK_SETTING = 'master_key_check';
const CHECK_PLACE: SecretPlace = { table: 'settings', column: 'value', row: CHECK_SETTING };
const CHECK_TEXT = 'This text can be read with the right master key.';
const BACK_IT_UP = 'Back it up now, apart from the data: without it no stored secret can be read.';

export interface MasterKeyOrigin {
  /** From the configuration; an empty list takes the file in the data directory. */
  readonly configured: readonly MasterKey[];
  readonly dataDir: string;
}

/**
 * The box with this database's key. The first start creates the key file; later starts check that the key is the
 * right one before anything is encrypted with a wrong one. Throws `secret_unreadable`, which says what to do.
 */
export async function openSecretBox(
  origin: MasterKeyOrigin,
  settings: SettingStore,
  logger: Logger,
): Promise<SecretBox> {
  const path = masterKeyPath(origin.dataDir);
  if (origin.configured.length > 0) return checkedBox(origin.configured, settings, 'SERVICE_MASTER_KEY');
  const isFirstStart = (await settings.get(CHECK_SETTING)) === null;
  const made = isFirstStart && (await makeMasterKeyFile(path));
  const keys = await readMasterKeyFile(path);
  if (keys === null) throw lost(path);
  try {
    const box = await checkedBox(keys, settings, path, () => readMasterKeyFileNow(path));
    if (made) logger.warn(`Created the master key ${path}. ${BACK_IT_UP}`);
    return box;
  } catch (error) {
    // Another replica on this database was first, with its own key: ours decrypts nothing and must not stay.
    if (made && isDomainError(error, 'secret_unreadable')) await unlink(path);
    throw error;
  }
}

/** Whether the keys fit the database, without changing anything: `null` if it has no encrypted data yet. */
export async function masterKeyFits(
  keys: readonly MasterKey[],
  settings: SettingStore,
): Promise<boolean | null> {
  const check = await settings.get(CHECK_SETTING);
  if (check === null) return null;
  return keys.length > 0 && opens(new AesSecretBox(keys), check);
}

async function checkedBox(
  keys: readonly MasterKey[],
  settings: SettingStore,
  where: string,
  read?: () => readonly MasterKey[] | null,
): Promise<SecretBox> {
  const box = new AesSecretBox(keys, read);
  let check = await settings.get(CHECK_SETTING);
  if (check === null) {
    if (await settings.setOnce(CHECK_SETTING, box.seal(CHECK_TEXT, CHECK_PLACE))) return box;
    check = await settings.get(CHECK_SETTING);
  }
  if (check !== null && opens(box, check)) return box;
  throw new DomainError(
    'secret_unreadable',
    `The master key from ${where} (${keys.map((key) => key.id).join(', ')}) does not match this database, whose secrets were ` +
      `encrypted with a different one (${check?.split('.')[1] ?? 'unknown'}). Restore the right key; all replicas on one database need ` +
      'the same SERVICE_MASTER_KEY. Nothing was changed.',
  );
}

function opens(box: SecretBox, check: string): boolean {
  try {
    return box.open(check, CHECK_PLACE) === CHECK_TEXT;
  } catch {
    return false;
  }
}

const lost = (path: string): DomainError =>
  new DomainError(
    'secret_unreadable',
    `The master key is missing: this database holds secrets that were encrypted with it, and there is neither ${path} nor ` +
      'SERVICE_MASTER_KEY. Restore your backup of the key; a new key could not read them.',
  );
