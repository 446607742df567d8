import type { IssueToken } from '../../application/access/issue-token.ts';
import type { ManageSso } from '../../application/access/manage-sso.ts';
import type { ManageUsers } from '../../application/access/manage-users.ts';
import type { AdvanceBatches } from '../../application/automation/advance-batches.ts';
import type { ManageWindows } from '../../application/automation/manage-windows.ts';
import type { PatchPolicies } from '../../application/automation/patch-policies.ts';
import type { RunDueSchedules } from '../../application/automation/run-due-schedules.ts';
import type { StartBatch } from '../../application/automation/start-batch.ts';
import type { ManageRepositories } from '../../application/backups/manage-repositories.ts';
import type { ManageTemplates } from '../../application/compose/manage-templates.ts';
import type { HandOutEvents } from '../../application/events/hand-out-events.ts';
import type { ManageAlerts } from '../../application/events/manage-alerts.ts';
import type { ManageChannels } from '../../application/events/manage-channels.ts';
import type { ManageWebhooks } from '../../application/events/manage-webhooks.ts';
import type { ManageKeys } from '../../application/fleet/manage-keys.ts';
import type { WatchConditions } from '../../application/fleet/watch-conditions.ts';
import type { TokenStore } from '../../application/ports/access/token-store.ts';
import type { UserStore } from '../../application/ports/access/user-store.ts';
import type { BatchStore } from '../../application/ports/automation/batch-store.ts';
import type { CronClock } from '../../application/ports/automation/cron-clock.ts';
import type { ScheduleStore } from '../../application/ports/automation/schedule-store.ts';
import type { RepositoryStore } from '../../application/ports/backups/repository-store.ts';
import type { SnapshotStore } from '../../application/ports/backups/snapshot-store.ts';
import type { SourceStore } from '../../application/ports/backups/source-store.ts';
import type { Clock } from '../../application/ports/base/clock.ts';
import type { Digest } from '../../application/ports/base/digest.ts';
import type { SecretBox } from '../../application/ports/base/secret-box.ts';
import type { DeploymentStore } from '../../application/ports/compose/deployment-store.ts';
import type { DeliveryStore } from '../../application/ports/events/delivery-store.ts';
import type { NotificationStore } from '../../application/ports/events/notification-store.ts';
import type { InventoryStore } from '../../application/ports/fleet/inventory-store.ts';
import type { PackageStore } from '../../application/ports/fleet/package-store.ts';
import type { ServerStore } from '../../application/ports/fleet/server-store.ts';
import type { VulnerabilityStore } from '../../application/ports/fleet/vulnerability-store.ts';
import type { ApprovalStore } from '../../application/ports/jobs/approval-store.ts';
import type { JobQueue } from '../../application/ports/jobs/job-queue.ts';
import type { JobStore } from '../../application/ports/jobs/job-store.ts';
import { Actor } from '../../domain/access/actor.ts';
import type { Instant } from '../../domain/base/instant.ts';

/** What fills the demo: the stores, and the use cases that users and the service's loops call. */
export interface DemoPorts {
  readonly clock: DemoClock;
  /** Adds many rows of the past to a table at once: through the ports, thousands of jobs would take too long. */
  readonly insert: (table: string, rows: readonly object[]) => Promise<void>;
  readonly cron: CronClock;
  readonly box: SecretBox;
  readonly digest: Digest;
  readonly servers: ServerStore;
  readonly inventories: InventoryStore;
  readonly packages: Pick<PackageStore, 'save'>;
  readonly vulnerabilities: Pick<VulnerabilityStore, 'replace'>;
  readonly sources: SourceStore;
  readonly snapshots: SnapshotStore;
  readonly repositories: RepositoryStore;
  readonly jobs: JobStore;
  readonly approvals: ApprovalStore;
  readonly batches: BatchStore;
  readonly queue: JobQueue;
  readonly schedules: ScheduleStore;
  readonly tokens: TokenStore;
  readonly users: UserStore;
  readonly deliveries: DeliveryStore;
  readonly deployments: DeploymentStore;
  readonly notifications: NotificationStore;
  readonly manageUsers: Pick<ManageUsers, 'invite' | 'setTagRole'>;
  readonly manageKeys: Pick<ManageKeys, 'create'>;
  readonly manageRepositories: Pick<ManageRepositories, 'add'>;
  readonly manageWebhooks: Pick<ManageWebhooks, 'add'>;
  readonly manageChannels: Pick<ManageChannels, 'add'>;
  readonly manageSso: Pick<ManageSso, 'add' | 'setEnabled'>;
  readonly manageWindows: Pick<ManageWindows, 'add'>;
  readonly patchPolicies: Pick<PatchPolicies, 'add'>;
  readonly manageTemplates: Pick<ManageTemplates, 'import'>;
  readonly manageAlerts: Pick<ManageAlerts, 'acknowledge' | 'mute' | 'setPolicy'>;
  readonly issueToken: Pick<IssueToken, 'execute'>;
  readonly startBatch: Pick<StartBatch, 'execute'>;
  readonly advanceBatches: Pick<AdvanceBatches, 'execute'>;
  readonly runDueSchedules: Pick<RunDueSchedules, 'execute'>;
  readonly handOutEvents: Pick<HandOutEvents, 'execute'>;
  readonly watchConditions: Pick<WatchConditions, 'execute'>;
}

/** The administrator of the fleet that does not exist. */
export const ANN = Actor.operator('user:ann');

/** The machine's time zone: most visitors' browsers show times in it. */
export const DEMO_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Nothing of it is ever broken off. */
export const NEVER = new AbortController().signal;

/** A clock that is set to times of the past while the history of the demo is created, and shows the real time afterwards. */
export class DemoClock implements Clock {
  readonly #real: Clock;
  #set: Instant | null = null;

  constructor(real: Clock) {
    this.#real = real;
  }

  now(): Instant {
    return this.#set ?? this.#real.now();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.#real.sleep(ms, signal);
  }

  setTo(at: Instant): void {
    this.#set = at;
  }

  useRealTime(): void {
    this.#set = null;
  }
}
