import type { Actor } from '../access/actor.ts';
import type { ApprovalVote } from '../access/approval-rule.ts';
import { type ApprovalTerms, type Requester, requesterOf } from '../access/requester.ts';
import { DomainError } from '../base/errors.ts';
import { type Instant, toMinute } from '../base/instant.ts';
import type { JobError, JobParams, NewJob } from './job.ts';
import { type JobType, jobTitle } from './job-types.ts';
import { type ChangeRequest, changeTitle } from './requested-change.ts';

/** `withdrawn`: the requester, or another user, cancelled it before a decision. */
export const APPROVAL_STATES = ['waiting', 'approved', 'refused', 'expired', 'withdrawn'] as const;
export type ApprovalState = (typeof APPROVAL_STATES)[number];

/** A job, a batch as a whole, or another change that happens only after approval. */
export interface Approval {
  readonly id: number;
  /** Either this, a batch or a change. */
  readonly jobId: number | null;
  readonly batchId: number | null;
  /** The server that changes; null for a batch. */
  readonly serverId: number | null;
  /** Null for a change. */
  readonly jobType: JobType | null;
  /** Null for jobs and batches. */
  readonly change: ChangeRequest | null;
  /** The server's name, or how many hosts. */
  readonly subject: string;
  readonly requester: Requester;
  readonly state: ApprovalState;
  readonly createdAt: Instant;
  /** It expires then. */
  readonly expiresAt: Instant;
  readonly decidedAt: Instant | null;
  readonly decidedBy: string | null;
  /** The reviewer's comment. */
  readonly note: string | null;
  /** The dry run for the reviewer. */
  readonly planJobId: number | null;
  /** Users who approved it, oldest first: it may need several. */
  readonly votes: readonly ApprovalVote[];
  /** Labels of those who started a dry run for it. */
  readonly planners: readonly string[];
}

export const MAX_NOTE_LENGTH = 500;
/** Open requests per requester. Reviewers read no more than this, and it stops an agent that loops. */
export const MAX_WAITING = 50;

/** Null for callers that need no approval. */
export const approvalTerms = (actor: Actor, now: Instant, goodForMs: number): ApprovalTerms | null =>
  actor.requireApproval ? { requester: requesterOf(actor), expiresAt: now + goodForMs } : null;

/** The name of what is requested. */
export const approvalTitle = ({ jobType, change }: Pick<Approval, 'jobType' | 'change'>): string =>
  change === null ? (jobType === null ? 'Change' : jobTitle(jobType)) : changeTitle(change.kind);

/** Identical open requests of one requester are one: an agent that asks again gets the first. */
export const requestKey = (
  { serverId, jobType, params }: Pick<NewJob, 'serverId' | 'jobType' | 'params'>,
  { kind, id, name }: Requester,
): string => JSON.stringify([kind, id, name, serverId, jobType, paramsText(params)]);

const paramsText = (params: JobParams): string =>
  JSON.stringify(Object.entries(params).toSorted(([one], [other]) => (one < other ? -1 : 1)));

/** The progress text of a job that waits for approval. */
export const waitsForPerson = (expiresAt: Instant): string =>
  `Waits for approval until ${toMinute(expiresAt)}; starts automatically once approved.`;

/** How a declined job ends. */
export const refusedBy = (who: string, note: string | null): JobError => ({
  code: 'approval_refused',
  detail: note === null ? `${who} declined it.` : `${who} declined it: ${note}`,
});

/** How a job ends if no one decided in time. */
export const nobodyDecided = ({ expiresAt }: Pick<Approval, 'expiresAt'>): JobError => ({
  code: 'approval_expired',
  detail: `Not approved by ${toMinute(expiresAt)}. Request it again if you still need it.`,
});

export const approvalNotFound = (id: number): DomainError =>
  new DomainError('approval_not_found', `There is no request for approval with id ${id}.`);

const DECIDED: Readonly<Record<Exclude<ApprovalState, 'waiting'>, string>> = {
  approved: 'was approved',
  refused: 'was declined',
  expired: 'has expired',
  withdrawn: 'was cancelled',
};

/** Someone was faster, or it has expired. */
export const approvalDecided = ({
  id,
  state,
  decidedBy,
}: Pick<Approval, 'id' | 'state' | 'decidedBy'>): DomainError =>
  new DomainError(
    'approval_decided',
    `Request ${id} ${state === 'waiting' ? 'has expired' : DECIDED[state]}${decidedBy === null ? '' : ` by ${decidedBy.replace(/^user:/, '')}`}; there is nothing left to decide.`,
  );

export const tooManyApprovals = (): DomainError =>
  new DomainError(
    'too_many_approvals',
    `You already have ${MAX_WAITING} requests waiting for approval. Wait for decisions, or cancel some requests.`,
  );

/** How the dry run of a job that waits for approval names its requester. */
export const planRequester = (jobId: number): string => `approval of job ${jobId}`;

/** All who approved it, oldest first; of an earlier version, or at the command line, the one who decided. */
export function approversOf({
  state,
  votes,
  decidedBy,
}: Pick<Approval, 'state' | 'votes' | 'decidedBy'>): readonly string[] {
  const labels = votes.map(({ label }) => label);
  return state !== 'approved' || decidedBy === null || labels.includes(decidedBy)
    ? labels
    : [...labels, decidedBy];
}
