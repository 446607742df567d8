import type { Operation } from './operation.ts';
import { getApproval } from './operations/approvals.ts';
import { cancelBatch, getBatch, listBatches, startBatch } from './operations/batches.ts';
import { showCve } from './operations/cves.ts';
import { deleteFile, mkdir, renameFile, writeFile } from './operations/file-changes.ts';
import { downloadFile, uploadFile } from './operations/file-transfers.ts';
import { listFiles, readFile } from './operations/files.ts';
import { listHostChanges } from './operations/host-changes.ts';
import { inventory, serverInventory, serverSamples } from './operations/inventory.ts';
import { cancelJob, getJob, listJobs } from './operations/jobs.ts';
import { listNotifications } from './operations/notifications.ts';
import { overviewOf } from './operations/overview.ts';
import { searchPackages } from './operations/packages.ts';
import { listPolicies, previewUpdates } from './operations/policies.ts';
import { listRepositories } from './operations/repositories.ts';
import {
  addSchedule,
  editSchedule,
  getSchedule,
  listSchedules,
  removeSchedule,
  runSchedule,
} from './operations/schedules.ts';
import { getServer, listServers } from './operations/servers.ts';
import { health, summary } from './operations/service.ts';
import { services } from './operations/services.ts';
import { setFeatures } from './operations/set-features.ts';
import { listSnapshots, pinSnapshot } from './operations/snapshots.ts';
import { listSources, previewSource } from './operations/sources.ts';
import { getTemplate, listDeployments, listTemplates } from './operations/templates.ts';
import { triggerJob } from './operations/trigger-job.ts';
import { listWindows } from './operations/windows.ts';

/** Those that agents are offered come first, in the order in which they are listed to them. */
const OPERATIONS: readonly Operation[] = [
  health,
  summary,
  listServers,
  getServer,
  inventory,
  services,
  listJobs,
  getJob,
  triggerJob,
  setFeatures,
  listFiles,
  readFile,
  writeFile,
  mkdir,
  renameFile,
  deleteFile,
  serverInventory,
  serverSamples,
  listHostChanges,
  searchPackages,
  showCve,
  listNotifications,
  cancelJob,
  getApproval,
  startBatch,
  listBatches,
  getBatch,
  cancelBatch,
  addSchedule,
  listSchedules,
  getSchedule,
  editSchedule,
  runSchedule,
  removeSchedule,
  listWindows,
  listPolicies,
  previewUpdates,
  listTemplates,
  getTemplate,
  listDeployments,
  listSnapshots,
  pinSnapshot,
  listSources,
  previewSource,
  listRepositories,
  uploadFile,
  downloadFile,
];

/** Everything that the service does for machines. */
export const CATALOGUE: readonly Operation[] = [overviewOf(OPERATIONS), ...OPERATIONS];
