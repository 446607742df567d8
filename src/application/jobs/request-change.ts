import type { Actor } from '../../domain/access/actor.ts';
import type { KeepReply } from '../../domain/base/kept-reply.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import type { DomainEvent } from '../../domain/events/event.ts';
import { type Approval, approvalTerms, approvalTitle } from '../../domain/jobs/approval.ts';
import { type Change, changeKey } from '../../domain/jobs/requested-change.ts';
import { UseCase } from '../base/use-case.ts';
import type { RefusalAuditor } from '../events/audit-refusals.ts';
import { type ChangeContents, changePlace } from './change-contents.ts';
import type { ChangeHandlers } from './change-handlers.ts';

/** Requests a change for callers that need approval. */
export class RequestChange extends UseCase<
  'approvals' | 'approvalMs' | 'box' | 'digest' | 'clock',
  { readonly changes: ChangeHandlers; readonly refusals: RefusalAuditor }
> {
  /**
   * Null for callers that need no approval, and for a change that would change nothing: they make it themselves. An
   * identical request that waits is returned again. Throws what the change itself would, and `too_many_approvals`.
   */
  async execute(actor: Actor, change: Change, keep?: KeepReply<Approval>): Promise<Approval | null> {
    const { clock, approvalMs, changes, digest, box, approvals } = this.deps;
    const at = clock.now();
    const terms = approvalTerms(actor, at, approvalMs);
    if (terms === null) return null;
    const about = { actor, action: 'approval.request', object: 'approvals', detail: { kind: change.kind } };
    return this.deps.refusals.watch(about, async () => {
      const preview = await changes.preview(actor, change);
      if (preview === null) return null;
      const { serverId, subject, summary, state } = preview;
      const contents: ChangeContents = { change, preview };
      return approvals.request(
        {
          serverId,
          subject,
          createdAt: at,
          change: { kind: change.kind, summary, basis: digest.sha256(state) },
          key: changeKey(change, terms.requester),
        },
        terms,
        (id) => box.seal(JSON.stringify(contents), changePlace(id)),
        (written) => ({
          audit: [
            auditEntry(actor, at, 'approval.request', `approval:${written.id}`, {
              kind: change.kind,
              ...(serverId === null ? {} : { serverId }),
              summary,
            }),
          ],
          events: [approvalRequested(actor, written)],
          reply: keep?.(written),
        }),
      );
    });
  }
}

const approvalRequested = (actor: Actor, approval: Approval): DomainEvent => ({
  type: 'approval.requested',
  at: approval.createdAt,
  severity: 'warning',
  title: `${approvalTitle(approval)} on ${approval.subject} waits for approval`,
  message: `${actor.label} requests “${approvalTitle(approval)}” on ${approval.subject}: ${approval.change?.summary ?? ''}`,
  serverId: approval.serverId,
  jobId: null,
});
