import type { Ports } from '../../src/application/base/use-case.ts';
import type { ChangeRecord } from '../../src/application/ports/events/change-record.ts';
import { Actor } from '../../src/domain/access/actor.ts';
import type { NewBackupSource } from '../../src/domain/backups/backup-source.ts';
import { DEFAULT_RETENTION } from '../../src/domain/backups/retention-policy.ts';
import type { NewSnapshot } from '../../src/domain/backups/snapshot.ts';
import { auditEntry } from '../../src/domain/events/audit-entry.ts';
import type { NewServer, ServerAddress } from '../../src/domain/fleet/server.ts';

type StoreName =
  | 'servers'
  | 'inventories'
  | 'hostChanges'
  | 'packages'
  | 'vulnerabilities'
  | 'watchedServices'
  | 'services'
  | 'keys'
  | 'repositories'
  | 'sources'
  | 'dumps'
  | 'snapshots'
  | 'fleetBackups'
  | 'tokens'
  | 'users'
  | 'sessions'
  | 'throttles'
  | 'sso'
  | 'passkeys'
  | 'audit'
  | 'settings'
  | 'leases'
  | 'replicas'
  | 'schedules'
  | 'windows'
  | 'policies'
  | 'selection'
  | 'batches'
  | 'approvals'
  | 'templates'
  | 'deployments'
  | 'jobs'
  | 'queue'
  | 'notifications'
  | 'watch'
  | 'clockRecord'
  | 'webhooks'
  | 'alertChannels'
  | 'subscriptions'
  | 'deliveries'
  | 'requests'
  | 'gauges';

/** The stores over the same data, and ways to look and reach behind them. */
export interface StoresSubject extends Pick<Ports, StoreName> {
  readonly devices: Ports['deviceStore'];
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
  updateChecks: [],
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
