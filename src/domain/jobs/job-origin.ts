import { DomainError } from '../base/errors.ts';

/** The run of a schedule that starts a job or a batch. */
export interface ScheduleRunOrigin {
  readonly kind: 'schedule_run';
  readonly runId: number;
  /** Whether its time had come, or a user started it. */
  readonly scheduled: boolean;
}

/** The host of a batch that a job is for. */
export interface BatchMemberOrigin {
  readonly kind: 'batch_member';
  readonly batchId: number;
  readonly serverId: number;
  /** The batch's version as the process that advances it knows it. */
  readonly version: number;
  readonly scheduled: boolean;
}

/** What a job belongs to, if anything: it is linked in the transaction that creates the job. */
export type JobOrigin = ScheduleRunOrigin | BatchMemberOrigin;

/** Another process was faster: the run or the host has its job, or will not get one. */
export const originLost = (what: string): DomainError =>
  new DomainError('lease_lost', `${what} was taken over by another process, or is already done.`);
