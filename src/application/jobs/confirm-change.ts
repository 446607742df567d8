import type { Actor } from '../../domain/access/actor.ts';
import { isDomainError } from '../../domain/base/errors.ts';
import { type Instant, SECOND } from '../../domain/base/instant.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import {
  CONFIRMATION_MS,
  confirmationDeclined,
  confirmationExpired,
  confirmationInvalid,
  confirmationText,
  confirmationUsed,
} from '../../domain/jobs/confirmation.ts';
import { isShownFirst, jobTitle } from '../../domain/jobs/job-types.ts';
import {
  type ChangePreview,
  changeDrifted,
  changeTitle,
  type ServerChange,
} from '../../domain/jobs/requested-change.ts';
import { UseCase } from '../base/use-case.ts';
import type { RefusalAuditor } from '../events/audit-refusals.ts';
import type { SecretPlace } from '../ports/base/secret-box.ts';
import type { ApprovalRules } from './approval-rules.ts';
import type { ChangeHandlers } from './change-handlers.ts';
import type { JobRequest, TriggerJob } from './trigger-job.ts';

/** Something that changes a server. */
export type Proposal = { readonly change: ServerChange } | { readonly job: JobRequest };

/** A call of an agent. */
export interface ProposedCall {
  /** All that the call says, the same text for the same call. */
  readonly content: string;
  readonly proposal: Proposal;
}

/** What the agent's client asks its user. */
export interface Question {
  readonly text: string;
  /** Comes back with the answer. Encrypted, and valid for this call of this token only. */
  readonly state: string;
}

/** What a question was about. */
interface Asked {
  /** Makes the answer valid once. */
  readonly nonce: string;
  readonly call: string;
  /** Digest of the plan that the user saw. */
  readonly plan: string;
  readonly until: Instant;
}

interface Deps {
  readonly changes: ChangeHandlers;
  readonly triggerJob: TriggerJob;
  readonly approvalRules: Pick<ApprovalRules, 'isUsual'>;
  readonly refusals: RefusalAuditor;
}

/** Longer than an answer is valid, so that none is used twice. */
const USED_MS = 2 * CONFIRMATION_MS;
const CLAIM_MS = 30 * SECOND;
/** Ours are shorter. */
const MAX_STATE = 4_096;

/**
 * Lets the user of an agent confirm a change in the agent's client. For tokens that need approval, that is the approval if the
 * token grants it; all else waits for a reviewer. For tokens that act at once, it protects users from their agent.
 */
export class ConfirmChange extends UseCase<
  'requests' | 'box' | 'digest' | 'randomness' | 'clock' | 'audit',
  Deps
> {
  /** Whether the user of an agent has a say in this. It never depends on what the client can do. */
  async concerns(actor: Actor, proposal: Proposal): Promise<boolean> {
    // A client does not know who answers: a second person, and a role, are for reviewers.
    if (actor.requireApproval) return actor.approvalInClient && (await this.deps.approvalRules.isUsual());
    if ('change' in proposal) return true;
    const { jobType, dryRun = false } = proposal.job;
    return isShownFirst(jobType, { dryRun });
  }

  /** Null for a change that would change nothing. Throws what the change itself would, and `plan_not_found` for a job that needs a plan. */
  async ask(actor: Actor, call: ProposedCall): Promise<Question | null> {
    const { box, clock, digest, randomness } = this.deps;
    const preview = await this.#preview(actor, call.proposal);
    if (preview === null) return null;
    const until = clock.now() + CONFIRMATION_MS;
    const asked: Asked = {
      nonce: randomness.uuid(),
      call: digest.sha256(call.content),
      plan: this.#planOf(preview),
      until,
    };
    return {
      text: confirmationText(titleOf(call.proposal), preview, until),
      state: box.seal(JSON.stringify(asked), placeOf(actor)),
    };
  }

  /**
   * Uses up the answer that came with a state. Returns the preview, which is the one that the user saw. Throws
   * `confirmation_declined`, `confirmation_invalid`, `confirmation_expired`, `confirmation_used`, `plan_drifted` and
   * what the change itself would: nothing may be done then.
   */
  answer(
    actor: Actor,
    call: ProposedCall,
    { state, accepted }: { readonly state: string; readonly accepted: boolean },
  ): Promise<ChangePreview> {
    const object = `server:${serverOf(call.proposal)}`;
    const detail = { change: titleOf(call.proposal) };
    return this.deps.refusals.watch({ actor, action: 'change.confirm', object, detail }, async () => {
      const asked = this.#open(actor, call, state);
      await this.#use(actor, asked);
      if (!accepted) throw confirmationDeclined();
      const preview = await this.#preview(actor, call.proposal);
      if (preview === null || this.#planOf(preview) !== asked.plan) throw changeDrifted();
      const { summary } = preview;
      const at = this.deps.clock.now();
      await this.deps.audit.record(auditEntry(actor, at, 'change.confirm', object, { ...detail, summary }));
      return preview;
    });
  }

  #preview(actor: Actor, proposal: Proposal): Promise<ChangePreview | null> {
    if ('change' in proposal) return this.deps.changes.preview(actor, proposal.change);
    return this.deps.triggerJob.preview(actor, proposal.job);
  }

  #planOf({ summary, state, diff }: ChangePreview): string {
    return this.deps.digest.sha256(JSON.stringify([summary, state, diff]));
  }

  #open(actor: Actor, call: ProposedCall, state: string): Asked {
    const asked = state.length > MAX_STATE ? null : this.#unseal(actor, state);
    if (asked === null || asked.call !== this.deps.digest.sha256(call.content)) throw confirmationInvalid();
    const left = asked.until - this.deps.clock.now();
    // A question of a clock that was ahead does not stay open until that time comes.
    if (left <= 0 || left > USED_MS) throw confirmationExpired();
    return asked;
  }

  #unseal(actor: Actor, state: string): Asked | null {
    try {
      return JSON.parse(this.deps.box.open(state, placeOf(actor))) as Asked;
    } catch (error) {
      if (isDomainError(error, 'secret_unreadable')) return null;
      throw error;
    }
  }

  /** Before anything is done: an answer counts once, whatever comes of it, in all replicas. */
  async #use(actor: Actor, { nonce, call }: Asked): Promise<void> {
    const { requests, digest, randomness } = this.deps;
    const id = digest.sha256(JSON.stringify(['confirmation', actor.kind, actor.id, nonce]));
    const owner = randomness.uuid();
    const attempt = await requests.begin({ id, hash: call }, owner, CLAIM_MS, USED_MS);
    if (attempt.kind !== 'begun') throw confirmationUsed();
    const isOurs = await requests.answer({ id, owner, reply: { status: 200, body: '{}' } });
    if (!isOurs) throw confirmationUsed();
  }
}

/** Encryption binds the state to the token. */
const placeOf = ({ kind, id }: Actor): SecretPlace => ({
  table: 'confirmations',
  column: 'state',
  row: `${kind}:${id}`,
});

const titleOf = (proposal: Proposal): string =>
  'change' in proposal ? changeTitle(proposal.change.kind) : jobTitle(proposal.job.jobType);

const serverOf = (proposal: Proposal): number =>
  'change' in proposal ? proposal.change.serverId : proposal.job.serverId;
