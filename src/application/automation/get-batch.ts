import type { Actor } from '../../domain/access/actor.ts';
import {
  type Batch,
  type BatchMember,
  type BatchStatus,
  batchNotFound,
  type MemberStatus,
} from '../../domain/automation/batch.ts';
import { type OrderWait, orderWaits } from '../../domain/automation/order-step.ts';
import type { Page, PageRequest } from '../../domain/base/page.ts';
import { UseCase } from '../base/use-case.ts';
import { visibleIds } from '../fleet/list-servers.ts';
import type { BatchFilter, BatchStore } from '../ports/automation/batch-store.ts';
import type { OrderedBatches } from './ordered-batches.ts';

export interface MemberQuery extends PageRequest {
  readonly memberStatus?: MemberStatus | undefined;
}

export class GetBatch extends UseCase<
  'batches',
  { readonly orderedBatches: Pick<OrderedBatches, 'stateOf'> }
> {
  /** The batch that started a job, if the caller may see it. */
  async ofJob(actor: Actor, jobId: number): Promise<Batch | null> {
    actor.require('read');
    const batch = await this.deps.batches.ofJob(jobId);
    return batch !== null && maySee(actor, batch) ? batch : null;
  }

  /** What a running batch waits for by the order of its policies. */
  async waits(batch: Batch): Promise<readonly OrderWait[]> {
    const { status, orders, cancelRequestedAt } = batch;
    if (status !== 'running' || orders.length === 0 || cancelRequestedAt !== null) return [];
    return orderWaits(await this.deps.orderedBatches.stateOf(batch));
  }

  /** With a page of its hosts, those that the caller may see. Throws `batch_not_found`. */
  async execute(
    actor: Actor,
    id: number,
    query: MemberQuery,
  ): Promise<{ readonly batch: Batch; readonly members: Page<BatchMember> }> {
    actor.require('read');
    const batch = await visibleBatch(this.deps.batches, actor, id);
    const { memberStatus, limit, offset } = query;
    const filter = {
      serverIds: visibleIds(actor),
      ...(memberStatus === undefined ? {} : { status: memberStatus }),
    };
    return { batch, members: await this.deps.batches.members(id, filter, { limit, offset }) };
  }
}

export interface BatchQuery extends PageRequest {
  readonly status?: BatchStatus | undefined;
  readonly scheduleId?: number | undefined;
}

/** Batches that the caller may see, newest first. */
export class ListBatches extends UseCase<'batches'> {
  async execute(actor: Actor, { status, scheduleId, limit, offset }: BatchQuery): Promise<Page<Batch>> {
    actor.require('read');
    const filter: BatchFilter = {
      ...(status === undefined ? {} : { status }),
      ...(scheduleId === undefined ? {} : { scheduleId }),
      ...visibleTo(actor),
    };
    return this.deps.batches.list(filter, { limit, offset });
  }

  /** Of all that the caller may see. */
  async counts(actor: Actor): Promise<Readonly<Record<BatchStatus, number>>> {
    actor.require('read');
    return this.deps.batches.countByStatus(visibleTo(actor));
  }
}

const visibleTo = (actor: Actor): BatchFilter =>
  actor.serverIds === null ? {} : { requester: { kind: actor.kind, id: actor.id } };

/**
 * A caller that is limited to servers sees its own batches, since others may include more servers. Throws
 * `batch_not_found`.
 */
export async function visibleBatch(batches: BatchStore, actor: Actor, id: number): Promise<Batch> {
  const batch = await batches.find(id);
  if (!batch || !maySee(actor, batch)) throw batchNotFound(id);
  return batch;
}

const maySee = (actor: Actor, { requester: { kind, id } }: Batch): boolean =>
  actor.serverIds === null || (kind === actor.kind && id === actor.id);
