import type { Knex } from 'knex';
import type { Claim, JobQueue } from '../../application/ports/job-queue.ts';
import { runsExclusively } from '../../domain/job.ts';
import type { Database } from './database.ts';
import { unclaimed } from './job-holds.ts';
import { lockLanes } from './job-lanes.ts';
import { changedJob } from './job-reads.ts';
import {
  type Candidate,
  isToldOf,
  keepsWaiting,
  type Running,
  runningOn,
  tellWaiting,
} from './job-waiting.ts';

export type ClaimRequest = Parameters<JobQueue['claim']>[0];

/** Where every job of a batch waits, the next one is larger: the way past them takes few queries. */
const FIRST_BATCH = 20;
const LARGEST_BATCH = 500;

/** For so many calls after another worker was met, this one expects to meet it again. */
const CROWDED_CALLS = 16;
/** Among others it chooses from so many times the jobs that it wants. */
const CROWDED_ROOM = 16;

/** Claims for one worker process. Remembers what it may have claimed without hearing of it. */
export class JobClaimer {
  readonly #database: Database;
  #crowded = 0;
  /** Ids of jobs whose claim failed in a way that leaves open whether it is in, with the owner that claimed. */
  readonly #unsure = new Map<number, string>();

  constructor(database: Database) {
    this.#database = database;
  }

  async claim(request: ClaimRequest): Promise<readonly Claim[]> {
    const claims = await this.#recover(request);
    this.#crowded = Math.max(0, this.#crowded - 1);
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
    const room = this.#crowded > 0 ? CROWDED_ROOM * request.limit : request.limit;
    let size = Math.min(LARGEST_BATCH, Math.max(FIRST_BATCH, room));
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
   * In order while this worker is alone. Where it meets others it goes on in a random order, and begins in one for some
   * calls: all would go for the same jobs again and again. Of four workers on MariaDB that want one job each, 41 in 100
   * attempts fail otherwise, and 15 so.
   */
  async #claimFrom(batch: readonly Candidate[], claims: Claim[], request: ClaimRequest): Promise<void> {
    const exclusive = batch
      .filter(({ lane }) => runsExclusively(lane))
      .map((candidate) => candidate.server_id);
    const running: Running[] = exclusive.length > 0 ? await runningOn(this.#database.knex, exclusive) : [];
    let left = this.#crowded > 0 ? shuffled(batch) : [...batch];
    for (let next = left.shift(); next && claims.length < request.limit; next = left.shift()) {
      const candidate = next;
      const blocker = running.find((job) => keepsWaiting(candidate, job));
      if (blocker) {
        if (isToldOf(candidate, blocker)) continue;
        await this.#database.transaction((trx) => tellWaiting(trx, candidate, blocker));
        continue;
      }
      const claim = await this.#tryClaim(candidate, request);
      if (claim) {
        claims.push(claim);
        running.push(claim.job);
      } else {
        this.#crowded = CROWDED_CALLS;
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
    const taken = await unclaimed(trx, id).update({
      status: 'running',
      owner,
      lease_until: this.#database.nowPlus(leaseMs),
      fence: trx.raw('fence + 1'),
      started_at: trx.raw('COALESCE(started_at, ?)', [at]),
      current: null,
      percent: null,
    });
    if (taken === 0) return null;
    return { owner, ...(await changedJob(trx, id, trail)) };
  }

  /** A connection that broke during COMMIT may have left a job claimed that nobody runs. */
  async #recover({ owner, leaseMs }: ClaimRequest): Promise<Claim[]> {
    const claims: Claim[] = [];
    for (const [id, claimedBy] of this.#unsure) {
      if (claimedBy !== owner) continue;
      const claim = await this.#database.transaction(async (trx) => {
        const lease = { lease_until: this.#database.nowPlus(leaseMs) };
        if ((await trx('jobs').where({ id, owner }).update(lease)) === 0) return null;
        return { owner, ...(await changedJob(trx, id, () => ({}))) };
      });
      this.#unsure.delete(id);
      if (claim) claims.push(claim);
    }
    return claims;
  }
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
