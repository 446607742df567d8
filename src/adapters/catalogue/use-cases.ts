import type { PreviewExclusions } from '../../application/backup/preview-exclusions.ts';
import type { CancelBatch } from '../../application/cancel-batch.ts';
import type { CancelJob } from '../../application/cancel-job.ts';
import type { GetBatch, ListBatches } from '../../application/get-batch.ts';
import type { GetHealth } from '../../application/get-health.ts';
import type { GetInventory } from '../../application/get-inventory.ts';
import type { GetJob } from '../../application/get-job.ts';
import type { GetServer } from '../../application/get-server.ts';
import type { GetSummary } from '../../application/get-summary.ts';
import type { JailFileOps } from '../../application/jail-file-ops.ts';
import type { ListJobs } from '../../application/list-jobs.ts';
import type { ListNotifications } from '../../application/list-notifications.ts';
import type { GetSchedule, ListSchedules } from '../../application/list-schedules.ts';
import type { ListServers } from '../../application/list-servers.ts';
import type { ListServices } from '../../application/list-services.ts';
import type { ListSnapshots } from '../../application/list-snapshots.ts';
import type { ListWindows } from '../../application/list-windows.ts';
import type { ManageRepositories } from '../../application/manage-repositories.ts';
import type { ManageSchedules } from '../../application/manage-schedules.ts';
import type { ManageSources } from '../../application/manage-sources.ts';
import type { RunSchedule } from '../../application/run-schedule.ts';
import type { SetFeatures } from '../../application/set-features.ts';
import type { StartBatch } from '../../application/start-batch.ts';
import type {
  GetTemplate,
  ListDeployments,
  ListTemplates,
} from '../../application/templates/list-templates.ts';
import type { TriggerJob } from '../../application/trigger-job.ts';

/** The public side of a use case. */
type Driving<T extends { execute: unknown }> = Pick<T, 'execute'>;

/** All that the catalogue's operations call. */
export interface UseCases {
  /** The service's version, for callers to see. */
  readonly version: string;
  readonly getHealth: Driving<GetHealth>;
  readonly getSummary: Driving<GetSummary>;
  readonly listServers: Driving<ListServers>;
  readonly getServer: Driving<GetServer>;
  readonly getInventory: Driving<GetInventory>;
  readonly listNotifications: Driving<ListNotifications>;
  readonly listServices: Driving<ListServices>;
  readonly manageRepositories: Pick<ManageRepositories, 'list'>;
  readonly manageSources: Pick<ManageSources, 'list'>;
  readonly previewExclusions: Driving<PreviewExclusions>;
  readonly listSnapshots: Driving<ListSnapshots>;
  readonly setFeatures: Driving<SetFeatures>;
  readonly listJobs: Driving<ListJobs>;
  readonly getJob: Driving<GetJob>;
  readonly triggerJob: Driving<TriggerJob>;
  readonly cancelJob: Driving<CancelJob>;
  readonly startBatch: Driving<StartBatch>;
  readonly listBatches: Driving<ListBatches>;
  readonly getBatch: Driving<GetBatch>;
  readonly cancelBatch: Driving<CancelBatch>;
  readonly manageSchedules: Pick<ManageSchedules, 'add' | 'edit' | 'remove'>;
  readonly listSchedules: Driving<ListSchedules>;
  readonly getSchedule: Driving<GetSchedule>;
  readonly runSchedule: Driving<RunSchedule>;
  readonly listWindows: Driving<ListWindows>;
  readonly listTemplates: Driving<ListTemplates>;
  readonly getTemplate: Driving<GetTemplate>;
  readonly listDeployments: Driving<ListDeployments>;
  readonly jailFileOps: Pick<
    JailFileOps,
    'list' | 'read' | 'write' | 'makeDirectory' | 'rename' | 'remove' | 'download' | 'mostBytes'
  >;
}
