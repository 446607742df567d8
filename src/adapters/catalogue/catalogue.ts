import type { Operation } from './operation.ts';
import { inventory, serverInventory } from './operations/inventory.ts';
import { cancelJob, getJob, listJobs } from './operations/jobs.ts';
import { overviewOf } from './operations/overview.ts';
import { getServer, listServers, setFeatures } from './operations/servers.ts';
import { health, summary } from './operations/service.ts';
import { services } from './operations/services.ts';
import { listSnapshots } from './operations/snapshots.ts';
import { triggerJob } from './operations/trigger-job.ts';

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
  serverInventory,
  cancelJob,
  listSnapshots,
];

/** Everything that the service does for machines. */
export const CATALOGUE: readonly Operation[] = [overviewOf(OPERATIONS), ...OPERATIONS];
