import type { CancelBatch } from '../../../application/automation/cancel-batch.ts';
import type { GetBatch, ListBatches } from '../../../application/automation/get-batch.ts';
import type { GetSchedule, ListSchedules } from '../../../application/automation/list-schedules.ts';
import type { ListWindows } from '../../../application/automation/list-windows.ts';
import type { ManageSchedules } from '../../../application/automation/manage-schedules.ts';
import type { RunSchedule } from '../../../application/automation/run-schedule.ts';
import type { StartBatch } from '../../../application/automation/start-batch.ts';
import type { ListSnapshots } from '../../../application/backups/list-snapshots.ts';
import type { ManageDumps } from '../../../application/backups/manage-dumps.ts';
import type { ManageRepositories } from '../../../application/backups/manage-repositories.ts';
import type { ManageSources } from '../../../application/backups/manage-sources.ts';
import type { PreviewExclusions } from '../../../application/backups/preview-exclusions.ts';
import type {
  GetTemplate,
  ListDeployments,
  ListTemplates,
} from '../../../application/compose/list-templates.ts';
import type { ListNotifications } from '../../../application/events/list-notifications.ts';
import type { JailFileOps } from '../../../application/files/jail-file-ops.ts';
import type { GetInventory } from '../../../application/fleet/get-inventory.ts';
import type { GetServer } from '../../../application/fleet/get-server.ts';
import type { GetSummary } from '../../../application/fleet/get-summary.ts';
import type { ListServers } from '../../../application/fleet/list-servers.ts';
import type { ListServices } from '../../../application/fleet/list-services.ts';
import type { SetFeatures } from '../../../application/fleet/set-features.ts';
import type { CancelJob } from '../../../application/jobs/cancel-job.ts';
import type { GetJob } from '../../../application/jobs/get-job.ts';
import type { ListJobs } from '../../../application/jobs/list-jobs.ts';
import type { TriggerJob } from '../../../application/jobs/trigger-job.ts';
import type { GetHealth } from '../../../application/service/get-health.ts';

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
  readonly manageDumps: Pick<ManageDumps, 'ofServer'>;
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
