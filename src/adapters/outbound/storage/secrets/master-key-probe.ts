import type { Probe } from '../../../../application/ports/service/probe.ts';
import type { SettingStore } from '../../../../application/ports/service/setting-store.ts';
import { isDomainError } from '../../../../domain/base/errors.ts';
import type { MasterKey } from './master-key.ts';
import { masterKeyPath, readMasterKeyFile } from './master-key-file.ts';
import { type MasterKeyOrigin, masterKeyFits } from './open-secret-box.ts';

const PUT_BACK = 'restore your backup of the key; without it, enter the keys of all servers again';

/** None if the file is not there. Throws `secret_unreadable`. */
export const keysOf = async (origin: MasterKeyOrigin): Promise<readonly MasterKey[]> =>
  origin.configured.length > 0
    ? origin.configured
    : ((await readMasterKeyFile(masterKeyPath(origin.dataDir))) ?? []);

/** Whether the master key is there, private, and fits the database. Changes nothing, and makes no key. */
export const masterKeyProbe = (origin: MasterKeyOrigin, settings: SettingStore): Probe => ({
  name: 'master key',
  look: async () => {
    const name = 'master key';
    try {
      const keys = await keysOf(origin);
      const where = origin.configured.length > 0 ? 'SERVICE_MASTER_KEY' : masterKeyPath(origin.dataDir);
      const fits = await masterKeyFits(keys, settings);
      if (fits === true)
        return {
          name,
          verdict: 'ok',
          detail: `The key in ${where} matches. Keep a backup of it apart from the data.`,
          remedy: null,
        };
      if (fits === null)
        return {
          name,
          verdict: 'ok',
          detail:
            'No secrets are stored yet. The first start creates the key, or uses the one in SERVICE_MASTER_KEY.',
          remedy: null,
        };
      const detail =
        keys.length === 0
          ? `The key is missing: ${where} does not exist.`
          : `The key in ${where} does not match this database.`;
      return {
        name,
        verdict: 'fail',
        detail: `${detail} The keys of the servers cannot be read.`,
        remedy: PUT_BACK,
      };
    } catch (error) {
      if (!isDomainError(error, 'secret_unreadable')) throw error;
      return { name, verdict: 'fail', detail: error.message, remedy: PUT_BACK };
    }
  },
});
