import type { Knex } from 'knex';
import type { ChangeRecord } from '../../../../../application/ports/events/change-record.ts';
import type {
  Beside,
  EndedJobs,
  JobFilter,
  JobStore,
  LogPart,
} from '../../../../../application/ports/jobs/job-store.ts';
import { serverNotFound } from '../../../../../domain/access/actor.ts';
import { DAY, type Instant, SECOND } from '../../../../../domain/base/instant.ts';
import type { JobOrder } from '../../../../../domain/base/list-orders.ts';
import type { Page, PageRequest } from '../../../../../domain/base/page.ts';
import {
  ACTIVE_STATUSES,
  isActive,
  isCancellable,
  JOB_STATUSES,
  type Job,
  JobAlreadyActive,
  type JobStatus,
  jobNotCancellable,
  jobNotFound,
  type NewJob,
  planUsed,
} from '../../../../../domain/jobs/job.ts';
import type { JobOrigin } from '../../../../../domain/jobs/job-origin.ts';
import { CANCELLED_WAITING } from '../../../../../domain/jobs/job-text.ts';
import { type JobType, lanesCollide } from '../../../../../domain/jobs/job-types.ts';
import { SqlStore } from '../database.ts';
import { orderedBy, pageOf } from '../page.ts';
import { isUniqueViolation } from '../sql-errors.ts';
import {
  DRY_RUN_PARAMS,
  JOB_LIST_COLUMNS,
  type ListedJobRow,
  newJob,
  newJobColumns,
  RESULT_COLUMNS,
  type ResultRow,
  toListedJob,
  toResult,
} from '../tables/job-row.ts';
import { requestForJob, withdraw } from './approval-writes.ts';
import { activeJobs, laneKey, lockLanes } from './job-lanes.ts';
import { readJobLog, tailJobLog } from './job-log-reader.ts';
import { changedJob, readJob } from './job-reads.ts';
import { tellOrigin } from './origins.ts';
import { recordChange } from './record-change.ts';

/** Ties are sorted by the request, in the same direction: the indexes have both columns. */
const ORDERS = { started: ['id'], state: ['status', 'id'] } as const;

/** Succeeded jobs are most of a long history. */
const FEW_STATUSES = JOB_STATUSES.filter((status) => status !== 'success');

/** How often an enqueue is tried whose lane was held at its insert, and free again when the holder was looked for. */
const ATTEMPTS = 5;

/** MySQL returns sums and remainders as text. */
interface EndedRow {
  readonly day: number | string;
  readonly job_type: JobType;
  readonly status: EndedJobs['status'];
  readonly jobs: number | string;
}

export class SqlJobStore extends SqlStore implements JobStore {
  readonly #total = new JobTotal(this.database.knex);

  async enqueue(job: NewJob, record: (job: Job) => ChangeRecord, origin?: JobOrigin): Promise<Job> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.database.transaction((trx) => insert(trx, job, record, origin));
      } catch (error) {
        const { planId } = job.params;
        if (planId !== undefined && isUniqueViolation(error, 'jobs', ['plan_key'])) throw planUsed(planId);
        // The lock on the lanes keeps this from happening; the index is there for the day when something goes round it.
        if (!isUniqueViolation(error, 'jobs', ['lane_key'])) throw error;
        const lane_key = laneKey(job.serverId, job.lane);
        const holder = await readJob(this.database.knex('jobs').where({ lane_key }));
        if (holder) throw new JobAlreadyActive(holder.job);
        if (attempt === ATTEMPTS) throw error;
      }
    }
  }

  async find(id: number): Promise<Job | null> {
    return (await readJob(this.database.knex('jobs').where({ id })))?.job ?? null;
  }

  async list(
    filter: JobFilter,
    page: PageRequest,
    order: JobOrder = { by: 'started', descending: true },
  ): Promise<Page<Job>> {
    const read = async (window: Knex.QueryBuilder): Promise<readonly Job[]> => {
      const rows: ListedJobRow[] = await window.select(JOB_LIST_COLUMNS).orderBy(orderedBy(order, ORDERS));
      return rows.map(toListedJob);
    };
    const matching = this.#matching(filter);
    return isOfAll(filter)
      ? pageOf(matching, page, read, () => this.#total.read())
      : pageOf(matching, page, read);
  }

  async beside(id: number, filter: JobFilter): Promise<Beside> {
    const first = async (side: '<' | '>', direction: 'asc' | 'desc'): Promise<number | null> => {
      const query = this.#matching(filter).where('id', side, id).orderBy('id', direction);
      const found: { readonly id: number } | undefined = await query.first('id');
      return found?.id ?? null;
    };
    const [newer, older] = await Promise.all([first('>', 'asc'), first('<', 'desc')]);
    return { newer, older };
  }

  async results(
    filter: Pick<JobFilter, 'ids' | 'serverIds'>,
  ): Promise<readonly Pick<Job, 'id' | 'result'>[]> {
    const rows: ResultRow[] = await this.#matching(filter).orderBy('id').select(RESULT_COLUMNS);
    return rows.map(toResult);
  }

  async countActive({ serverIds }: Pick<JobFilter, 'serverIds'>): Promise<number> {
    const query = this.#matching({ activeOnly: true, serverIds: serverIds ?? null });
    const counted = (await query.count({ total: '*' }).first()) as { total: number };
    return counted.total;
  }

  async countByStatus(
    filter: Pick<JobFilter, 'serverId' | 'serverIds'>,
  ): Promise<ReadonlyMap<JobStatus, number>> {
    const rows: readonly { readonly status: JobStatus; readonly jobs: number }[] = await this.#matching(
      filter,
    )
      .whereIn('status', FEW_STATUSES)
      .groupBy('status')
      .select('status')
      .count({ jobs: '*' });
    return new Map(rows.map(({ status, jobs }) => [status, jobs]));
  }

  async endedPerDay(
    from: Instant,
    until: Instant,
    serverIds?: readonly number[],
  ): Promise<readonly EndedJobs[]> {
    const { knex } = this.database;
    const day = knex.raw('finished_at - finished_at % ?', [DAY]);
    const jobs = knex('jobs');
    if (serverIds) jobs.whereIn('server_id', serverIds);
    const rows: readonly EndedRow[] = await jobs
      .whereIn('status', ['success', 'failed'])
      .where('finished_at', '>=', from)
      .where('finished_at', '<', until)
      .groupBy('day', 'job_type', 'status')
      .select({ day }, 'job_type', 'status')
      .count({ jobs: '*' });
    return rows.map((row) => ({
      day: Number(row.day),
      jobType: row.job_type,
      status: row.status,
      jobs: Number(row.jobs),
    }));
  }

  async tail(id: number, lines: number): Promise<readonly string[]> {
    return tailJobLog(this.database.knex, id, lines);
  }

  async readLog(id: number, after: number): Promise<LogPart> {
    return readJobLog(this.database.knex, id, after);
  }

  async requestCancel(id: number, at: Instant, record: (job: Job) => ChangeRecord): Promise<Job> {
    return this.database.transaction(async (trx) => {
      const found = await readJob(trx('jobs').where({ id }).forUpdate());
      if (!found) throw jobNotFound(id);
      if (!isCancellable(found.job)) throw jobNotCancellable(found.job);
      // If a previous owner left something running on the host, the next one has to end it.
      const ends = found.job.status !== 'running' && found.runMarker === null;
      const ended = {
        status: 'cancelled',
        lane_key: null,
        current: null,
        summary: CANCELLED_WAITING,
        finished_at: at,
      };
      await trx('jobs')
        .where({ id })
        .update({ cancel_requested_at: at, ...(ends ? ended : {}) });
      if (found.job.status === 'awaiting_approval') await withdraw(trx, { job_id: id }, at);
      return (await changedJob(trx, id, record)).job;
    });
  }

  #matching(filter: JobFilter): Knex.QueryBuilder {
    const query = this.database.knex('jobs');
    if (filter.serverId !== undefined) query.where({ server_id: filter.serverId });
    if (filter.ids) query.whereIn('id', filter.ids);
    if (filter.serverIds) query.whereIn('server_id', filter.serverIds);
    if (filter.status !== undefined) query.where({ status: filter.status });
    if (filter.jobType !== undefined) query.where({ job_type: filter.jobType });
    if (filter.jobTypes) query.whereIn('job_type', filter.jobTypes);
    if (filter.activeOnly) query.whereIn('status', ACTIVE_STATUSES);
    if (filter.requestedBy !== undefined) query.where({ requested_by: filter.requestedBy });
    if (filter.scheduled !== undefined) query.where({ scheduled: Number(filter.scheduled) });
    if (filter.dryRun !== undefined)
      query.where('params', filter.dryRun ? 'like' : 'not like', DRY_RUN_PARAMS);
    if (filter.since !== undefined) query.where('created_at', '>=', filter.since);
    if (filter.before !== undefined) query.where('created_at', '<', filter.before);
    return query;
  }
}

const isOfAll = ({ activeOnly = false, ...others }: JobFilter): boolean =>
  !activeOnly && Object.values(others).every((value) => value === undefined || value === null);

async function insert(
  trx: Knex,
  job: NewJob,
  record: (job: Job) => ChangeRecord,
  origin: JobOrigin | undefined,
): Promise<Job> {
  const { serverId, lane } = job;
  if (!(await lockLanes(trx, serverId))) throw serverNotFound(serverId);
  const takesLane = isActive(job.status);
  if (takesLane) {
    const holder = (await activeJobs(trx, serverId)).find((active) => lanesCollide(active.lane, lane));
    if (holder) throw new JobAlreadyActive(holder);
  }
  const columns = newJobColumns(job, takesLane ? laneKey(serverId, lane) : null);
  const [id] = await trx('jobs').insert(columns);
  if (job.approval) await requestForJob(trx, Number(id), job, job.approval);
  if (origin) await tellOrigin(trx, origin, { job_id: Number(id) });
  const queued = newJob(columns, Number(id));
  await recordChange(trx, record(queued));
  return queued;
}

/** This many are counted in a millisecond or less. */
const MANY = 10_000;
const GOOD_FOR_MS = 30 * SECOND;

interface CachedTotal {
  readonly jobs: number;
  readonly last: number;
  readonly until: number;
}

/**
 * The total number of jobs. InnoDB scans an index for that, entry by entry: 7 ms of its processor time for 100,000,
 * and agents read lists all the time. So a long history is counted once in half a minute, and newer jobs each time.
 * Only jobs that were deleted in the meantime are still counted, for that long.
 */
class JobTotal {
  readonly #knex: Knex;
  #counted: CachedTotal | null = null;
  #counting: Promise<CachedTotal> | null = null;

  constructor(knex: Knex) {
    this.#knex = knex;
  }

  async read(): Promise<number> {
    const counted = this.#counted;
    if (counted && performance.now() < counted.until) {
      const row = await this.#knex('jobs').where('id', '>', counted.last).count({ jobs: '*' }).first();
      return counted.jobs + Number(row?.['jobs']);
    }
    // Those who ask meanwhile wait for the same.
    this.#counting ??= this.#count().finally(() => {
      this.#counting = null;
    });
    return (await this.#counting).jobs;
  }

  async #count(): Promise<CachedTotal> {
    const row = await this.#knex('jobs').count({ jobs: '*' }).max({ last: 'id' }).first();
    const counted = {
      jobs: Number(row?.['jobs']),
      last: Number(row?.['last'] ?? 0),
      until: performance.now() + GOOD_FOR_MS,
    };
    this.#counted = counted.jobs >= MANY ? counted : null;
    return counted;
  }
}
