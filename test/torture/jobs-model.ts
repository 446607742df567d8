import type { JobStatus, TerminalStatus } from '../../src/domain/jobs/job.ts';
import type { JobType } from '../../src/domain/jobs/job-types.ts';

/** Time advances in steps, so that a lease never ends exactly when it is checked. */
export const LEASE_MS = 600_000;
export const STEP_MS = 400_000;

export interface ModelJob {
  readonly id: number;
  readonly server: number;
  readonly type: JobType;
  readonly lane: string;
  status: JobStatus;
  owner: string | null;
  fence: number;
  leaseEnds: number;
  marked: boolean;
  cancelAsked: boolean;
  current: string | null;
  log: string;
}

export interface ModelClaim {
  readonly id: number;
  readonly owner: string;
  readonly fence: number;
}

const changesHost = (lane: string): boolean => /^(os_patch|container_patch|host_reboot|stack:.*)$/.test(lane);
const excludes = (one: string, other: string): boolean =>
  one === other || one === 'host_reboot' || other === 'host_reboot';
/** A backup may stop containers, and an update saves their data. */
const areBackupAndUpdate = (one: string, other: string): boolean =>
  one === 'backup' && other === 'container_patch';
const active = ({ status }: ModelJob): boolean => status === 'pending' || status === 'running';

/** The promises of the two ports, in as few words as possible. */
export class JobsModel {
  readonly jobs: ModelJob[] = [];
  readonly claims: ModelClaim[] = [];
  now = 0;

  /** The job that keeps a lane from being taken. */
  holder(server: number, lane: string): ModelJob | undefined {
    return this.jobs.find((job) => job.server === server && active(job) && excludes(job.lane, lane));
  }

  claim(owner: string, limit: number): number[] {
    const taken: number[] = [];
    for (const job of this.jobs.filter(({ status }) => status === 'pending')) {
      if (taken.length === limit) break;
      const blocker = this.jobs.find(
        (other) =>
          other.status === 'running' &&
          other.server === job.server &&
          (excludes(job.lane, other.lane) ||
            areBackupAndUpdate(job.lane, other.lane) ||
            areBackupAndUpdate(other.lane, job.lane) ||
            (changesHost(job.lane) && changesHost(other.lane))),
      );
      job.current = blocker ? `Waits for job ${blocker.id} (${blocker.type}) on host-${job.server}.` : null;
      if (blocker) continue;
      Object.assign(job, { status: 'running', owner, fence: job.fence + 1, leaseEnds: this.now + LEASE_MS });
      this.claims.push({ id: job.id, owner, fence: job.fence });
      taken.push(job.id);
    }
    return taken;
  }

  /** The job, if the claim is still valid. */
  held({ id, owner, fence }: ModelClaim): ModelJob | undefined {
    const job = this.jobs.find((one) => one.id === id);
    return job?.status === 'running' && job.owner === owner && job.fence === fence ? job : undefined;
  }

  end(job: ModelJob, status: TerminalStatus): void {
    Object.assign(job, { status, current: null });
  }

  putBack(job: ModelJob): void {
    Object.assign(job, { status: 'pending', owner: null, current: null });
  }

  /** `false` if it cannot be cancelled. */
  cancel(job: ModelJob): boolean {
    if (job.cancelAsked || !(active(job) || job.status === 'awaiting_approval')) return false;
    job.cancelAsked = true;
    if (job.status !== 'running' && !job.marked) this.end(job, 'cancelled');
    return true;
  }

  sweep(deadOwner: string, limit: number): number[] {
    const lost = this.jobs.filter(
      (job) => job.status === 'running' && (job.leaseEnds < this.now || job.owner === deadOwner),
    );
    const ended: number[] = [];
    for (const job of lost.slice(0, limit)) {
      if (job.marked && job.fence < 20) this.putBack(job);
      else {
        this.end(job, 'failed');
        ended.push(job.id);
      }
    }
    return ended;
  }
}
