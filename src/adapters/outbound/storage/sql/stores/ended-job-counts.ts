import type { Knex } from 'knex';
import { HOUR, type Instant } from '../../../../../domain/base/instant.ts';
import {
  TERMINAL_STATUSES,
  type TerminalStatus,
  UNFINISHED_STATUSES,
} from '../../../../../domain/jobs/job.ts';

/** How many ids make a block. */
const BLOCK = 10_000;
/** No insert takes this long: when a job is this old, all that will ever come before it is there. */
const SETTLED_MS = HOUR;

export type EndedCounts = Readonly<Record<TerminalStatus, number>>;

/**
 * How many jobs ended with which status, at a cost that does not grow with their number: an ended job never changes,
 * so a block of ids whose jobs have all ended is counted once and remembered. Later jobs, and blocks with an active
 * job, are counted at each reading. Deleted rows are noticed too: one remembered block is recounted at each reading,
 * in turn.
 */
export class EndedJobCounts {
  readonly #knex: Knex;
  /** By the first id of the block; in the order in which they were counted. */
  readonly #sealed = new Map<number, EndedCounts>();

  constructor(knex: Knex) {
    this.#knex = knex;
  }

  async read(now: Instant): Promise<EndedCounts> {
    this.#forgetOne();
    // Before counting: a job that ends in between only keeps its block from being remembered this time.
    const unfinished = await this.#unfinishedBlocks();
    const counted = await this.#countOthers();
    const total = sum([...this.#sealed.values(), ...counted.values()]);
    await this.#remember(counted, unfinished, now);
    return total;
  }

  /** The one with the oldest count: recounted, it goes to the end. */
  #forgetOne(): void {
    const block = this.#sealed.keys().next().value;
    if (block !== undefined) this.#sealed.delete(block);
  }

  async #unfinishedBlocks(): Promise<ReadonlySet<number>> {
    const rows = await this.#knex('jobs')
      // Not by negation: no index supports that.
      .whereIn('status', UNFINISHED_STATUSES)
      .distinct<{ block: number }[]>(this.#knex.raw('id - id % ? AS block', [BLOCK]));
    return new Set(rows.map(({ block }) => block));
  }

  /** Every block that is not remembered. */
  async #countOthers(): Promise<ReadonlyMap<number, EndedCounts>> {
    const counted = new Map<number, EndedCounts>();
    let from = 0;
    for (;;) {
      while (this.#sealed.has(from)) from += BLOCK;
      const next = await this.#firstJob(from);
      if (!next) return counted;
      from = next.id - (next.id % BLOCK);
      if (this.#sealed.has(from)) continue;
      counted.set(from, await this.#count(from));
      from += BLOCK;
    }
  }

  async #remember(
    counted: ReadonlyMap<number, EndedCounts>,
    unfinished: ReadonlySet<number>,
    now: Instant,
  ): Promise<void> {
    let settled = false;
    for (const [block, counts] of [...counted].toReversed()) {
      if (unfinished.has(block)) continue;
      const later: FirstJob = settled ? null : await this.#firstJob(block + BLOCK);
      // Every block before a settled one is settled too.
      settled ||= later !== null && later.created_at < now - SETTLED_MS;
      if (settled) this.#sealed.set(block, counts);
    }
  }

  async #firstJob(from: number): Promise<FirstJob> {
    const row = await this.#knex('jobs')
      .where('id', '>=', from)
      .orderBy('id')
      .first<{ id: number; created_at: number } | undefined>(['id', 'created_at']);
    return row ?? null;
  }

  async #count(block: number): Promise<EndedCounts> {
    const rows = await this.#knex('jobs')
      .whereIn('status', TERMINAL_STATUSES)
      .where('id', '>=', block)
      .where('id', '<', block + BLOCK)
      .groupBy('status')
      .select<{ status: TerminalStatus; jobs: number }[]>('status', this.#knex.raw('COUNT(*) AS jobs'));
    return { ...NONE, ...Object.fromEntries(rows.map(({ status, jobs }) => [status, jobs])) };
  }
}

type FirstJob = { readonly id: number; readonly created_at: number } | null;

const NONE: EndedCounts = { success: 0, failed: 0, cancelled: 0 };

const sum = (all: readonly EndedCounts[]): EndedCounts =>
  all.reduce(
    (total, each) => ({
      success: total.success + each.success,
      failed: total.failed + each.failed,
      cancelled: total.cancelled + each.cancelled,
    }),
    NONE,
  );
