import type { Actor } from '../../domain/access/actor.ts';
import type { Batch } from '../../domain/automation/batch.ts';
import { isBy, requireOwn } from '../../domain/automation/schedule-owner.ts';
import type { KeepReply } from '../../domain/base/kept-reply.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import { featureOf } from '../../domain/jobs/job-types.ts';
import { UseCase } from '../base/use-case.ts';
import type { RefusalAuditor } from '../events/audit-refusals.ts';
import { visibleBatch } from './get-batch.ts';

/** Starts no more hosts of a batch, and asks its jobs to stop safely. */
export class CancelBatch extends UseCase<'batches' | 'clock', { readonly refusals: RefusalAuditor }> {
  /**
   * The service that advances batches asks the jobs. Throws `batch_not_found`, `approval_required` or `not_owner` for a
   * batch that a token did not start, `batch_not_cancellable`.
   */
  execute(actor: Actor, id: number, keep?: KeepReply<Batch>): Promise<Batch> {
    return this.deps.refusals.watch({ actor, action: 'batch.cancel', object: `batch:${id}` }, async () => {
      actor.require('jobs', 'any server');
      const batch = await visibleBatch(this.deps.batches, actor, id);
      if (!isBy(actor, batch.requester)) actor.require('jobs');
      actor.requireFeature(featureOf(batch.jobType));
      requireOwn(actor, batch.requester, `batch ${id}`);
      const now = this.deps.clock.now();
      return this.deps.batches.requestCancel(id, now, (cancelled) => ({
        audit: [auditEntry(actor, now, 'batch.cancel', `batch:${id}`, { counts: cancelled.counts })],
        reply: keep?.(cancelled),
      }));
    });
  }
}
