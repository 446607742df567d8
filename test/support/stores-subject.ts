import type { DeviceStore } from '../../src/application/ports/access/device-store.ts';
import type { PasskeyStore } from '../../src/application/ports/access/passkey-store.ts';
import type { SessionStore } from '../../src/application/ports/access/session-store.ts';
import type { SsoStore } from '../../src/application/ports/access/sso-store.ts';
import type { ThrottleStore } from '../../src/application/ports/access/throttle-store.ts';
import type { TokenStore } from '../../src/application/ports/access/token-store.ts';
import type { UserStore } from '../../src/application/ports/access/user-store.ts';
import type { BatchStore } from '../../src/application/ports/automation/batch-store.ts';
import type { PolicyStore } from '../../src/application/ports/automation/policy-store.ts';
import type { ScheduleStore } from '../../src/application/ports/automation/schedule-store.ts';
import type { WatchedServices } from '../../src/application/ports/automation/watched-services.ts';
import type { WindowStore } from '../../src/application/ports/automation/window-store.ts';
import type { DumpStore } from '../../src/application/ports/backups/dump-store.ts';
import type { FleetBackups } from '../../src/application/ports/backups/fleet-backups.ts';
import type { RepositoryStore } from '../../src/application/ports/backups/repository-store.ts';
import type { SnapshotStore } from '../../src/application/ports/backups/snapshot-store.ts';
import type { SourceStore } from '../../src/application/ports/backups/source-store.ts';
import type { IdempotencyStore } from '../../src/application/ports/base/idempotency-store.ts';
import type { DeploymentStore } from '../../src/application/ports/compose/deployment-store.ts';
import type { TemplateStore } from '../../src/application/ports/compose/template-store.ts';
import type { AlertChannelStore } from '../../src/application/ports/events/alert-channel-store.ts';
import type { AuditLog } from '../../src/application/ports/events/audit-log.ts';
import type { ChangeRecord } from '../../src/application/ports/events/change-record.ts';
import type { DeliveryStore } from '../../src/application/ports/events/delivery-store.ts';
import type { NotificationStore } from '../../src/application/ports/events/notification-store.ts';
import type { PushStore } from '../../src/application/ports/events/push-store.ts';
import type { WebhookStore } from '../../src/application/ports/events/webhook-store.ts';
import type { ConditionWatch } from '../../src/application/ports/fleet/condition-watch.ts';
import type { HostChangeStore } from '../../src/application/ports/fleet/host-change-store.ts';
import type { InventoryStore } from '../../src/application/ports/fleet/inventory-store.ts';
import type { KeyStore } from '../../src/application/ports/fleet/key-store.ts';
import type { PackageStore } from '../../src/application/ports/fleet/package-store.ts';
import type { ServerSelection } from '../../src/application/ports/fleet/server-selection.ts';
import type { ServerStore } from '../../src/application/ports/fleet/server-store.ts';
import type { ServiceStore } from '../../src/application/ports/fleet/service-store.ts';
import type { VulnerabilityStore } from '../../src/application/ports/fleet/vulnerability-store.ts';
import type { ApprovalStore } from '../../src/application/ports/jobs/approval-store.ts';
import type { JobQueue } from '../../src/application/ports/jobs/job-queue.ts';
import type { JobStore } from '../../src/application/ports/jobs/job-store.ts';
import type { LeaseStore } from '../../src/application/ports/jobs/lease-store.ts';
import type { ClockRecord } from '../../src/application/ports/service/clock-record.ts';
import type { GaugeSource } from '../../src/application/ports/service/gauge-source.ts';
import type { ReplicaStore } from '../../src/application/ports/service/replica-store.ts';
import type { SettingStore } from '../../src/application/ports/service/setting-store.ts';
import { Actor } from '../../src/domain/access/actor.ts';
import type { NewBackupSource } from '../../src/domain/backups/backup-source.ts';
import { DEFAULT_RETENTION } from '../../src/domain/backups/retention-policy.ts';
import type { NewSnapshot } from '../../src/domain/backups/snapshot.ts';
import { auditEntry } from '../../src/domain/events/audit-entry.ts';
import type { NewServer, ServerAddress } from '../../src/domain/fleet/server.ts';

/** The stores over the same data, and ways to look and reach behind them. */
export interface StoresSubject {
  readonly servers: ServerStore;
  readonly inventories: InventoryStore;
  readonly hostChanges: HostChangeStore;
  readonly packages: PackageStore;
  readonly vulnerabilities: VulnerabilityStore;
  readonly watchedServices: WatchedServices;
  readonly services: ServiceStore;
  readonly keys: KeyStore;
  readonly repositories: RepositoryStore;
  readonly sources: SourceStore;
  readonly dumps: DumpStore;
  readonly snapshots: SnapshotStore;
  readonly fleetBackups: FleetBackups;
  readonly tokens: TokenStore;
  readonly users: UserStore;
  readonly sessions: SessionStore;
  readonly devices: DeviceStore;
  readonly throttles: ThrottleStore;
  readonly sso: SsoStore;
  readonly passkeys: PasskeyStore;
  readonly audit: AuditLog;
  readonly settings: SettingStore;
  readonly leases: LeaseStore;
  readonly replicas: ReplicaStore;
  readonly schedules: ScheduleStore;
  readonly windows: WindowStore;
  readonly policies: PolicyStore;
  readonly selection: ServerSelection;
  readonly batches: BatchStore;
  readonly approvals: ApprovalStore;
  readonly templates: TemplateStore;
  readonly deployments: DeploymentStore;
  readonly jobs: JobStore;
  readonly queue: JobQueue;
  readonly notifications: NotificationStore;
  readonly watch: ConditionWatch;
  readonly clockRecord: ClockRecord;
  readonly webhooks: WebhookStore;
  readonly alertChannels: AlertChannelStore;
  readonly subscriptions: PushStore;
  readonly deliveries: DeliveryStore;
  readonly requests: IdempotencyStore;
  readonly gauges: GaugeSource;
  /** Gives a server a job that runs, or lets all of its jobs be over. */
  readonly setActiveJob: (serverId: number, active: boolean) => Promise<void>;
  /** Everything left behind so far, oldest first: `server.add server:1`, `server.recovered`. */
  readonly record: () => Promise<{ readonly audit: readonly string[]; readonly events: readonly string[] }>;
  /** Lets everything that the database measures grow older. */
  readonly passTime: (ms: number) => Promise<void>;
}

/** Empty at each call. */
export type MakeStores = () => Promise<StoresSubject>;

/** An arbitrary time. */
export const AT = Date.UTC(2026, 10, 20, 5, 0, 0);

export const noRecord = (): ChangeRecord => ({});

/** One audit entry and one event about the change. */
export const trailOf =
  (action: string, kind: string) =>
  ({ id }: { readonly id: number }): ChangeRecord => ({
    audit: [auditEntry(Actor.system('test'), AT, action, `${kind}:${id}`, { because: 'a test' })],
    events: [
      {
        type: 'server.recovered',
        at: AT,
        severity: 'info',
        title: action,
        message: `${kind} ${id}`,
        serverId: null,
        jobId: null,
      },
    ],
  });

/** A trail that cannot be made: nothing of the change may be kept. */
export const brokenRecord = (): ChangeRecord => {
  throw new Error('no record today');
};

const ADDRESS: ServerAddress = {
  connection: 'ssh',
  hostname: 'web.example.org',
  sshPort: 22,
  sshUsername: 'root',
  sshKeyId: null,
  hostKey: null,
  become: 'none',
  jumpServerId: null,
};

export const newServer = (
  name: string,
  over: Partial<Omit<NewServer, 'address'>> & { address?: Partial<ServerAddress> } = {},
): NewServer => ({
  name,
  tags: [],
  features: { backup: true, os_patch: false, docker: false },
  jail: null,
  jailDeny: [],
  notes: '',
  composeDirs: [],
  ...over,
  address: { ...ADDRESS, ...over.address },
});

export const newSource = (
  serverId: number,
  name = 'etc',
  over: Partial<NewBackupSource> = {},
): NewBackupSource => ({
  serverId,
  name,
  paths: ['/etc', '/srv/data "x"'],
  excludes: ['*.tmp'],
  kind: 'files',
  engine: 'rsync',
  repositoryId: null,
  retention: DEFAULT_RETENTION,
  compareContentEvery: 3,
  hooks: [{ kind: 'container', name: 'db' }],
  createdAt: AT,
  ...over,
});

export const newSnapshot = (
  source: { readonly id: number; readonly serverId: number; readonly name: string },
  name: string,
  over: Partial<NewSnapshot> = {},
): NewSnapshot => ({
  serverId: source.serverId,
  sourceId: source.id,
  sourceName: source.name,
  jobId: 7,
  engine: 'rsync',
  name,
  startedAt: AT,
  finishedAt: AT + 60_000,
  fileCount: 2_000,
  totalBytes: 5_000_000_000_000,
  transferredBytes: 12_345,
  vanishedCount: 1,
  manifestSha256: 'ab'.repeat(32),
  ...over,
});

export const addServer = async (stores: StoresSubject, name: string): Promise<number> =>
  (await stores.servers.add(newServer(name), AT, noRecord)).id;
