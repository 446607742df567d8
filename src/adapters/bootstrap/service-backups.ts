import { existsSync } from 'node:fs';
import { rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Actor } from '../../domain/access/actor.ts';
import { DomainError } from '../../domain/base/errors.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import type { BackupFacts, BackupRestoreOptions, ServiceBackups } from '../inbound/cli/service-backups.ts';
import { readArchive, writeArchive } from '../outbound/storage/archive/archive-file.ts';
import { identitiesIn, type Key, type Lock, makeKeyPair } from '../outbound/storage/archive/lock.ts';
import {
  type ArchiveHead,
  type ArchiveTotal,
  archiveValues,
  type OpenArchive,
  openArchive,
} from '../outbound/storage/archive/service-archive.ts';
import { AesSecretBox } from '../outbound/storage/secrets/aes-secret-box.ts';
import { openAuditMac } from '../outbound/storage/secrets/audit-mac.ts';
import type { MasterKey } from '../outbound/storage/secrets/master-key.ts';
import {
  masterKeyPath,
  putMasterKeyFile,
  readMasterKeyFile,
} from '../outbound/storage/secrets/master-key-file.ts';
import { masterKeyFits } from '../outbound/storage/secrets/open-secret-box.ts';
import { type Database, openDatabase, SQLITE_FILE } from '../outbound/storage/sql/database.ts';
import { doneMigrations, migrate } from '../outbound/storage/sql/migrate.ts';
import { MIGRATIONS } from '../outbound/storage/sql/migrations/index.ts';
import { MIGRATION_NAMES } from '../outbound/storage/sql/migrations/names.ts';
import { exportDatabase } from '../outbound/storage/sql/portable/export-database.ts';
import { filledTables, importDatabase } from '../outbound/storage/sql/portable/import-database.ts';
import { signAudit } from '../outbound/storage/sql/stores/record-change.ts';
import { SqlAuditLog } from '../outbound/storage/sql/stores/sql-audit-log.ts';
import { SqlReplicaStore } from '../outbound/storage/sql/stores/sql-replica-store.ts';
import { SqlSettingStore } from '../outbound/storage/sql/stores/sql-setting-store.ts';
import { LinuxProcessList } from '../outbound/system/linux-process-list.ts';
import { PinoLogger } from '../outbound/system/pino-logger.ts';
import { SystemRandomness } from '../outbound/system/system-randomness.ts';
import type { Config } from './config.ts';
import { VERSION } from './version.ts';

/** A process that showed itself so lately is at work. */
const ALIVE_MS = 45_000;

/** Backups of the database of the configuration. */
export function serviceBackups(config: Config, actor: Actor): ServiceBackups {
  const within = async <T>(work: (database: Database) => Promise<T>): Promise<T> => {
    const database = openDatabase({ url: config.databaseUrl?.reveal() ?? null, dataDir: config.dataDir });
    try {
      return await work(database);
    } finally {
      await database.close();
    }
  };
  return {
    passphrase: config.backupPassphrase?.reveal() ?? null,
    create: (path, lock) => within((database) => create(config, database, actor, path, lock)),
    verify: async (path, key) => {
      const archive = await openArchive(readArchive(path, key));
      for await (const _ of archive.items);
      return factsOf(path, archive);
    },
    restore: (path, key, options) => restore(config, actor, path, { key, options, within }),
    makeKeyPair,
    writeKeyFile,
    identitiesIn,
  };
}

async function create(
  config: Config,
  database: Database,
  actor: Actor,
  path: string,
  lock: Lock,
): Promise<BackupFacts> {
  const migrations = await doneMigrations(database);
  if (migrations.length === 0)
    throw new DomainError(
      'database_unavailable',
      'There is nothing to back up: the database has no tables yet.',
    );
  const head: ArchiveHead = {
    service: VERSION,
    createdAt: new Date().toISOString(),
    engine: database.kind,
    migrations,
    masterKeys: base64Of(await keysThatFit(config, database)),
  };
  let total: ArchiveTotal = { tables: 0, rows: 0 };
  const onEnd = (all: ArchiveTotal): void => {
    total = all;
  };
  await exportDatabase(database, (items) => writeArchive(path, lock, archiveValues(head, items, onEnd)));
  const detail = { file: path, lock: lock.kind };
  const log = await signedLog(config, database);
  await log.record(auditEntry(actor, Date.now(), 'service.backup', 'service', detail));
  const { size } = await stat(path);
  return { ...headFacts(path, head), bytes: size, ...total };
}

interface RestoreOrder {
  readonly key: Key;
  readonly options: BackupRestoreOptions;
  readonly within: <T>(work: (database: Database) => Promise<T>) => Promise<T>;
}

async function restore(
  config: Config,
  actor: Actor,
  path: string,
  { key, options, within }: RestoreOrder,
): Promise<BackupFacts> {
  const archive = await openArchive(readArchive(path, key));
  const fresh = config.databaseUrl === null && !existsSync(join(config.dataDir, SQLITE_FILE));
  let madeKey = false;
  try {
    return await within(async (database) => {
      await assertFits(database, archive.head, options);
      madeKey = await placeKeys(config, archive.head);
      const owner = new LinuxProcessList().self;
      const log = PinoLogger.toStderr('warn');
      const known = MIGRATIONS.filter(({ name }) => archive.head.migrations.includes(name));
      await migrate(database, { owner, log, migrations: known });
      const endWaitingAt = options.keepWaiting ? null : Date.now();
      await importDatabase(database, archive.items, { replace: options.replace, endWaitingAt });
      await migrate(database, { owner, log });
      const detail = { file: path, made_at: archive.head.createdAt };
      const audit = await signedLog(config, database);
      await audit.record(auditEntry(actor, Date.now(), 'service.restore', 'service', detail));
      return factsOf(path, archive);
    });
  } catch (error) {
    if (madeKey) await rm(masterKeyPath(config.dataDir), { force: true });
    if (fresh) {
      for (const end of ['', '-wal', '-shm'])
        await rm(join(config.dataDir, SQLITE_FILE + end), { force: true });
    }
    throw error;
  }
}

/** Throws if the backup cannot be imported into this database. Changes nothing. */
async function assertFits(
  database: Database,
  { migrations, service }: ArchiveHead,
  { replace }: BackupRestoreOptions,
): Promise<void> {
  const known = new Set<string>(MIGRATION_NAMES);
  if (migrations.some((name) => !known.has(name)))
    throw new DomainError(
      'restore_failed',
      `The backup was created by a later version (${service}). Install that version first.`,
    );
  const done = await doneMigrations(database);
  if (done.length === 0) return;
  const alive = (await new SqlReplicaStore(database).list()).filter(({ seenAgoMs }) => seenAgoMs < ALIVE_MS);
  if (alive.length > 0)
    throw new DomainError(
      'restore_failed',
      'A service uses this database, or did until a moment ago. Stop it first.',
    );
  const filled = await filledTables(database);
  if (filled.length > 0 && !replace) {
    const detail = `The database is not empty (${filled.slice(0, 5).join(', ')}): use an empty one, or --replace to delete its data.`;
    throw new DomainError('database_not_empty', detail);
  }
  if (done.some((name) => !migrations.includes(name))) {
    const detail = `The backup is by an earlier version (${service}), and the database was prepared by this one: give one without any tables, and the rows are brought up to date there.`;
    throw new DomainError('restore_failed', detail);
  }
}

/** Ensures that the backup's encrypted data can be read afterwards; returns whether it created the key file. */
async function placeKeys(config: Config, { masterKeys }: ArchiveHead): Promise<boolean> {
  if (masterKeys.length === 0) return false;
  const path = masterKeyPath(config.dataDir);
  const there = config.masterKeys.length > 0 ? config.masterKeys : await readMasterKeyFile(path);
  if (there === null) return putMasterKeyFile(path, masterKeys);
  const ours = base64Of(there);
  if (masterKeys.every((key) => ours.includes(key))) return false;
  const where = config.masterKeys.length > 0 ? 'SERVICE_MASTER_KEY' : path;
  throw new DomainError(
    'secret_unreadable',
    `The master key in ${where} differs from the one in the backup. Remove it to use the key of the backup. Nothing was changed.`,
  );
}

/** The master keys, which have to match. None if nothing was ever encrypted. */
async function keysThatFit(config: Config, database: Database): Promise<readonly MasterKey[]> {
  const path = masterKeyPath(config.dataDir);
  const keys = config.masterKeys.length > 0 ? config.masterKeys : ((await readMasterKeyFile(path)) ?? []);
  if ((await masterKeyFits(keys, new SqlSettingStore(database))) !== false) return keys;
  throw new DomainError(
    'secret_unreadable',
    'The master key is missing or another: a backup without it could not be used.',
  );
}

/** A database of an earlier version has nothing to sign entries by yet. */
async function signedLog(config: Config, database: Database): Promise<SqlAuditLog> {
  const keys = await keysThatFit(config, database);
  if (keys.length > 0 && (await doneMigrations(database)).includes('0015-audit-chain')) {
    const box = new AesSecretBox(keys);
    signAudit(database, await openAuditMac(new SqlSettingStore(database), box, new SystemRandomness()));
  }
  return new SqlAuditLog(database);
}

const base64Of = (keys: readonly MasterKey[]): readonly string[] =>
  keys.map(({ key }) => key.export().toString('base64'));

const headFacts = (file: string, head: ArchiveHead) => ({
  file,
  createdAt: head.createdAt,
  service: head.service,
  engine: head.engine,
});

async function factsOf(path: string, { head, total }: OpenArchive): Promise<BackupFacts> {
  return { ...headFacts(path, head), bytes: (await stat(path)).size, ...total() };
}

async function writeKeyFile(path: string, text: string): Promise<void> {
  await writeFile(path, text, { mode: 0o600, flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST')
      throw new DomainError('file_exists', `${path} already exists; nothing was replaced.`);
    throw error;
  });
}
