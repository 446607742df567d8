import { SqlAlertChannelStore } from '../../outbound/storage/sql/stores/sql-alert-channel-store.ts';
import { SqlApprovalStore } from '../../outbound/storage/sql/stores/sql-approval-store.ts';
import { SqlAuditLog } from '../../outbound/storage/sql/stores/sql-audit-log.ts';
import { SqlBatchStore } from '../../outbound/storage/sql/stores/sql-batch-store.ts';
import { SqlClockRecord } from '../../outbound/storage/sql/stores/sql-clock-record.ts';
import { SqlConditionWatch } from '../../outbound/storage/sql/stores/sql-condition-watch.ts';
import { SqlDatabaseHealth } from '../../outbound/storage/sql/stores/sql-database-health.ts';
import { SqlDeliveryStore } from '../../outbound/storage/sql/stores/sql-delivery-store.ts';
import { SqlDeploymentStore } from '../../outbound/storage/sql/stores/sql-deployment-store.ts';
import { SqlDeviceStore } from '../../outbound/storage/sql/stores/sql-device-store.ts';
import { SqlDumpStore } from '../../outbound/storage/sql/stores/sql-dump-store.ts';
import { SqlFleetBackups } from '../../outbound/storage/sql/stores/sql-fleet-backups.ts';
import { SqlGaugeSource } from '../../outbound/storage/sql/stores/sql-gauge-source.ts';
import { SqlHistoryStore } from '../../outbound/storage/sql/stores/sql-history-store.ts';
import { SqlHostChangeStore } from '../../outbound/storage/sql/stores/sql-host-change-store.ts';
import { SqlIdempotencyStore } from '../../outbound/storage/sql/stores/sql-idempotency-store.ts';
import { SqlInventoryStore } from '../../outbound/storage/sql/stores/sql-inventory-store.ts';
import { SqlJobQueue } from '../../outbound/storage/sql/stores/sql-job-queue.ts';
import { SqlJobStore } from '../../outbound/storage/sql/stores/sql-job-store.ts';
import { SqlKeyStore } from '../../outbound/storage/sql/stores/sql-key-store.ts';
import { SqlLeaseStore } from '../../outbound/storage/sql/stores/sql-lease-store.ts';
import { SqlNotificationStore } from '../../outbound/storage/sql/stores/sql-notification-store.ts';
import { SqlPackageStore } from '../../outbound/storage/sql/stores/sql-package-store.ts';
import { SqlPasskeyStore } from '../../outbound/storage/sql/stores/sql-passkey-store.ts';
import { SqlPolicyStore } from '../../outbound/storage/sql/stores/sql-policy-store.ts';
import { SqlPushStore } from '../../outbound/storage/sql/stores/sql-push-store.ts';
import { SqlReplicaStore } from '../../outbound/storage/sql/stores/sql-replica-store.ts';
import { SqlRepositoryStore } from '../../outbound/storage/sql/stores/sql-repository-store.ts';
import { SqlScheduleStore } from '../../outbound/storage/sql/stores/sql-schedule-store.ts';
import { SqlSealedSecrets } from '../../outbound/storage/sql/stores/sql-sealed-secrets.ts';
import { SqlServerSelection } from '../../outbound/storage/sql/stores/sql-server-selection.ts';
import { SqlServerStore } from '../../outbound/storage/sql/stores/sql-server-store.ts';
import { SqlServiceStore } from '../../outbound/storage/sql/stores/sql-service-store.ts';
import { SqlSessionStore } from '../../outbound/storage/sql/stores/sql-session-store.ts';
import { SqlSnapshotStore } from '../../outbound/storage/sql/stores/sql-snapshot-store.ts';
import { SqlSourceStore } from '../../outbound/storage/sql/stores/sql-source-store.ts';
import { SqlSsoStore } from '../../outbound/storage/sql/stores/sql-sso-store.ts';
import { SqlTemplateStore } from '../../outbound/storage/sql/stores/sql-template-store.ts';
import { SqlThrottleStore } from '../../outbound/storage/sql/stores/sql-throttle-store.ts';
import { SqlTokenStore } from '../../outbound/storage/sql/stores/sql-token-store.ts';
import { SqlUserStore } from '../../outbound/storage/sql/stores/sql-user-store.ts';
import { SqlVulnerabilityStore } from '../../outbound/storage/sql/stores/sql-vulnerability-store.ts';
import { SqlWatchedServices } from '../../outbound/storage/sql/stores/sql-watched-services.ts';
import { SqlWebhookStore } from '../../outbound/storage/sql/stores/sql-webhook-store.ts';
import { SqlWindowStore } from '../../outbound/storage/sql/stores/sql-window-store.ts';
import type { Makers } from '../program.ts';

/** Everything that is kept in the database. */
export const stores = {
  databaseHealth: ({ database }) => new SqlDatabaseHealth(database),
  dataVersion: ({ database }) => database,
  clockRecord: ({ database }) => new SqlClockRecord(database),
  secrets: ({ database }) => new SqlSealedSecrets(database),
  servers: ({ database }) => new SqlServerStore(database),
  watchedServices: ({ database }) => new SqlWatchedServices(database),
  inventories: ({ database }) => new SqlInventoryStore(database),
  hostChanges: ({ database }) => new SqlHostChangeStore(database),
  packages: ({ database }) => new SqlPackageStore(database),
  vulnerabilities: ({ database }) => new SqlVulnerabilityStore(database),
  services: ({ database }) => new SqlServiceStore(database),
  keys: ({ database }) => new SqlKeyStore(database),
  repositories: ({ database }) => new SqlRepositoryStore(database),
  sources: ({ database }) => new SqlSourceStore(database),
  dumps: ({ database }) => new SqlDumpStore(database),
  snapshots: ({ database }) => new SqlSnapshotStore(database),
  fleetBackups: ({ database }) => new SqlFleetBackups(database),
  jobs: ({ database }) => new SqlJobStore(database),
  queue: ({ database }) => new SqlJobQueue(database),
  tokens: ({ database }) => new SqlTokenStore(database),
  users: ({ database }) => new SqlUserStore(database),
  sessions: ({ database }) => new SqlSessionStore(database),
  deviceStore: ({ database }) => new SqlDeviceStore(database),
  throttles: ({ database }) => new SqlThrottleStore(database),
  sso: ({ database }) => new SqlSsoStore(database),
  passkeys: ({ database }) => new SqlPasskeyStore(database),
  audit: ({ database }) => new SqlAuditLog(database),
  history: ({ database }) => new SqlHistoryStore(database),
  leases: ({ database }) => new SqlLeaseStore(database),
  replicas: ({ database }) => new SqlReplicaStore(database),
  schedules: ({ database }) => new SqlScheduleStore(database),
  windows: ({ database }) => new SqlWindowStore(database),
  policies: ({ database }) => new SqlPolicyStore(database),
  selection: ({ database }) => new SqlServerSelection(database),
  batches: ({ database }) => new SqlBatchStore(database),
  approvals: ({ database }) => new SqlApprovalStore(database),
  templates: ({ database }) => new SqlTemplateStore(database),
  deployments: ({ database }) => new SqlDeploymentStore(database),
  notifications: ({ database }) => new SqlNotificationStore(database),
  watch: ({ database }) => new SqlConditionWatch(database),
  webhooks: ({ database }) => new SqlWebhookStore(database),
  alertChannels: ({ database }) => new SqlAlertChannelStore(database),
  subscriptions: ({ database }) => new SqlPushStore(database),
  deliveries: ({ database }) => new SqlDeliveryStore(database),
  requests: ({ database }) => new SqlIdempotencyStore(database),
  gauges: ({ database }) => new SqlGaugeSource(database),
} satisfies Partial<Makers>;
