import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ADOPTED } from '../../application/backups/settle-snapshots.ts';
import type { Probe } from '../../application/ports/service/probe.ts';
import { Diagnose } from '../../application/service/diagnose.ts';
import type { Finding } from '../../domain/fleet/finding.ts';
import { allPublishedIn } from '../outbound/backup/snapshot-facts.ts';
import { placesOf } from '../outbound/backup/store-layout.ts';
import { isNativeCryptoAvailable } from '../outbound/hosts/ssh/native-crypto.ts';
import { clockProbe, databaseProbe, serviceProbe } from '../outbound/probes/database-probes.ts';
import {
  clockJumpProbe,
  dataDirectoryProbe,
  fileRootsProbe,
  nodeProbe,
  rsyncProbe,
  secretsProbe,
  sshCryptoProbe,
} from '../outbound/probes/machine-probes.ts';
import { serversProbe } from '../outbound/probes/server-probe.ts';
import { snapshotTreesProbe } from '../outbound/probes/snapshot-probe.ts';
import { keysOf, masterKeyProbe } from '../outbound/storage/secrets/master-key-probe.ts';
import { type Database, openDatabase, SQLITE_FILE } from '../outbound/storage/sql/database.ts';
import { pendingMigrations } from '../outbound/storage/sql/migrate.ts';
import { SqlAuditLog } from '../outbound/storage/sql/stores/sql-audit-log.ts';
import { SqlClockRecord } from '../outbound/storage/sql/stores/sql-clock-record.ts';
import { SqlDatabaseHealth } from '../outbound/storage/sql/stores/sql-database-health.ts';
import { SqlReplicaStore } from '../outbound/storage/sql/stores/sql-replica-store.ts';
import { SqlSealedSecrets } from '../outbound/storage/sql/stores/sql-sealed-secrets.ts';
import { SqlServerStore } from '../outbound/storage/sql/stores/sql-server-store.ts';
import { SqlSettingStore } from '../outbound/storage/sql/stores/sql-setting-store.ts';
import { SqlSnapshotStore } from '../outbound/storage/sql/stores/sql-snapshot-store.ts';
import { SqlSourceStore } from '../outbound/storage/sql/stores/sql-source-store.ts';
import { SystemClock } from '../outbound/system/system-clock.ts';
import { certificateProbe } from '../outbound/tls/certificate-probe.ts';
import type { Config } from './config.ts';

/** Looks at all that the service needs. Makes and changes nothing: no directory, no database, no key, no table. */
export async function diagnose(config: Config): Promise<readonly Finding[]> {
  const machine = [
    nodeProbe(process.versions.node),
    dataDirectoryProbe(config.dataDir),
    rsyncProbe(),
    sshCryptoProbe(isNativeCryptoAvailable),
    ...(config.tls === null ? [] : [certificateProbe(config.tls, new SystemClock())]),
  ];
  const { findings, database } = await lookAtDatabase(config);
  try {
    const deeper = database === null ? [] : probesOf(config, database);
    const found = await new Diagnose({ probes: [...machine, ...deeper] }).execute();
    return [...found.slice(0, machine.length), ...findings, ...found.slice(machine.length)];
  } finally {
    await database?.close();
  }
}

/** The database's contents are checked only if it answers and has its tables. */
async function lookAtDatabase(
  config: Config,
): Promise<{ findings: readonly Finding[]; database: Database | null }> {
  const file = join(config.dataDir, SQLITE_FILE);
  if (config.databaseUrl === null && !existsSync(file)) {
    const detail = `There is no database yet; the first start creates ${file}.`;
    return { findings: [{ name: 'database', verdict: 'warn', detail, remedy: 'npm start' }], database: null };
  }
  const database = openDatabase({ url: config.databaseUrl?.reveal() ?? null, dataDir: config.dataDir });
  const probe = databaseProbe({
    label: config.databaseUrl === null ? `SQLite in ${file}` : 'The database of SERVICE_DATABASE_URL',
    health: new SqlDatabaseHealth(database),
    pendingMigrations: () => pendingMigrations(database),
    remedy:
      config.databaseUrl === null
        ? `let the service's user own and write ${config.dataDir}`
        : 'start the database, and compare SERVICE_DATABASE_URL with its host, port, user, password and name',
  });
  const findings = await new Diagnose({ probes: [probe] }).execute();
  if (findings.every(({ verdict }) => verdict === 'ok')) return { findings, database };
  await database.close();
  return { findings, database: null };
}

function probesOf(config: Config, database: Database): readonly Probe[] {
  const clock = new SystemClock();
  const health = new SqlDatabaseHealth(database);
  const origin = { configured: config.masterKeys, dataDir: config.dataDir };
  return [
    masterKeyProbe(origin, new SqlSettingStore(database)),
    secretsProbe(async () => (await keysOf(origin)).map(({ id }) => id), new SqlSealedSecrets(database)),
    serviceProbe(new SqlReplicaStore(database)),
    clockProbe(health, clock),
    clockJumpProbe(new SqlClockRecord(database)),
    serversProbe(new SqlServerStore(database), clock),
    fileRootsProbe(new SqlServerStore(database)),
    snapshotTreesProbe({
      sources: new SqlSourceStore(database),
      snapshots: new SqlSnapshotStore(database),
      published: ({ serverId, id, repositoryId }) =>
        allPublishedIn(
          placesOf(join(config.dataDir, repositoryId === null ? 'backups' : 'manifests'), {
            serverId,
            sourceId: id,
          }).snapshots,
          { id, serverId },
        ),
      audit: new SqlAuditLog(database),
      adopted: ADOPTED,
      clock,
    }),
  ];
}
