import type { Knex } from 'knex';
import type {
  HistoryStore,
  OldJobRule,
  OldJobs,
} from '../../../../../application/ports/service/history-store.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { TERMINAL_STATUSES } from '../../../../../domain/jobs/job.ts';
import { SqlStore } from '../database.ts';

interface JobRow {
  readonly id: number;
  readonly status: string;
  readonly created_at: number;
  readonly finished_at: number | null;
}

export class SqlHistoryStore extends SqlStore implements HistoryStore {
  async oldJobs({ jobsBefore, logsBefore }: OldJobRule, after: number, limit: number): Promise<OldJobs> {
    const { knex } = this.database;
    // Ids are given in the order of time, so that none of a batch that is known can be older than the first of them.
    const batch = await knex('batches').orderBy('id').first<{ created_at: number } | undefined>('created_at');
    const goneBefore = Math.min(
      jobsBefore ?? Number.NEGATIVE_INFINITY,
      batch?.created_at ?? Number.POSITIVE_INFINITY,
    );
    const youngest = Math.max(goneBefore, logsBefore ?? Number.NEGATIVE_INFINITY);
    const rows: JobRow[] = await knex('jobs')
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .select('id', 'status', 'created_at', 'finished_at');
    const endedBefore = (at: Instant): number[] =>
      rows
        .filter(({ status, finished_at }) => isOver(status) && finished_at !== null && finished_at < at)
        .map(({ id }) => id);
    const jobs = await this.#notTheLatest(endedBefore(goneBefore));
    const logs = await this.#withLog([
      ...new Set([...jobs, ...endedBefore(logsBefore ?? Number.NEGATIVE_INFINITY)]),
    ]);
    const last = rows.at(-1);
    const more = rows.length === limit && last !== undefined && last.created_at < youngest;
    return { jobs, logs, next: more ? last.id : null };
  }

  async forgetLog(jobId: number, limit: number): Promise<boolean> {
    const { knex } = this.database;
    const rest = await chunksOf(knex, jobId)
      .orderBy('position')
      .offset(limit)
      .first<{ position: number } | undefined>('position');
    // First of all: a concurrent reader finds no log instead of half of one.
    const nothing = { log_bytes: 0, log_head_end: 0, log_tail_start: 0 };
    await this.database.write((k) =>
      k('jobs')
        .where({ id: jobId })
        .where('log_bytes', '>', 0)
        .whereIn('status', TERMINAL_STATUSES)
        .update(nothing),
    );
    await this.database.write((k) => {
      const query = chunksOf(k, jobId);
      return (rest ? query.where('position', '<', rest.position) : query).delete();
    });
    return rest !== undefined;
  }

  forgetJobs(ids: readonly number[]): Promise<number> {
    return this.database.write((knex) =>
      knex('jobs').whereIn('id', ids).whereIn('status', TERMINAL_STATUSES).delete(),
    );
  }

  async oldBatches(
    before: Instant,
    after: number,
    limit: number,
  ): Promise<{ batches: readonly number[]; next: number | null }> {
    const rows: { id: number; created_at: number; finished_at: number | null }[] = await this.database
      .knex('batches')
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .select('id', 'created_at', 'finished_at');
    const batches = rows
      .filter(({ finished_at }) => finished_at !== null && finished_at < before)
      .map(({ id }) => id);
    const last = rows.at(-1);
    const more = rows.length === limit && last !== undefined && last.created_at < before;
    return { batches, next: more ? last.id : null };
  }

  async forgetBatch(id: number, limit: number): Promise<boolean> {
    const { knex } = this.database;
    const rest = await knex('batch_members')
      .where({ batch_id: id })
      .orderBy('position', 'desc')
      .offset(limit)
      .first<{ position: number } | undefined>('position');
    await this.database.write((k) =>
      rest
        ? k('batch_members').where({ batch_id: id }).where('position', '>', rest.position).delete()
        : k('batches').where({ id }).delete(),
    );
    return rest !== undefined;
  }

  /** Requests for jobs and batches are deleted with these. */
  async forgetChanges(before: Instant, limit: number): Promise<boolean> {
    const rows: { id: number }[] = await this.database
      .knex('approvals')
      .whereNotNull('change_kind')
      .where('decided_at', '<', before)
      .orderBy('id')
      .limit(limit)
      .select('id');
    const ids = rows.map(({ id }) => id);
    if (ids.length > 0) await this.database.write((knex) => knex('approvals').whereIn('id', ids).delete());
    return ids.length === limit;
  }

  /** Those after which their server had another job in the same lane. */
  async #notTheLatest(ids: readonly number[]): Promise<readonly number[]> {
    if (ids.length === 0) return [];
    const { knex } = this.database;
    const rows: { id: number }[] = await knex('jobs as j')
      .whereIn('j.id', ids)
      .whereExists(
        knex('jobs as later')
          .whereRaw('later.server_id = j.server_id and later.id > j.id and later.lane = j.lane')
          .select(knex.raw('1')),
      )
      .select('j.id');
    return rows.map(({ id }) => id);
  }

  async #withLog(ids: readonly number[]): Promise<readonly number[]> {
    if (ids.length === 0) return [];
    const rows: { job_id: number }[] = await this.database
      .knex('job_log_chunks')
      .whereIn('job_id', ids)
      .distinct('job_id');
    return rows.map(({ job_id }) => job_id);
  }
}

const isOver = (status: string): boolean => (TERMINAL_STATUSES as readonly string[]).includes(status);

const chunksOf = (knex: Knex, jobId: number): Knex.QueryBuilder =>
  knex('job_log_chunks').where({ job_id: jobId });
