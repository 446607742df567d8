import { requestJob } from '../../src/domain/jobs/job.ts';
import { InMemoryApprovalStore } from '../fakes/in-memory-approval-store.ts';
import { InMemoryAuditLog } from '../fakes/in-memory-audit-log.ts';
import { InMemoryBatchStore } from '../fakes/in-memory-batch-store.ts';
import { InMemoryClockRecord } from '../fakes/in-memory-clock-record.ts';
import { InMemoryConditionWatch } from '../fakes/in-memory-condition-watch.ts';
import { InMemoryDeliveryStore } from '../fakes/in-memory-delivery-store.ts';
import { InMemoryDeploymentStore } from '../fakes/in-memory-deployment-store.ts';
import { InMemoryDeviceStore } from '../fakes/in-memory-device-store.ts';
import { InMemoryDumpStore } from '../fakes/in-memory-dump-store.ts';
import { InMemoryFleetBackups } from '../fakes/in-memory-fleet-backups.ts';
import { InMemoryGaugeSource } from '../fakes/in-memory-gauge-source.ts';
import { InMemoryIdempotencyStore } from '../fakes/in-memory-idempotency-store.ts';
import { InMemoryInventoryStore } from '../fakes/in-memory-inventory-store.ts';
import { InMemoryJobs } from '../fakes/in-memory-jobs.ts';
import { InMemoryKeyStore } from '../fakes/in-memory-key-store.ts';
import { InMemoryLeaseStore } from '../fakes/in-memory-lease-store.ts';
import { InMemoryNotificationStore } from '../fakes/in-memory-notification-store.ts';
import { InMemoryPushStore } from '../fakes/in-memory-push-store.ts';
import { InMemoryReplicaStore } from '../fakes/in-memory-replica-store.ts';
import { InMemoryRepositoryStore } from '../fakes/in-memory-repository-store.ts';
import { InMemoryScheduleStore } from '../fakes/in-memory-schedule-store.ts';
import { InMemoryServerSelection } from '../fakes/in-memory-server-selection.ts';
import { InMemoryServerStore } from '../fakes/in-memory-server-store.ts';
import { InMemoryServiceStore } from '../fakes/in-memory-service-store.ts';
import { InMemorySessionStore } from '../fakes/in-memory-session-store.ts';
import { InMemorySettingStore } from '../fakes/in-memory-setting-store.ts';
import { InMemorySnapshotStore } from '../fakes/in-memory-snapshot-store.ts';
import { InMemorySourceStore } from '../fakes/in-memory-source-store.ts';
import { InMemoryTemplateStore } from '../fakes/in-memory-template-store.ts';
import { InMemoryThrottleStore } from '../fakes/in-memory-throttle-store.ts';
import { InMemoryTokenStore } from '../fakes/in-memory-token-store.ts';
import { InMemoryUserStore } from '../fakes/in-memory-user-store.ts';
import { InMemoryWebhookStore } from '../fakes/in-memory-webhook-store.ts';
import { InMemoryWindowStore } from '../fakes/in-memory-window-store.ts';
import { InMemoryWorld } from '../fakes/in-memory-world.ts';
import { AT, type StoresSubject } from './stores-subject.ts';

export async function inMemoryStores(): Promise<StoresSubject> {
  const world = new InMemoryWorld();
  let now = AT;
  world.now = () => now;
  const jobs = new InMemoryJobs(world);
  const users = new InMemoryUserStore(world);
  const snapshots = new InMemorySnapshotStore(world);
  return {
    servers: new InMemoryServerStore(world),
    inventories: new InMemoryInventoryStore(world),
    services: new InMemoryServiceStore(world),
    keys: new InMemoryKeyStore(world),
    repositories: new InMemoryRepositoryStore(world),
    sources: new InMemorySourceStore(world),
    dumps: new InMemoryDumpStore(world),
    snapshots,
    fleetBackups: new InMemoryFleetBackups(world, snapshots),
    tokens: new InMemoryTokenStore(world),
    users,
    sessions: new InMemorySessionStore(users, world),
    devices: new InMemoryDeviceStore(world),
    throttles: new InMemoryThrottleStore(),
    audit: new InMemoryAuditLog(world),
    settings: new InMemorySettingStore(world),
    leases: new InMemoryLeaseStore(world),
    replicas: new InMemoryReplicaStore(world),
    schedules: new InMemoryScheduleStore(world),
    windows: new InMemoryWindowStore(world),
    selection: new InMemoryServerSelection(world),
    batches: new InMemoryBatchStore(world),
    approvals: new InMemoryApprovalStore(world),
    templates: new InMemoryTemplateStore(world),
    deployments: new InMemoryDeploymentStore(world),
    jobs,
    queue: jobs,
    notifications: new InMemoryNotificationStore(world),
    watch: new InMemoryConditionWatch(world),
    clockRecord: new InMemoryClockRecord(world),
    webhooks: new InMemoryWebhookStore(world),
    subscriptions: new InMemoryPushStore(world),
    deliveries: new InMemoryDeliveryStore(world),
    requests: new InMemoryIdempotencyStore(world),
    gauges: new InMemoryGaugeSource(world),
    setActiveJob: async (serverId, active) => setActiveJob(world, serverId, active),
    record: async () => ({
      audit: world.record.actions,
      events: world.record.events.map(({ type }) => type),
    }),
    passTime: async (ms) => {
      now += ms;
    },
  };
}

function setActiveJob(world: InMemoryWorld, serverId: number, active: boolean): void {
  const job = requestJob({
    server: { id: serverId, name: `host-${serverId}` },
    type: 'backup',
    params: { sourceFilter: null, service: null, osSteps: null, dryRun: false },
    requestedBy: 'test',
    scheduled: false,
    approval: null,
    at: AT,
  });
  world.jobs.set(serverId, {
    ...job,
    id: serverId,
    status: active ? 'running' : 'success',
    startedAt: AT,
    finishedAt: active ? null : AT,
    current: null,
    percent: null,
    summary: null,
    error: null,
    result: null,
    logTail: [],
    cancelRequestedAt: null,
  });
}
