import { DomainError } from '../base/errors.ts';

/** The run of a schedule that starts a job or a batch. */
export interface ScheduleRunOrigin {
  readonly kind: 'schedule_run';
  readonly runId: number;
  /** Whether its time had come, and nobody asked for it. */
  readonly scheduled: boolean;
}

/** The host of a batch that a job is for. */
export interface BatchMemberOrigin {
  readonly kind: 'batch_member';
  readonly batchId: number;
  readonly serverId: number;
  /** The batch's version as whoever advances it knows it. */
  readonly version: number;
  readonly scheduled: boolean;
}

/** What a job is started for, where it is not for its own sake: it is told of the job in the transaction that makes it. */
export type JobOrigin = ScheduleRunOrigin | BatchMemberOrigin;

/** Another process was faster: the run or the host has its job, or is not to get one any more. */
export const originLost = (what: string): DomainError =>
  new DomainError('lease_lost', `${what} was taken over by another process, or is already done.`);
