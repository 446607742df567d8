import type { Actor } from '../../domain/access/actor.ts';
import { mayPassWindows, windowsHold } from '../../domain/automation/maintenance-window.ts';
import { selectSources } from '../../domain/backups/backup-source.ts';
import { switchedOff } from '../../domain/fleet/host-flag.ts';
import { requireControl } from '../../domain/fleet/own-machine.ts';
import type { Server } from '../../domain/fleet/server.ts';
import { featureOf, type JobType, refuseInternal } from '../../domain/jobs/job-types.ts';
import type { MaintenanceGate } from '../automation/maintenance-gate.ts';
import { UseCase } from '../base/use-case.ts';
import { existingServer } from '../fleet/get-server.ts';

interface AdmissionRequest {
  readonly serverId: number;
  readonly jobType: JobType;
  readonly dryRun: boolean;
  /** Overrides closed maintenance windows; for operators only. */
  readonly outsideWindow: boolean;
}

/** Whether a caller can have a job on a server now: checked on request, and again on approval. */
export class JobAdmission extends UseCase<
  'servers' | 'sources' | 'runners',
  { readonly gate: MaintenanceGate }
> {
  /** Refuses in this order: capability, job type, feature scope, server, control of the service's own machine, host flag, maintenance windows. */
  async check(actor: Actor, { serverId, jobType, dryRun, outsideWindow }: AdmissionRequest): Promise<Server> {
    actor.require('jobs', serverId);
    refuseInternal(actor, jobType);
    actor.requireFeature(featureOf(jobType));
    const server = await existingServer(this.deps.servers, actor, serverId);
    requireControl(actor, server, `job.${jobType}`);
    const off = switchedOff(server, jobType);
    if (off) throw off;
    if (outsideWindow && !mayPassWindows(actor, serverId)) throw windowsHold();
    if (!outsideWindow) await this.deps.gate.pass(server, jobType, dryRun);
    this.deps.runners.require(jobType);
    return server;
  }

  /** Throws if it is about backups and the source does not exist. */
  async checkSources(server: Server, jobType: JobType, sourceFilter: string | null): Promise<void> {
    if (featureOf(jobType) === 'backup')
      selectSources(await this.deps.sources.ofServer(server.id), sourceFilter);
  }
}
