import type { Knex } from 'knex';
import type { Claim, JobProgress, JobQueue } from '../../../../../application/ports/jobs/job-queue.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { canBeTakenUp, type Job, leaseLost, workerLost } from '../../../../../domain/jobs/job.ts';
import { LOG_LIMITS, type LogLimits } from '../../../../../domain/jobs/job-log.ts';
import { checkResult, shortCurrent, shortDetail, shortSummary } from '../../../../../domain/jobs/job-text.ts';
import type { Database } from '../database.ts';
import { JOB_COLUMNS, type JobRow, phaseColumns, toJob } from '../tables/job-row.ts';
import { factsColumns } from '../tables/server-facts-row.ts';
import { type ClaimRequest, JobClaimer } from './job-claims.ts';
import { heldBy, RELEASED, REQUEUED } from './job-holds.ts';
import { EXTENT_COLUMNS } from './job-log-reader.ts';
import { JobLogWriter, type LogRow } from './job-log-writer.ts';
import { changedJob, jobsByStatus } from './job-reads.ts';
import { recordChange } from './record-change.ts';

type EndingRow = JobRow & LogRow;

/** One for each worker process: it remembers claims and appends whose fate a broken connection left open. */
export class SqlJobQueue implements JobQueue {
  readonly #database: Database;
  readonly #claimer: JobClaimer;
  readonly #logs: JobLogWriter;

  constructor(database: Database, logLimits: LogLimits = LOG_LIMITS) {
    this.#database = database;
    this.#claimer = new JobClaimer(database);
    this.#logs = new JobLogWriter(database, logLimits);
  }

  async claim(request: ClaimRequest): Promise<readonly Claim[]> {
    return this.#claimer.claim(request);
  }

  async heartbeat(claim: Claim, leaseMs: number): Promise<{ cancelRequested: boolean }> {
    await this.#write(claim, { lease_until: this.#database.nowPlus(leaseMs) });
    const row = await heldBy(this.#database.knex, claim).first<{ asked: number | null } | undefined>({
      asked: 'cancel_requested_at',
    });
    if (!row) throw leaseLost(claim.job.id);
    return { cancelRequested: row.asked !== null };
  }

  async appendLog(claim: Claim, text: string, at: Instant, runMarker?: string): Promise<void> {
    await this.#logs.append(claim, text, at, runMarker);
  }

  async progress(claim: Claim, { current, percent, phases }: JobProgress): Promise<void> {
    await this.#write(claim, { current: shortCurrent(current), percent, ...phaseColumns(phases) });
  }

  async mark(claim: Claim, runMarker: string): Promise<void> {
    await this.#write(claim, { run_marker: runMarker });
  }

  async finish(...[claim, outcome, at, record]: Parameters<JobQueue['finish']>): Promise<Job> {
    checkResult(outcome.result);
    const { status, summary, error, result, phases, facts } = outcome;
    const end = {
      ...RELEASED,
      status,
      summary: shortSummary(summary),
      error_code: error?.code ?? null,
      error_detail: error && shortDetail(error.detail),
      result: result && JSON.stringify(result),
      ...phaseColumns(phases),
      finished_at: at,
    };
    const learnt = factsColumns(facts ?? {});
    const { id, serverId } = claim.job;
    return this.#database.transaction(async (trx) => {
      // The server before the job, as a claim locks them: the other way round the two could wait for each other.
      if (Object.keys(learnt).length > 0) {
        await trx('servers').where({ id: serverId }).whereNull('removed_at').update(learnt);
      }
      const row = await heldBy(trx, claim)
        .forUpdate()
        .first<EndingRow | undefined>([...JOB_COLUMNS, ...EXTENT_COLUMNS]);
      if (!row) throw leaseLost(id);
      const log = outcome.log ? await this.#logs.write(trx, claim, row, { text: outcome.log, at }) : {};
      await heldBy(trx, claim).update({ ...end, ...log });
      const job = toJob({ ...row, ...end, ...log });
      await recordChange(trx, record(job));
      return job;
    });
  }

  async giveBack(claim: Claim): Promise<void> {
    await this.#write(claim, REQUEUED);
  }

  async awaitHost(...[claim, { at, nextTryAt, current }]: Parameters<JobQueue['awaitHost']>): Promise<void> {
    const { knex } = this.#database;
    await this.#write(claim, {
      ...REQUEUED,
      started_at: null,
      current: shortCurrent(current),
      // A worker ends a job that was cancelled during the try at once.
      next_try_at: knex.raw('CASE WHEN cancel_requested_at IS NULL THEN ? ELSE ? END', [nextTryAt, at]),
      host_wait_since: knex.raw('COALESCE(host_wait_since, ?)', [at]),
      host_tries: knex.raw('host_tries + 1'),
    });
  }

  async sweep(request: SweepRequest): Promise<readonly Job[]> {
    return sweepJobs(this.#database, request);
  }

  /** Finds the job only while the claim is good. */
  async #write(claim: Claim, columns: object): Promise<void> {
    const found = await this.#database.write((knex) => heldBy(knex, claim).update(columns));
    if (found === 0) throw leaseLost(claim.job.id);
  }
}

interface SweptRow {
  readonly fence: number;
  readonly run_marker: string | null;
  readonly host_tries: number;
}

type SweepRequest = Parameters<JobQueue['sweep']>[0];

/** For a running job's owner that is late, or dead. */
function lost(
  database: Database,
  running: Knex.QueryBuilder,
  deadOwners: readonly string[],
): Knex.QueryBuilder {
  return running.where(
    (query) => void query.where('lease_until', '<', database.nowMs()).orWhereIn('owner', deadOwners),
  );
}

async function sweepJobs(database: Database, request: SweepRequest): Promise<readonly Job[]> {
  const { deadOwners, limit } = request;
  const found = await lost(database, jobsByStatus(database.knex, 'running'), deadOwners)
    .orderBy('id')
    .limit(limit)
    .select<{ id: number }[]>('id');
  const ended: Job[] = [];
  for (const { id } of found) {
    const job = await database.transaction((trx) => sweepJob(database, trx, id, request));
    if (job) ended.push(job);
  }
  return ended;
}

/**
 * Returns the job if it ended. Checks again under the row's lock: its owner may be back, or another sweep was faster.
 */
async function sweepJob(
  database: Database,
  trx: Knex,
  id: number,
  { deadOwners, at, record }: SweepRequest,
): Promise<Job | null> {
  const row = await lost(database, trx('jobs').where({ id }).whereNotNull('owner'), deadOwners)
    .forUpdate()
    .first<SweptRow | undefined>(['fence', 'run_marker', 'host_tries']);
  if (!row) return null;
  const claims = row.fence - row.host_tries;
  if (canBeTakenUp(row.run_marker, claims)) {
    await trx('jobs').where({ id }).update(REQUEUED);
    return null;
  }
  const { code, detail } = workerLost(row.run_marker, claims);
  await trx('jobs')
    .where({ id })
    .update({
      ...RELEASED,
      status: 'failed',
      summary: detail,
      error_code: code,
      error_detail: detail,
      finished_at: at,
    });
  return (await changedJob(trx, id, record)).job;
}
