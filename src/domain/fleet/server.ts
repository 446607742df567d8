import type { Instant } from '../base/instant.ts';
import type { NotificationKind } from '../events/notification.ts';

export const FEATURE_FLAGS = ['backup', 'os_patch', 'docker'] as const;
export type FeatureFlag = (typeof FEATURE_FLAGS)[number];
export type FeatureFlags = Readonly<Record<FeatureFlag, boolean>>;

export const CONNECTIONS = ['ssh', 'local'] as const;
export type Connection = (typeof CONNECTIONS)[number];

/** A pinned SSH host key, which an operator confirmed. */
export interface PinnedHostKey {
  readonly algorithm: string;
  /** Base64, as in a known_hosts line. */
  readonly blob: string;
  /** `SHA256:` and the unpadded base64 digest. */
  readonly fingerprint: string;
}

/**
 * How the service connects to a server. `hostname`, `port` and `username` have no meaning if the connection is
 * `local`.
 */
export interface ServerAddress {
  readonly connection: Connection;
  readonly hostname: string;
  readonly sshPort: number;
  readonly sshUsername: string;
  /** The key to log in with; `null` asks the service's SSH agent. */
  readonly sshKeyId: number | null;
  readonly hostKey: PinnedHostKey | null;
  /** `sudo`: commands that need root run through `sudo -n`. */
  readonly become: 'none' | 'sudo';
  readonly jumpServerId: number | null;
}

/** Last known facts of a server; `null` if unknown. Sizes are bytes. */
export interface ServerFacts {
  readonly osType: string | null;
  readonly osId: string | null;
  /** `VERSION_ID` of os-release. */
  readonly osVersion: string | null;
  readonly osPretty: string | null;
  readonly arch: string | null;
  readonly hardware: string | null;
  readonly cpuCores: number | null;
  /** One-minute load average. */
  readonly cpuLoad: number | null;
  readonly memoryTotalBytes: number | null;
  readonly memoryUsedBytes: number | null;
  readonly diskTotalBytes: number | null;
  readonly diskUsedBytes: number | null;
  readonly containerCount: number | null;
  /** The last time that a command ran there. */
  readonly lastSeenAt: Instant | null;
  readonly osUpdatesCount: number | null;
  readonly securityUpdatesCount: number | null;
  readonly containerUpdatesCount: number | null;
  readonly rebootPending: boolean | null;
  readonly lastOsCheckAt: Instant | null;
  readonly lastContainerCheckAt: Instant | null;
  readonly inventoryAt: Instant | null;
  /** The moment up to which every backup source of the server is covered by a successful backup. */
  readonly lastBackupAt: Instant | null;
  /** The moment since which every backup source of the server had a snapshot verified and found good. */
  readonly lastVerifiedAt: Instant | null;
  /** Unreachable since; `null`: the last attempt succeeded. */
  readonly contactFailedSince: Instant | null;
  /** The error code of the last attempt to connect. */
  readonly contactError: string | null;
  /** When growth fills the first of its file systems, and where that is mounted; `null`: none in sight. */
  readonly diskFullAt: Instant | null;
  readonly diskFullMount: string | null;
  /** Recognized as the machine that the service runs on, whatever its address. */
  readonly onOwnMachine: boolean | null;
  /** The last moment at which its release gets security updates; `null`: not known, or a rolling release. */
  readonly supportEndsAt: Instant | null;
}

export const UNKNOWN_FACTS: ServerFacts = {
  osType: null,
  osId: null,
  osVersion: null,
  osPretty: null,
  arch: null,
  hardware: null,
  cpuCores: null,
  cpuLoad: null,
  memoryTotalBytes: null,
  memoryUsedBytes: null,
  diskTotalBytes: null,
  diskUsedBytes: null,
  containerCount: null,
  lastSeenAt: null,
  osUpdatesCount: null,
  securityUpdatesCount: null,
  containerUpdatesCount: null,
  rebootPending: null,
  lastOsCheckAt: null,
  lastContainerCheckAt: null,
  inventoryAt: null,
  lastBackupAt: null,
  lastVerifiedAt: null,
  contactFailedSince: null,
  contactError: null,
  diskFullAt: null,
  diskFullMount: null,
  onOwnMachine: null,
  supportEndsAt: null,
};

/** A machine that the service looks after. */
export interface Server {
  readonly id: number;
  /** Unique among the servers that are there. */
  readonly name: string;
  readonly address: ServerAddress;
  readonly tags: readonly string[];
  readonly features: FeatureFlags;
  /** The directory that file tools may touch; `null`: none. */
  readonly jail: string | null;
  /** Patterns of names that file tools do not touch, beside those that they never do. */
  readonly jailDeny: readonly string[];
  /** Directories that hold compose projects: each itself, or right below it. */
  readonly composeDirs: readonly string[];
  /** Checks of guarded package updates, as `parseCheck` reads them. */
  readonly updateChecks: readonly string[];
  /** For operators; Drover only shows it. */
  readonly notes: string;
  readonly facts: ServerFacts;
  /** Notifications about it that are open or acknowledged, and not muted. */
  readonly alertsOpen: number;
  /** How severe the worst of them is that its facts do not show; `null`: none is, or none needs attention. */
  readonly worstAlert: 'critical' | 'warning' | null;
  /** The kind of the critical ones, failed jobs before others; `null`: none is critical. */
  readonly criticalKind: NotificationKind | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export type NewServer = Omit<
  Server,
  'id' | 'facts' | 'alertsOpen' | 'worstAlert' | 'criticalKind' | 'createdAt' | 'updatedAt'
>;

/** Each tag with how many servers have it, the most frequent first, then by name. */
export function countTags(
  groups: readonly { readonly tags: readonly string[]; readonly servers: number }[],
): { readonly tag: string; readonly servers: number }[] {
  const counts = new Map<string, number>();
  for (const { tags, servers } of groups) {
    for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + servers);
  }
  return [...counts]
    .map(([tag, servers]) => ({ tag, servers }))
    .toSorted((a, b) => b.servers - a.servers || (a.tag < b.tag ? -1 : 1));
}

export type ServerChange = Partial<Omit<NewServer, 'address'>> & {
  readonly address?: Partial<ServerAddress>;
};

export const NO_FEATURES: FeatureFlags = { backup: false, os_patch: false, docker: false };

/** The flags that differ, in a fixed order. */
export const changedFlags = (before: FeatureFlags, after: Partial<FeatureFlags>): FeatureFlag[] =>
  FEATURE_FLAGS.filter((flag) => after[flag] !== undefined && after[flag] !== before[flag]);
