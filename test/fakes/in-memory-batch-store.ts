import type {
  BatchFilter,
  BatchStore,
  MemberEnd,
  MemberFilter,
  MemberSkip,
  RunningBatch,
} from '../../src/application/ports/automation/batch-store.ts';
import type { ChangeRecord } from '../../src/application/ports/events/change-record.ts';
import type { ApprovalTerms } from '../../src/domain/access/requester.ts';
import {
  type Batch,
  type BatchEnd,
  type BatchMember,
  batchNotCancellable,
  batchNotFound,
  MAX_PARALLEL,
  type MemberCounts,
  type NewBatch,
  type NewBatchMember,
  NO_MEMBERS,
} from '../../src/domain/automation/batch.ts';
import type { Instant } from '../../src/domain/base/instant.ts';
import type { Page, PageRequest } from '../../src/domain/base/page.ts';
import { isTerminal } from '../../src/domain/jobs/job.ts';
import type { ScheduleRunOrigin } from '../../src/domain/jobs/job-origin.ts';
import { checkRequest, withdrawRequest, writeRequest } from './in-memory-approval-store.ts';
import { batchAt, originTeller, stepped } from './in-memory-origins.ts';
import { InMemoryWorld } from './in-memory-world.ts';
import { pageOf } from './page-of.ts';

export class InMemoryBatchStore implements BatchStore {
  readonly #world: InMemoryWorld;

  constructor(world = new InMemoryWorld()) {
    this.#world = world;
  }

  async create(
    { approval, ...asked }: NewBatch & { readonly approval?: ApprovalTerms },
    members: readonly NewBatchMember[],
    record: (batch: Batch) => ChangeRecord,
    origin?: ScheduleRunOrigin,
  ): Promise<Batch> {
    const tell = origin && originTeller(this.#world, origin);
    const skipped = members.filter(({ code }) => code !== null).length;
    if (approval) checkRequest(this.#world, approval);
    const batch: Batch = {
      ...asked,
      id: this.#world.nextId('batches'),
      status: approval ? 'awaiting_approval' : 'running',
      approvedBy: null,
      version: 0,
      counts: { ...NO_MEMBERS, waiting: members.length - skipped, skipped },
      finishedAt: null,
      cancelRequestedAt: null,
      stopReason: null,
    };
    this.#world.record.write(record(batch));
    this.#world.batchMembers.set(
      batch.id,
      members.map((member) => ({
        ...member,
        status: member.code === null ? 'waiting' : 'skipped',
        jobId: null,
      })),
    );
    this.#world.batches.set(batch.id, batch);
    tell?.({ batchId: batch.id });
    if (approval) {
      const { jobType, createdAt } = batch;
      const subject = members.length === 1 ? '1 host' : `${members.length} hosts`;
      const of = { jobId: null, batchId: batch.id, serverId: null, jobType, subject, createdAt };
      writeRequest(this.#world, approval, of);
    }
    return batch;
  }

  async find(id: number): Promise<Batch | null> {
    return this.#world.batches.get(id) ?? null;
  }

  async list({ status, scheduleId, requester }: BatchFilter, page: PageRequest): Promise<Page<Batch>> {
    const matching = [...this.#world.batches.values()].filter(
      (batch) =>
        (status === undefined || batch.status === status) &&
        (scheduleId === undefined || batch.scheduleId === scheduleId) &&
        (requester === undefined ||
          (batch.requester.kind === requester.kind && batch.requester.id === requester.id)),
    );
    return pageOf(matching.toReversed(), page);
  }

  async members(id: number, filter: MemberFilter, page: PageRequest): Promise<Page<BatchMember>> {
    const { status, serverIds } = filter;
    const matching = this.#members(id).filter(
      (member) =>
        (status === undefined || member.status === status) && (serverIds?.includes(member.serverId) ?? true),
    );
    const { total, items, ...rest } = pageOf(matching, page);
    return { ...rest, total, items: items.map((member) => this.#withFailure(member)) };
  }

  #withFailure(member: BatchMember): BatchMember {
    const job =
      member.status === 'failed' && member.jobId !== null ? this.#world.jobs.get(member.jobId) : undefined;
    return { ...member, ...job?.error };
  }

  async running(after: number, limit: number): Promise<readonly RunningBatch[]> {
    const running = [...this.#world.batches.values()].filter(
      ({ id, status }) => status === 'running' && id > after,
    );
    return running.slice(0, limit).map((batch) => ({ batch, ended: this.#ended(batch.id) }));
  }

  async waiting(id: number, limit: number): Promise<readonly BatchMember[]> {
    return this.#members(id)
      .filter(({ status }) => status === 'waiting')
      .slice(0, limit);
  }

  async jobsToCancel(id: number): Promise<readonly number[]> {
    return this.#members(id)
      .flatMap(({ status, jobId }) => (status === 'active' && jobId !== null ? [jobId] : []))
      .filter((jobId) => {
        const job = this.#world.jobs.get(jobId);
        return job && !isTerminal(job.status) && job.cancelRequestedAt === null;
      })
      .slice(0, MAX_PARALLEL);
  }

  async settle(batch: Batch, ended: readonly MemberEnd[]): Promise<Batch> {
    const ends = new Map(ended.map(({ serverId, status }) => [serverId, status]));
    return this.#step(batch, (member) => {
      const status = ends.get(member.serverId);
      return member.status === 'active' && status ? { ...member, status } : member;
    });
  }

  async skip(batch: Batch, skipped: readonly MemberSkip[]): Promise<Batch> {
    return this.#step(batch, (member) => {
      const skip = skipped.find(({ serverId }) => serverId === member.serverId);
      return member.status === 'waiting' && skip ? { ...member, ...skip, status: 'skipped' } : member;
    });
  }

  async stop(batch: Batch, reason: string): Promise<Batch> {
    return this.#step(batch, leftOut, { stopReason: reason });
  }

  async finish(
    batch: Batch,
    status: BatchEnd,
    at: Instant,
    record: (batch: Batch) => ChangeRecord,
  ): Promise<Batch> {
    const after: Batch = {
      ...stepped(batchAt(this.#world, batch.id, batch.version), {}),
      status,
      finishedAt: at,
    };
    const left = record(after);
    this.#world.batches.set(batch.id, after);
    this.#world.record.write(left);
    return after;
  }

  async requestCancel(id: number, at: Instant, record: (batch: Batch) => ChangeRecord): Promise<Batch> {
    const batch = this.#world.batches.get(id);
    if (!batch) throw batchNotFound(id);
    if (batch.status === 'awaiting_approval' && batch.cancelRequestedAt === null) {
      const over: Batch = { ...batch, status: 'cancelled', cancelRequestedAt: at, finishedAt: at };
      const { waiting, skipped } = batch.counts;
      const counts = { ...NO_MEMBERS, left_out: waiting, skipped };
      const ended = { ...over, counts, version: batch.version + 1 };
      this.#world.record.write(record(ended));
      this.#world.batchMembers.set(id, this.#members(id).map(leftOut));
      this.#world.batches.set(id, ended);
      withdrawRequest(this.#world, { batchId: id }, at);
      return ended;
    }
    if (batch.status !== 'running' || batch.cancelRequestedAt !== null) throw batchNotCancellable(batch);
    const after = this.#step(batch, leftOut, { cancelRequestedAt: at });
    this.#world.record.write(record(after));
    return after;
  }

  #members(id: number): readonly BatchMember[] {
    return this.#world.batchMembers.get(id) ?? [];
  }

  #ended(id: number): readonly MemberEnd[] {
    return this.#members(id).flatMap(({ status, jobId, serverId }) => {
      const job = status === 'active' && jobId !== null ? this.#world.jobs.get(jobId) : undefined;
      return job && isTerminal(job.status) ? [{ serverId, status: job.status }] : [];
    });
  }

  #step(batch: Batch, change: (member: BatchMember) => BatchMember, over: Partial<Batch> = {}): Batch {
    const now = batchAt(this.#world, batch.id, batch.version);
    const members = this.#members(batch.id).map(change);
    const counts: Record<keyof MemberCounts, number> = { ...NO_MEMBERS };
    for (const { status } of members) counts[status] += 1;
    const after = { ...stepped(now, {}), ...over, counts };
    this.#world.batchMembers.set(batch.id, members);
    this.#world.batches.set(batch.id, after);
    return after;
  }
}

const leftOut = (member: BatchMember): BatchMember =>
  member.status === 'waiting' ? { ...member, status: 'left_out' } : member;
