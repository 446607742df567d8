import type { ManageUsers } from '../../application/accounts/manage-users.ts';
import type { AdvanceBatches } from '../../application/advance-batches.ts';
import type { HandOutEvents } from '../../application/hand-out-events.ts';
import type { IssueToken } from '../../application/issue-token.ts';
import type { ManageAlerts } from '../../application/manage-alerts.ts';
import type { ManageKeys } from '../../application/manage-keys.ts';
import type { ManageRepositories } from '../../application/manage-repositories.ts';
import type { ManageWebhooks } from '../../application/manage-webhooks.ts';
import type { ManageWindows } from '../../application/manage-windows.ts';
import type { CronClock } from '../../application/ports/cron-clock.ts';
import type { DeliveryStore } from '../../application/ports/delivery-store.ts';
import type { DeploymentStore } from '../../application/ports/deployment-store.ts';
import type { Digest } from '../../application/ports/digest.ts';
import type { InventoryStore } from '../../application/ports/inventory-store.ts';
import type { JobQueue } from '../../application/ports/job-queue.ts';
import type { JobStore } from '../../application/ports/job-store.ts';
import type { NotificationStore } from '../../application/ports/notification-store.ts';
import type { RepositoryStore } from '../../application/ports/repository-store.ts';
import type { ScheduleStore } from '../../application/ports/schedule-store.ts';
import type { SecretBox } from '../../application/ports/secret-box.ts';
import type { ServerStore } from '../../application/ports/server-store.ts';
import type { SnapshotStore } from '../../application/ports/snapshot-store.ts';
import type { SourceStore } from '../../application/ports/source-store.ts';
import type { TokenStore } from '../../application/ports/token-store.ts';
import type { UserStore } from '../../application/ports/user-store.ts';
import type { RunDueSchedules } from '../../application/run-due-schedules.ts';
import type { StartBatch } from '../../application/start-batch.ts';
import type { ManageTemplates } from '../../application/templates/manage-templates.ts';
import type { WatchConditions } from '../../application/watch-conditions.ts';
import { Actor } from '../../domain/access/actor.ts';
import type { DemoClock } from './demo-clock.ts';

/** What the demonstration is filled by: the stores, and the use cases that people and the service's loops call. */
export interface DemoWorld {
  readonly clock: DemoClock;
  readonly cron: CronClock;
  readonly box: SecretBox;
  readonly digest: Digest;
  readonly servers: ServerStore;
  readonly inventories: InventoryStore;
  readonly sources: SourceStore;
  readonly snapshots: SnapshotStore;
  readonly repositories: RepositoryStore;
  readonly jobs: JobStore;
  readonly queue: JobQueue;
  readonly schedules: ScheduleStore;
  readonly tokens: TokenStore;
  readonly users: UserStore;
  readonly deliveries: DeliveryStore;
  readonly deployments: DeploymentStore;
  readonly notifications: NotificationStore;
  readonly manageUsers: Pick<ManageUsers, 'invite'>;
  readonly manageKeys: Pick<ManageKeys, 'create'>;
  readonly manageRepositories: Pick<ManageRepositories, 'add'>;
  readonly manageWebhooks: Pick<ManageWebhooks, 'add'>;
  readonly manageWindows: Pick<ManageWindows, 'add'>;
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

/** Nothing of it is ever broken off. */
export const NEVER = new AbortController().signal;
