import type { Database } from '../../src/adapters/outbound/storage/sql/database.ts';
import { signAudit } from '../../src/adapters/outbound/storage/sql/stores/record-change.ts';
import { SqlAlertChannelStore } from '../../src/adapters/outbound/storage/sql/stores/sql-alert-channel-store.ts';
import { SqlApprovalStore } from '../../src/adapters/outbound/storage/sql/stores/sql-approval-store.ts';
import { SqlAuditLog } from '../../src/adapters/outbound/storage/sql/stores/sql-audit-log.ts';
import { SqlBatchStore } from '../../src/adapters/outbound/storage/sql/stores/sql-batch-store.ts';
import { SqlClockRecord } from '../../src/adapters/outbound/storage/sql/stores/sql-clock-record.ts';
import { SqlConditionWatch } from '../../src/adapters/outbound/storage/sql/stores/sql-condition-watch.ts';
import { SqlDeliveryStore } from '../../src/adapters/outbound/storage/sql/stores/sql-delivery-store.ts';
import { SqlDeploymentStore } from '../../src/adapters/outbound/storage/sql/stores/sql-deployment-store.ts';
import { SqlDeviceStore } from '../../src/adapters/outbound/storage/sql/stores/sql-device-store.ts';
import { SqlDumpStore } from '../../src/adapters/outbound/storage/sql/stores/sql-dump-store.ts';
import { SqlFleetBackups } from '../../src/adapters/outbound/storage/sql/stores/sql-fleet-backups.ts';
import { SqlGaugeSource } from '../../src/adapters/outbound/storage/sql/stores/sql-gauge-source.ts';
import { SqlHostChangeStore } from '../../src/adapters/outbound/storage/sql/stores/sql-host-change-store.ts';
import { SqlIdempotencyStore } from '../../src/adapters/outbound/storage/sql/stores/sql-idempotency-store.ts';
import { SqlInventoryStore } from '../../src/adapters/outbound/storage/sql/stores/sql-inventory-store.ts';
import { SqlJobQueue } from '../../src/adapters/outbound/storage/sql/stores/sql-job-queue.ts';
import { SqlJobStore } from '../../src/adapters/outbound/storage/sql/stores/sql-job-store.ts';
import { SqlKeyStore } from '../../src/adapters/outbound/storage/sql/stores/sql-key-store.ts';
import { SqlLeaseStore } from '../../src/adapters/outbound/storage/sql/stores/sql-lease-store.ts';
import { SqlNotificationStore } from '../../src/adapters/outbound/storage/sql/stores/sql-notification-store.ts';
import { SqlPackageStore } from '../../src/adapters/outbound/storage/sql/stores/sql-package-store.ts';
import { SqlPasskeyStore } from '../../src/adapters/outbound/storage/sql/stores/sql-passkey-store.ts';
import { SqlPolicyStore } from '../../src/adapters/outbound/storage/sql/stores/sql-policy-store.ts';
import { SqlPushStore } from '../../src/adapters/outbound/storage/sql/stores/sql-push-store.ts';
import { SqlReplicaStore } from '../../src/adapters/outbound/storage/sql/stores/sql-replica-store.ts';
import { SqlRepositoryStore } from '../../src/adapters/outbound/storage/sql/stores/sql-repository-store.ts';
import { SqlScheduleStore } from '../../src/adapters/outbound/storage/sql/stores/sql-schedule-store.ts';
import { SqlServerSelection } from '../../src/adapters/outbound/storage/sql/stores/sql-server-selection.ts';
import { SqlServerStore } from '../../src/adapters/outbound/storage/sql/stores/sql-server-store.ts';
import { SqlServiceStore } from '../../src/adapters/outbound/storage/sql/stores/sql-service-store.ts';
import { SqlSessionStore } from '../../src/adapters/outbound/storage/sql/stores/sql-session-store.ts';
import { SqlSettingStore } from '../../src/adapters/outbound/storage/sql/stores/sql-setting-store.ts';
import { SqlSnapshotStore } from '../../src/adapters/outbound/storage/sql/stores/sql-snapshot-store.ts';
import { SqlSourceStore } from '../../src/adapters/outbound/storage/sql/stores/sql-source-store.ts';
import { SqlSsoStore } from '../../src/adapters/outbound/storage/sql/stores/sql-sso-store.ts';
import { SqlTemplateStore } from '../../src/adapters/outbound/storage/sql/stores/sql-template-store.ts';
import { SqlThrottleStore } from '../../src/adapters/outbound/storage/sql/stores/sql-throttle-store.ts';
import { SqlTokenStore } from '../../src/adapters/outbound/storage/sql/stores/sql-token-store.ts';
import { SqlUserStore } from '../../src/adapters/outbound/storage/sql/stores/sql-user-store.ts';
import { SqlVulnerabilityStore } from '../../src/adapters/outbound/storage/sql/stores/sql-vulnerability-store.ts';
import { SqlWatchedServices } from '../../src/adapters/outbound/storage/sql/stores/sql-watched-services.ts';
import { SqlWebhookStore } from '../../src/adapters/outbound/storage/sql/stores/sql-webhook-store.ts';
import { SqlWindowStore } from '../../src/adapters/outbound/storage/sql/stores/sql-window-store.ts';
import { macOf } from './audit-mac.ts';
import { AT, type StoresSubject } from './stores-subject.ts';

export function sqlStores(database: Database): StoresSubject {
  const { knex } = database;
  signAudit(database, macOf('a key of tests'));
  return {
    servers: new SqlServerStore(database),
    inventories: new SqlInventoryStore(database),
    hostChanges: new SqlHostChangeStore(database),
    packages: new SqlPackageStore(database),
    vulnerabilities: new SqlVulnerabilityStore(database),
    watchedServices: new SqlWatchedServices(database),
    services: new SqlServiceStore(database),
    keys: new SqlKeyStore(database),
    repositories: new SqlRepositoryStore(database),
    sources: new SqlSourceStore(database),
    dumps: new SqlDumpStore(database),
    snapshots: new SqlSnapshotStore(database),
    fleetBackups: new SqlFleetBackups(database),
    tokens: new SqlTokenStore(database),
    users: new SqlUserStore(database),
    sessions: new SqlSessionStore(database),
    devices: new SqlDeviceStore(database),
    throttles: new SqlThrottleStore(database),
    sso: new SqlSsoStore(database),
    passkeys: new SqlPasskeyStore(database),
    audit: new SqlAuditLog(database),
    settings: new SqlSettingStore(database),
    leases: new SqlLeaseStore(database),
    replicas: new SqlReplicaStore(database),
    schedules: new SqlScheduleStore(database),
    windows: new SqlWindowStore(database),
    policies: new SqlPolicyStore(database),
    selection: new SqlServerSelection(database),
    batches: new SqlBatchStore(database),
    approvals: new SqlApprovalStore(database),
    templates: new SqlTemplateStore(database),
    deployments: new SqlDeploymentStore(database),
    jobs: new SqlJobStore(database),
    queue: new SqlJobQueue(database),
    notifications: new SqlNotificationStore(database),
    watch: new SqlConditionWatch(database),
    clockRecord: new SqlClockRecord(database),
    webhooks: new SqlWebhookStore(database),
    alertChannels: new SqlAlertChannelStore(database),
    subscriptions: new SqlPushStore(database),
    deliveries: new SqlDeliveryStore(database),
    requests: new SqlIdempotencyStore(database),
    gauges: new SqlGaugeSource(database),
    setActiveJob: (serverId, active) => setActiveJob(database, serverId, active),
    record: async () => {
      const audit: { action: string; object: string }[] = await knex('audit_entries')
        .select('action', 'object')
        .orderBy('id');
      const events: { type: string }[] = await knex('outbox_events').select('type').orderBy('id');
      return {
        audit: audit.map((entry) => `${entry.action} ${entry.object}`),
        events: events.map(({ type }) => type),
      };
    },
    passTime: async (ms) => {
      await knex('leases').decrement('until', ms);
      await knex('replicas').decrement('seen_at', ms);
      await knex('schedule_runs').decrement('stamped_at', ms);
      await knex('removed_snapshots').decrement('removed_at', ms);
      await knex('snapshots').whereNotNull('held_until').decrement('held_until', ms);
      await knex('idempotent_requests').decrement('created_at', ms);
      await knex('idempotent_requests').whereNotNull('lease_until').decrement('lease_until', ms);
    },
  };
}

async function setActiveJob({ knex }: Database, serverId: number, active: boolean): Promise<void> {
  const state = {
    status: active ? 'running' : 'success',
    lane_key: active ? `${serverId}:backup` : null,
    owner: active ? 'test' : null,
  };
  const updated = await knex('jobs').where({ server_id: serverId }).update(state);
  if (updated > 0) return;
  await knex('jobs').insert({
    ...state,
    server_id: serverId,
    server_name: `host-${serverId}`,
    job_type: 'backup',
    lane: 'backup',
    params: '{}',
    created_at: AT,
    scheduled: 0,
    requested_by: 'test',
    log_tail: '[]',
  });
}
