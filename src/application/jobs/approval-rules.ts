import { type Actor, labelOf } from '../../domain/access/actor.ts';
import { secretSeenBy } from '../../domain/access/api-token.ts';
import {
  type ApprovalRule,
  type ApprovalVote,
  approvalRule,
  countingVotes,
  isUsualRule,
  type RawApprovalRule,
  ruleText,
  strictestRule,
  USUAL_RULE,
  type Voter,
  type VoteTerms,
  voteFault,
  votersOn,
} from '../../domain/access/approval-rule.ts';
import { type InputProblem, InvalidInput } from '../../domain/base/errors.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import type { Approval } from '../../domain/jobs/approval.ts';
import { UseCase } from '../base/use-case.ts';

const SETTING = 'approvals.rule';

/** How a request stands. */
export interface ApprovalStanding {
  readonly rule: ApprovalRule;
  /** Approvals of the plan that is shown, which count now. */
  readonly votes: readonly ApprovalVote[];
  /** Those of another plan, or by users who may no longer approve it. */
  readonly voidVotes: readonly ApprovalVote[];
  readonly missing: number;
  /** Why the caller cannot approve it; null: they can. */
  readonly fault: 'role' | 'second person' | 'already approved' | 'command line' | null;
}

/** Who has to approve requests: administrators decide it for all, and for the requests of a token. */
export class ApprovalRules extends UseCase<
  'clock' | 'settings.get' | 'settings.set' | 'tokens.find' | 'users.find'
> {
  /** The rule for all requests. Throws `role_missing`. */
  async get(actor: Actor): Promise<ApprovalRule> {
    actor.requireRole('viewer');
    return this.#forAll();
  }

  /** Applies to requests that already wait, too. Throws `role_missing`, `invalid_input`. */
  async set(actor: Actor, raw: RawApprovalRule): Promise<ApprovalRule> {
    actor.requireRole('administrator');
    const problems: InputProblem[] = [];
    const rule = approvalRule(raw, problems);
    if (problems.length > 0) throw new InvalidInput(problems);
    const at = this.deps.clock.now();
    const detail = { before: ruleText(await this.#forAll()), after: ruleText(rule) };
    const audit = [auditEntry(actor, at, 'approval.set_rule', 'approvals', detail)];
    await this.deps.settings.set(SETTING, JSON.stringify(rule), { audit });
    return rule;
  }

  /** Whether any operator may approve alone, unless a token asks for more. */
  async isUsual(): Promise<boolean> {
    return isUsualRule(await this.#forAll());
  }

  /** The rule for a request, and whose approval it does not count if it needs a second person. */
  async of({ requester, planners }: Approval): Promise<Omit<VoteTerms, 'planId'>> {
    const { kind, id } = requester;
    const forAll = await this.#forAll();
    const asker = labelOf(requester);
    const token = kind === 'token' && id !== null ? await this.deps.tokens.find(id) : null;
    return {
      rule: strictestRule(forAll, token?.approvalRule ?? USUAL_RULE),
      barred: [asker, ...planners, ...(token === null ? [] : secretSeenBy(token))],
    };
  }

  /** How it stands for this reviewer, who sees this plan. */
  async standing(actor: Actor, approval: Approval, planId: number | null): Promise<ApprovalStanding> {
    const terms = { ...(await this.of(approval)), planId };
    const { rule } = terms;
    const { votes: all } = approval;
    if (approval.state !== 'waiting') return { rule, votes: all, voidVotes: [], missing: 0, fault: null };
    const voters = await this.#voters(approval, all);
    const votes = countingVotes(all, terms, voters);
    const missing = Math.max(0, rule.approvers - votes.length);
    const voidVotes = all.filter((vote) => !votes.includes(vote));
    return {
      rule,
      votes,
      voidVotes,
      missing,
      fault: await this.#faultOf(actor, approval, { ...terms, votes, missing }),
    };
  }

  async #faultOf(
    { kind, id, label }: Actor,
    approval: Approval,
    terms: VoteTerms & Pick<ApprovalStanding, 'votes' | 'missing'>,
  ): Promise<ApprovalStanding['fault']> {
    if (kind !== 'user' || id === null) return 'command line';
    if (terms.missing > 0 && terms.votes.some(({ userId }) => userId === id)) return 'already approved';
    return voteFault({ userId: id, label }, terms, await this.#voters(approval, [{ userId: id }]));
  }

  async #voters(
    { serverId }: Approval,
    votes: readonly Pick<ApprovalVote, 'userId'>[],
  ): Promise<readonly Voter[]> {
    const found = await Promise.all(votes.map(({ userId }) => this.deps.users.find(userId)));
    return votersOn(
      serverId,
      found.filter((user) => user !== null),
    );
  }

  /** A rule that this version cannot read is an error: it approves nothing by a weaker one. */
  async #forAll(): Promise<ApprovalRule> {
    const kept = await this.deps.settings.get(SETTING);
    if (kept === null) return USUAL_RULE;
    const problems: InputProblem[] = [];
    const rule = approvalRule(JSON.parse(kept) as RawApprovalRule, problems);
    if (problems.length > 0) throw new InvalidInput(problems);
    return rule;
  }
}
