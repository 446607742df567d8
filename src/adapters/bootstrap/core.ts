import type { UseCases } from '../../application/base/parts.ts';
import { READING } from '../../application/base/reading-classes.ts';
import type { Logger } from '../../application/ports/base/logger.ts';
import type { Randomness } from '../../application/ports/base/randomness.ts';
import type { SettingStore } from '../../application/ports/service/setting-store.ts';
import { openAuditMac } from '../outbound/storage/secrets/audit-mac.ts';
import { openSecretBox } from '../outbound/storage/secrets/open-secret-box.ts';
import { openDatabase } from '../outbound/storage/sql/database.ts';
import { migrate } from '../outbound/storage/sql/migrate.ts';
import { serviceDataOf } from '../outbound/storage/sql/service-data.ts';
import { signAudit } from '../outbound/storage/sql/stores/record-change.ts';
import { SqlAuditChain } from '../outbound/storage/sql/stores/sql-audit-chain.ts';
import { INSTANCE, SqlSettingStore } from '../outbound/storage/sql/stores/sql-setting-store.ts';
import { LinuxProcessList } from '../outbound/system/linux-process-list.ts';
import { SystemClock } from '../outbound/system/system-clock.ts';
import { SystemRandomness } from '../outbound/system/system-randomness.ts';
import type { Config } from './config.ts';
import type { MadeUp } from './modules/hosts.ts';
import type { RemotePorts } from './modules/remote.ts';
import { stores } from './modules/stores.ts';
import { settingsOf, systemPorts } from './modules/system.ts';
import { type AllParts, type Makers, Program } from './program.ts';

/** The whole program without an interface: the base of `serve` and every command. */
export interface Core extends UseCases {
  readonly parts: AllParts;
  /** Ends connections to hosts and database. */
  close(): Promise<void>;
}

/** Opens the database (bringing its schema up to date), unlocks the secrets, and wires everything. */
export async function openCore(
  config: Config,
  log: Logger,
  { databaseOnly = false, ...madeUp }: MadeUp & { readonly databaseOnly?: boolean } = {},
): Promise<Core> {
  const database = openDatabase({ url: config.databaseUrl?.reveal() ?? null, dataDir: config.dataDir, log });
  try {
    const isNewDatabase = await migrate(database, { owner: new LinuxProcessList().self, log });
    const settings = new SqlSettingStore(database);
    const randomness = new SystemRandomness();
    const origin = { configured: config.masterKeys, dataDir: config.dataDir };
    const box = await openSecretBox(origin, settings, log);
    const mac = await openAuditMac(settings, box, randomness);
    signAudit(database, mac);
    const instance = await instanceName(settings, randomness);
    const remote = databaseOnly
      ? ({} as RemotePorts)
      : (await import('./modules/remote.ts')).remotePorts(madeUp, () => program);
    const shared = databaseOnly ? READING : (await import('../../application/base/shared-classes.ts')).SHARED;
    const makers = {
      ...settingsOf(config),
      ...systemPorts,
      ...stores,
      ...remote,
      audit: (parts) => madeUp.audit?.(stores.audit(parts)) ?? stores.audit(parts),
      database: () => database,
      settings: () => settings,
      box: () => box,
      chain: () => new SqlAuditChain(database, mac),
      instance: () => instance,
      isNewDatabase: () => isNewDatabase,
      log: () => log,
      clock: () => madeUp.clock ?? new SystemClock(),
      serviceData: () => serviceDataOf(database, config.dataDir),
    } satisfies Makers;
    const program: Program = new Program(makers, shared);
    return {
      parts: program.parts,
      get: (wanted) => program.get(wanted),
      close: async () => {
        if (program.has('hosts')) await program.parts.hosts.closeAll();
        if (program.has('poster')) program.parts.poster.close();
        await database.close();
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function instanceName(settings: SettingStore, randomness: Randomness): Promise<string> {
  await settings.setOnce(INSTANCE, Buffer.from(randomness.bytes(6)).toString('hex'));
  return (await settings.get(INSTANCE)) ?? '';
}
