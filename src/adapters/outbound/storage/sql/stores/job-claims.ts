import type { Knex } from 'knex';
import type { Claim, JobQueue } from '../../../../../application/ports/jobs/job-queue.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { ACTIVE_STATUSES, type GroupUse, type Job, waitingFor } from '../../../../../domain/jobs/job.ts';
import { mayWait, mustWaitFor, takesSnapshots } from '../../../../../domain/jobs/job-types.ts';
import type { Database } from '../database.ts';
import { fromJson } from '../tables/columns.ts';
import { params } from '../tables/job-row.ts';
import { GroupUses } from '../tables/order-row.ts';
import { unclaimed } from './job-holds.ts';
import { lockGroups, lockLanes } from './job-lanes.ts';
import { changedJobs, jobsByStatus } from './job-reads.ts';

export type ClaimRequest = Parameters<JobQueue['claim']>[0];

/** If every job of a batch waits, the next batch is larger: skipping them takes few queries. */
const FIRST_BATCH = 20;
const MAX_BATCH = 500;

/** In one transaction: others wait for its rows meanwhile. */
const MAX_TOGETHER = 32;

/** For this many calls after a conflict with another worker, this one expects another. */
const CROWDED_CALLS = 16;
/** With others it chooses from this many times the jobs that it wants. */
const CROWDED_ROOM = 16;

/** Claims for one worker process. Remembers claims that may have succeeded without an answer. */
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
      // Claimed jobs have to run: the fault will show again at the next call.
      if (claims.length === 0) throw error;
    }
    return claims;
  }

  async #fill(claims: Claim[], request: ClaimRequest): Promise<void> {
    let after = 0;
    const room = this.#crowded > 0 ? CROWDED_ROOM * request.limit : request.limit;
    let size = Math.min(MAX_BATCH, Math.max(FIRST_BATCH, room));
    while (claims.length < request.limit) {
      const batch = await this.#candidates(after, size, request.at);
      const last = batch.at(-1);
      if (!last) return;
      await this.#claimFrom(batch, claims, request);
      after = last.id;
      size = Math.min(4 * size, MAX_BATCH);
    }
  }

  async #candidates(after: number, size: number, at: Instant): Promise<Candidate[]> {
    const pending = jobsByStatus(this.#database.knex, 'pending')
      .where('id', '>', after)
      .where((query) => void query.whereNull('next_try_at').orWhere('next_try_at', '<=', at));
    const columns = ['id', 'server_id', 'lane', 'params', 'current', 'run_marker', 'group_uses'];
    const rows = await this.#database.rowsOf<CandidateRow>(pending.orderBy('id').limit(size).select(columns));
    return rows.map(({ run_marker, group_uses, ...row }) => ({
      ...row,
      // What runs on its host already does not wait.
      groups: run_marker === null ? groupUses(group_uses) : [],
    }));
  }

  /**
   * In order while this worker is alone. After a conflict it proceeds in random order for some calls: otherwise all
   * workers would compete for the same jobs again and again. Of four workers on MariaDB that want one job each, 41 in
   * 100 attempts fail otherwise, and 15 with this.
   */
  async #claimFrom(batch: readonly Candidate[], claims: Claim[], request: ClaimRequest): Promise<void> {
    const running = await runningBeside(this.#database.knex, batch.filter(isDecidedAlone));
    let left = this.#crowded > 0 ? shuffled(batch) : [...batch];
    while (left.length > 0 && claims.length < request.limit) {
      const together = firstTogether(left, request.limit - claims.length);
      left = left.slice(together.length);
      const claimed = await this.#claimTogether(together, running, request);
      if (claimed === null) continue;
      claims.push(...claimed);
      const groupsOf = new Map(together.map(({ id, groups }) => [id, groups]));
      const now = claimed.map(({ job }): RunningJob => ({ ...job, groups: groupsOf.get(job.id) ?? [] }));
      running.push(...now);
      if (claimed.length < together.length) {
        this.#crowded = CROWDED_CALLS;
        left = shuffled(left);
      }
    }
  }

  /** `null` if the requested one has to wait. Fewer than requested if another worker was faster. */
  async #claimTogether(
    together: readonly Candidate[],
    running: readonly RunningJob[],
    request: ClaimRequest,
  ): Promise<readonly Claim[] | null> {
    const [candidate] = together;
    if (!candidate || !isDecidedAlone(candidate)) return this.#tryClaim(together, request);
    const blocker = blockerOf(candidate, running);
    if (!blocker) return this.#tryClaim(together, request);
    if (!isReportedTo(candidate, blocker)) {
      await this.#database.transaction((trx) => tellWaiting(trx, candidate, blocker));
    }
    return null;
  }

  async #tryClaim(candidates: readonly Candidate[], request: ClaimRequest): Promise<readonly Claim[]> {
    try {
      return await this.#database.transaction(async (trx) => {
        const taken: number[] = [];
        for (const candidate of candidates) {
          if (await mustWait(trx, candidate)) continue;
          if (await this.#take(trx, candidate.id, request)) taken.push(candidate.id);
        }
        const held = await changedJobs(trx, taken, ({ job, hostWait }) =>
          hostWait === null ? request.record(job) : {},
        );
        return held.map((each): Claim => ({ owner: request.owner, ...each }));
      });
    } catch (error) {
      for (const { id } of candidates) this.#unsure.set(id, request.owner);
      throw error;
    }
  }

  async #take(trx: Knex, id: number, { owner, leaseMs, at }: ClaimRequest): Promise<boolean> {
    const taken = await unclaimed(trx, id).update({
      status: 'running',
      owner,
      lease_until: this.#database.nowPlus(leaseMs),
      fence: trx.raw('fence + 1'),
      // A cluster may stall between reading the clock and this: nothing starts before it was requested.
      started_at: trx.raw('COALESCE(started_at, CASE WHEN created_at > ? THEN created_at ELSE ? END)', [
        at,
        at,
      ]),
      current: null,
      percent: null,
      next_try_at: null,
    });
    return taken > 0;
  }

  /** A connection that broke during COMMIT may have left a claimed job that no worker runs. */
  async #recover({ owner, leaseMs }: ClaimRequest): Promise<Claim[]> {
    const claims: Claim[] = [];
    for (const [id, claimedBy] of this.#unsure) {
      if (claimedBy !== owner) continue;
      const claim = await this.#database.transaction(async (trx) => {
        const lease = { lease_until: this.#database.nowPlus(leaseMs) };
        if ((await trx('jobs').where({ id, owner }).update(lease)) === 0) return null;
        const [held] = await changedJobs(trx, [id], () => ({}));
        return held ? { owner, ...held } : null;
      });
      this.#unsure.delete(id);
      if (claim) claims.push(claim);
    }
    return claims;
  }
}

/**
 * The jobs of one transaction: a job that may have to wait for others on its server alone, others in groups. Rows are
 * locked in the order of their ids, by all workers.
 */
function firstTogether(left: readonly Candidate[], most: number): readonly Candidate[] {
  const exclusive = left.findIndex(isDecidedAlone);
  if (exclusive === 0) return left.slice(0, 1);
  const plain = exclusive < 0 ? left.length : exclusive;
  return left.slice(0, Math.min(plain, most, MAX_TOGETHER)).toSorted((one, other) => one.id - other.id);
}

/** Whether the job has to wait after all, now that no other transaction decides about its server and groups. */
async function mustWait(trx: Knex, candidate: Candidate): Promise<boolean> {
  if (!isDecidedAlone(candidate)) return false;
  await lockGroups(trx, candidate.groups);
  if (mayWait(candidate.lane)) await lockLanes(trx, candidate.server_id);
  const running = await runningBeside(trx, [candidate]);
  const blocker = blockerOf(candidate, running);
  if (blocker) await tellWaiting(trx, candidate, blocker);
  return blocker !== undefined;
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

interface CandidateRow {
  readonly id: number;
  readonly server_id: number;
  readonly lane: string;
  /** As they are stored. */
  readonly params: string;
  readonly current: string | null;
  readonly run_marker: string | null;
  readonly group_uses: string | null;
}

/** The fields of a pending job that are read before a claim. */
interface Candidate extends Omit<CandidateRow, 'run_marker' | 'group_uses'> {
  readonly groups: readonly GroupUse[];
}

const groupUses = (raw: string | null): readonly GroupUse[] => (raw === null ? [] : fromJson(GroupUses, raw));

/** Whether the job may have to wait for others that run. */
const isDecidedAlone = ({ lane, groups }: Candidate): boolean =>
  mayWait(lane) || groups.some(({ atOnce }) => atOnce !== null);

type RunningJob = Pick<Job, 'id' | 'serverId' | 'serverName' | 'jobType' | 'lane' | 'params' | 'status'> & {
  readonly groups: readonly GroupUse[];
};

/** As a row has it. */
type RunningRow = Omit<RunningJob, 'params' | 'groups'> & {
  readonly params: string;
  readonly groups: string | null;
};

/** Running jobs that candidates may have to wait for. */
async function runningBeside(knex: Knex, candidates: readonly Candidate[]): Promise<RunningJob[]> {
  const servers = candidates.filter(({ lane }) => mayWait(lane)).map(({ server_id }) => server_id);
  const isLimited = candidates.some(({ groups }) => groups.length > 0);
  const onServers =
    servers.length === 0 ? [] : await readRunning(knex('jobs').whereIn('server_id', [...new Set(servers)]));
  const inGroups = isLimited ? await readRunning(knex('jobs').whereNotNull('group_uses')) : [];
  return [...onServers, ...inGroups];
}

/**
 * Also jobs whose worker died, and that still run on their hosts. Not sorted: with ORDER BY, MariaDB scanned the whole
 * table in the order of ids (2,000 jobs).
 */
async function readRunning(jobs: Knex.QueryBuilder): Promise<RunningJob[]> {
  const rows = await jobs
    .whereIn('status', ACTIVE_STATUSES)
    .where((query) => void query.where({ status: 'running' }).orWhereNotNull('run_marker'))
    .select<RunningRow[]>({
      id: 'id',
      serverId: 'server_id',
      serverName: 'server_name',
      jobType: 'job_type',
      lane: 'lane',
      params: 'params',
      status: 'status',
      groups: 'group_uses',
    });
  return rows.map((row) => ({ ...row, params: params.read(row.params), groups: groupUses(row.groups) }));
}

/** The oldest job that the candidate has to wait for. */
function blockerOf(candidate: Candidate, running: readonly RunningJob[]): RunningJob | undefined {
  const inLane = running.filter(
    (job) =>
      job.status === 'running' &&
      job.serverId === candidate.server_id &&
      (mustWaitFor(candidate.lane, job.lane) ||
        (takesSnapshots(candidate.lane, params.read(candidate.params)) &&
          takesSnapshots(job.lane, job.params))),
  );
  const inGroups = candidate.groups.flatMap(({ tag, atOnce }) => {
    const others = running.filter(({ groups }) => groups.some((each) => each.tag === tag));
    const count = new Set(others.map(({ id }) => id)).size;
    return atOnce !== null && count >= atOnce ? others : [];
  });
  return [...inLane, ...inGroups].toSorted((one, other) => one.id - other.id)[0];
}

const isReportedTo = (candidate: Candidate, blocker: RunningJob): boolean =>
  candidate.current === waitingFor(blocker);

/** To be written when it changes only: a worker looks every second. */
async function tellWaiting(trx: Knex, candidate: Candidate, blocker: RunningJob): Promise<void> {
  await unclaimed(trx, candidate.id).update({ current: waitingFor(blocker) });
}
