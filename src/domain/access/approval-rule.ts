import { DomainError, type InputProblem } from '../base/errors.ts';
import type { Instant } from '../base/instant.ts';
import { covers, type Role } from './role.ts';
import type { User } from './user.ts';
import { roleOn } from './user-roles.ts';

/** The lowest role that may approve. */
export const APPROVER_ROLES = ['operator', 'administrator'] as const satisfies readonly Role[];
export type ApproverRole = (typeof APPROVER_ROLES)[number];

export const MAX_APPROVERS = 5;

/** Who has to approve a request. */
export interface ApprovalRule {
  /** A second person: not the requester, nor users who saw the token's secret or started the dry run. */
  readonly fourEyes: boolean;
  readonly role: ApproverRole;
  /** How many different users. */
  readonly approvers: number;
}

export const USUAL_RULE: ApprovalRule = { fourEyes: false, role: 'operator', approvers: 1 };

export interface RawApprovalRule {
  readonly fourEyes: boolean;
  readonly role: string;
  readonly approvers: number;
}

/** Adds every fault to the problems. */
export function approvalRule(raw: RawApprovalRule, problems: InputProblem[]): ApprovalRule {
  const role = APPROVER_ROLES.find((each) => each === raw.role);
  if (role === undefined) {
    problems.push({ path: '/approver_role', message: `Choose one of ${APPROVER_ROLES.join(', ')}.` });
  }
  const { fourEyes, approvers } = raw;
  if (!Number.isInteger(approvers) || approvers < 1 || approvers > MAX_APPROVERS) {
    problems.push({ path: '/approvers', message: `Enter a whole number from 1 to ${MAX_APPROVERS}.` });
  }
  return { fourEyes, role: role ?? 'administrator', approvers };
}

export const isUsualRule = ({ fourEyes, role, approvers }: ApprovalRule): boolean =>
  !fourEyes && role === 'operator' && approvers === 1;

/** What satisfies both. */
export const strictestRule = (one: ApprovalRule, other: ApprovalRule): ApprovalRule => ({
  fourEyes: one.fourEyes || other.fourEyes,
  role: covers(one.role, other.role) ? one.role : other.role,
  approvers: Math.max(one.approvers, other.approvers),
});

/** Whether Drover has to know who approves, which it does not at the command line. */
export const needsKnownUsers = ({ fourEyes, approvers }: ApprovalRule): boolean => fourEyes || approvers > 1;

/** The rule in words, without a subject: `2 administrators, none of whom asked for it`. */
export function ruleText({ fourEyes, role, approvers }: ApprovalRule): string {
  const who = approvers === 1 ? `1 ${role}` : `${approvers} ${role}s`;
  const enough = role === 'operator' ? `${who} or administrator${approvers === 1 ? '' : 's'}` : who;
  return fourEyes
    ? `${enough} who did not ask for it, do not hold the token's secret, and did not start the dry run`
    : enough;
}

/** A user's approval. It counts for the plan that they saw. */
export interface ApprovalVote {
  readonly userId: number;
  /** `user:ann`. */
  readonly label: string;
  /** `null`: the job may do whatever is needed, or there is no plan. */
  readonly planId: number | null;
  readonly at: Instant;
}

/** A user as they are now. */
export interface Voter {
  readonly id: number;
  /** Where the request is about: on its server, or on all servers. */
  readonly role: Role | null;
  readonly disabledAt: Instant | null;
}

/** `serverId`: of the request; `null`: it is not about one server. */
export const votersOn = (serverId: number | null, users: readonly User[]): readonly Voter[] =>
  users.map((user) => ({ id: user.id, role: roleOn(user, serverId), disabledAt: user.disabledAt }));

export interface VoteTerms {
  readonly rule: ApprovalRule;
  /** The plan that is approved. */
  readonly planId: number | null;
  /** Labels of users whose approval does not count under `fourEyes`. */
  readonly barred: readonly string[];
}

/** Why a user's approval does not count; null: it does. */
export function voteFault(
  vote: Pick<ApprovalVote, 'userId' | 'label'>,
  { rule, barred }: Omit<VoteTerms, 'planId'>,
  voters: readonly Voter[],
): 'role' | 'second person' | null {
  const voter = voters.find(({ id }) => id === vote.userId);
  if (voter === undefined || voter.disabledAt !== null || !covers(voter.role, rule.role)) return 'role';
  return rule.fourEyes && barred.includes(vote.label) ? 'second person' : null;
}

/** The approvals that count now: of the same plan, by users who still may approve, each once. */
export const countingVotes = (
  votes: readonly ApprovalVote[],
  terms: VoteTerms,
  voters: readonly Voter[],
): readonly ApprovalVote[] =>
  votes.filter(
    (vote, index) =>
      vote.planId === terms.planId &&
      voteFault(vote, terms, voters) === null &&
      votes.findIndex(({ userId }) => userId === vote.userId) === index,
  );

/** Those of more users, of which some do not count, are not kept. */
const MAX_VOTES = 50;

/** With the newest approval of each user only. */
export const withVote = (votes: readonly ApprovalVote[], vote: ApprovalVote): readonly ApprovalVote[] =>
  [...votes.filter(({ userId }) => userId !== vote.userId), vote].slice(-MAX_VOTES);

export const secondPersonRequired = (sentence: string): DomainError =>
  new DomainError('second_person_required', sentence);

export const approverRoleMissing = ({ role }: ApprovalRule): DomainError =>
  new DomainError('role_missing', `Approving this requires the role ${role}.`);

export const alreadyApproved = (id: number, missing: number): DomainError =>
  new DomainError(
    'already_approved',
    `You have approved request ${id}. It needs ${missing === 1 ? '1 more user' : `${missing} more users`}.`,
  );
