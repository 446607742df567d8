import type { Knex } from 'knex';
import type { Claim, JobQueue } from '../../application/ports/job-queue.ts';
import { type Job, mustWaitFor, runsExclusively, waitingFor } from '../../domain/job.ts';
import type { Database } from './database.ts';
import { changedJob, lockLanes } from './job-lanes.ts';

export type ClaimRequest = Parameters<JobQueue['claim']>[0];

/** What is looked at of a pending job before it is claimed. */
interface Candidate {
  readonly id: number;
  readonly server_id: number;
  readonly lane: string;
  readonly current: string | null;
}

type Running = Pick<Job, 'id' | 'serverId' | 'serverName' | 'jobType' | 'lane'>;

/** Where every job of a batch waits, the next one is larger: the way past them takes few queries. */
const FIRST_BATCH = 20;
const LARGEST_BATCH = 500;

/** Claims for one worker process. Remembers what it may have claimed without hearing of it. */
export class JobClaimer {
  readonly #database: Database;
  /** Ids of jobs whose claim failed in a way that leaves open whether it is in, with the owner that claimed. */
  readonly #unsure = new Map<number, string>();

  constructor(database: Database) {
    this.#database = database;
  }

  async claim(request: ClaimRequest): Promise<readonly Claim[]> {
    const claims = await this.#recover(request);
    try {
      await this.#fill(claims, request);
    } catch (error) {
      // What is claimed has to be run: the fault shows again at the next call.
      if (claims.length === 0) throw error;
    }
    return claims;
  }

  async #fill(claims: Claim[], request: ClaimRequest): Promise<void> {
    let after = 0;
    let size = Math.max(FIRST_BATCH, Math.min(request.limit, LARGEST_BATCH));
    while (claims.length < request.limit) {
      const batch = await this.#candidates(after, size);
      const last = batch.at(-1);
      if (!last) return;
      await this.#claimFrom(batch, claims, request);
      after = last.id;
      size = Math.min(4 * size, LARGEST_BATCH);
    }
  }

  async #candidates(after: number, size: number): Promise<Candidate[]> {
    return this.#database
      .knex('jobs')
      .where({ status: 'pending' })
      .where('id', '>', after)
      .orderBy('id')
      .limit(size)
      .select<Candidate[]>(['id', 'server_id', 'lane', 'current']);
  }

  /**
   * In order, until another worker is met: from there in a random order, or all workers would go for the same job again
   * and again.
   */
  async #claimFrom(batch: readonly Candidate[], claims: Claim[], request: ClaimRequest): Promise<void> {
    const exclusive = batch
      .filter(({ lane }) => runsExclusively(lane))
      .map((candidate) => candidate.server_id);
    const running: Running[] = exclusive.length > 0 ? await runningOn(this.#database.knex, exclusive) : [];
    let left = [...batch];
    for (let next = left.shift(); next && claims.length < request.limit; next = left.shift()) {
      const candidate = next;
      const blocker = running.find((job) => keepsWaiting(candidate, job));
      if (blocker) {
        await tellWaiting(this.#database.knex, candidate, blocker);
        continue;
      }
      const claim = await this.#tryClaim(candidate, request);
      if (claim) {
        claims.push(claim);
        running.push(claim.job);
      } else {
        left = shuffled(left);
      }
    }
  }

  /** `null` where another worker was faster, or where the job has to wait after all. */
  async #tryClaim(candidate: Candidate, request: ClaimRequest): Promise<Claim | null> {
    try {
      return await this.#database.transaction(async (trx) => {
        if (runsExclusively(candidate.lane)) {
          await lockLanes(trx, candidate.server_id);
          const running = await runningOn(trx, [candidate.server_id]);
          const blocker = running.find((job) => keepsWaiting(candidate, job));
          if (blocker) {
            await tellWaiting(trx, candidate, blocker);
            return null;
          }
        }
        return this.#take(trx, candidate.id, request);
      });
    } catch (error) {
      this.#unsure.set(candidate.id, request.owner);
      throw error;
    }
  }

  async #take(trx: Knex, id: number, { owner, leaseMs, at, trail }: ClaimRequest): Promise<Claim | null> {
    const taken = await trx('jobs')
      .where({ id, status: 'pending' })
      .update({
        status: 'running',
        owner,
        lease_until: this.#database.nowPlus(leaseMs),
        fence: trx.raw('fence + 1'),
        started_at: trx.raw('COALESCE(started_at, ?)', [at]),
        current: null,
        percent: null,
      });
    if (taken === 0) return null;
    const job = await changedJob(trx, id, trail);
    return { job, owner, ...(await holdOf(trx, id)) };
  }

  /** A connection that broke during COMMIT may have left a job claimed that nobody runs. */
  async #recover({ owner, leaseMs }: ClaimRequest): Promise<Claim[]> {
    const claims: Claim[] = [];
    for (const [id, claimedBy] of this.#unsure) {
      if (claimedBy !== owner) continue;
      const claim = await this.#database.transaction(async (trx) => {
        const ours = { id, owner, status: 'running' };
        const lease = { lease_until: this.#database.nowPlus(leaseMs) };
        if ((await trx('jobs').where(ours).update(lease)) === 0) return null;
        const job = await changedJob(trx, id, () => ({}));
        return { job, owner, ...(await holdOf(trx, id)) };
      });
      this.#unsure.delete(id);
      if (claim) claims.push(claim);
    }
    return claims;
  }
}

const keepsWaiting = (candidate: Candidate, running: Running): boolean =>
  running.serverId === candidate.server_id && mustWaitFor(candidate.lane, running.lane);

async function runningOn(knex: Knex, serverIds: readonly number[]): Promise<Running[]> {
  return knex('jobs')
    .where({ status: 'running' })
    .whereIn('server_id', [...new Set(serverIds)])
    .orderBy('id')
    .select<Running[]>({
      id: 'id',
      serverId: 'server_id',
      serverName: 'server_name',
      jobType: 'job_type',
      lane: 'lane',
    });
}

/** Written when it changes only: a worker looks every second. */
async function tellWaiting(knex: Knex, candidate: Candidate, blocker: Running): Promise<void> {
  const current = waitingFor(blocker);
  if (candidate.current === current) return;
  await knex('jobs').where({ id: candidate.id, status: 'pending' }).update({ current });
}

async function holdOf(trx: Knex, id: number): Promise<Pick<Claim, 'fence' | 'runMarker'>> {
  const row = await trx('jobs')
    .where({ id })
    .first<{ fence: number; run_marker: string | null }>(['fence', 'run_marker']);
  return { fence: row.fence, runMarker: row.run_marker };
}

/** Fisher and Yates. */
function shuffled<T>(items: readonly T[]): T[] {
  const mixed = [...items];
  for (let last = mixed.length - 1; last > 0; last -= 1) {
    const other = Math.floor(Math.random() * (last + 1));
    [mixed[last], mixed[other]] = [mixed[other] as T, mixed[last] as T];
  }
  return mixed;
}
