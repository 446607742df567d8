import type { Container } from 'inversify';
import type { Database } from '../../sql/database.ts';
import { SqlAuditLog } from '../../sql/sql-audit-log.ts';
import { SqlBatchStore } from '../../sql/sql-batch-store.ts';
import { SqlDatabaseHealth } from '../../sql/sql-database-health.ts';
import { SqlIdempotencyStore } from '../../sql/sql-idempotency-store.ts';
import { SqlInventoryStore } from '../../sql/sql-inventory-store.ts';
import { SqlJobQueue } from '../../sql/sql-job-queue.ts';
import { SqlJobStore } from '../../sql/sql-job-store.ts';
import { SqlKeyStore } from '../../sql/sql-key-store.ts';
import { SqlLeaseStore } from '../../sql/sql-lease-store.ts';
import { SqlReplicaStore } from '../../sql/sql-replica-store.ts';
import { SqlScheduleStore } from '../../sql/sql-schedule-store.ts';
import { SqlServerSelection } from '../../sql/sql-server-selection.ts';
import { SqlServerStore } from '../../sql/sql-server-store.ts';
import { SqlServiceStore } from '../../sql/sql-service-store.ts';
import { SqlSnapshotStore } from '../../sql/sql-snapshot-store.ts';
import { SqlSourceStore } from '../../sql/sql-source-store.ts';
import { SqlTokenStore } from '../../sql/sql-token-store.ts';
import { SqlWindowStore } from '../../sql/sql-window-store.ts';
import { bindOver, type Token } from '../binding.ts';
import { PORTS } from '../tokens.ts';

/** Everything that is kept in the database. */
export function bindStores(container: Container, database: Database): void {
  container.bind(PORTS.database).toConstantValue(database);
  const store = <T>(id: Token<T>, Made: new (database: Database) => T): void =>
    bindOver(container, id, Made, PORTS.database);
  store(PORTS.databaseHealth, SqlDatabaseHealth);
  store(PORTS.servers, SqlServerStore);
  store(PORTS.inventories, SqlInventoryStore);
  store(PORTS.services, SqlServiceStore);
  store(PORTS.keys, SqlKeyStore);
  store(PORTS.sources, SqlSourceStore);
  store(PORTS.snapshots, SqlSnapshotStore);
  store(PORTS.jobs, SqlJobStore);
  store(PORTS.queue, SqlJobQueue);
  store(PORTS.tokens, SqlTokenStore);
  store(PORTS.audit, SqlAuditLog);
  store(PORTS.leases, SqlLeaseStore);
  store(PORTS.replicas, SqlReplicaStore);
  store(PORTS.schedules, SqlScheduleStore);
  store(PORTS.windows, SqlWindowStore);
  store(PORTS.selection, SqlServerSelection);
  store(PORTS.batches, SqlBatchStore);
  store(PORTS.requests, SqlIdempotencyStore);
}
