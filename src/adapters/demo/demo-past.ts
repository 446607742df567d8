import { count } from '../../domain/base/count.ts';
import { DAY, type Instant, MINUTE, SECOND } from '../../domain/base/instant.ts';
import type { Server } from '../../domain/fleet/server.ts';
import type { JobType } from '../../domain/jobs/job-types.ts';
import { Chance } from './chance.ts';
import { sizesOn } from './demo-bulk.ts';
import type { DemoPorts } from './demo-ports.ts';

/** One time that a schedule was due, and what it started on its servers. */
export interface PastRun {
  readonly scheduleId: number;
  readonly scheduleName: string;
  readonly jobType: JobType;
  readonly selector: object;
  readonly at: Instant;
  readonly servers: readonly Server[];
}

/** Whether nothing reached the server at that time. */
export const isGone = ({ facts: { contactFailedSince } }: Pick<Server, 'facts'>, at: Instant): boolean =>
  contactFailedSince !== null && contactFailedSince < at;

/** Why a backup of the past failed: the server's recent ones all do if it has no recent backup. */
export function backupFailure(server: Pick<Server, 'name' | 'facts'>, at: Instant): string | null {
  const { lastBackupAt } = server.facts;
  const chance = new Chance(
    Math.floor(at / DAY) * 977 + server.name.length * 131 + server.name.charCodeAt(0),
  );
  const isStale = lastBackupAt !== null && lastBackupAt < at - DAY / 2;
  const isOld = lastBackupAt !== null && lastBackupAt > at + DAY / 2;
  if (!(isStale || isGone(server, at) || (isOld && chance.happens(0.012)))) return null;
  return `${server.name} ended the connection after ${chance.between(20, 50)} s; the next backup continues from there.`;
}

const PARAMS = JSON.stringify({ sourceFilter: null, service: null, osSteps: null, dryRun: false });

type Ports = Pick<DemoPorts, 'insert' | 'sources' | 'jobs' | 'batches'>;

/** What schedules did, in turns with what users did: the numbers of jobs and batches grow with time. */
export class PastRuns {
  readonly #ports: Ports;
  readonly #runs: readonly PastRun[];
  readonly #logsFrom: Instant;
  #done = 0;

  /** `runs`: the oldest first. */
  constructor(ports: Ports, runs: readonly PastRun[]) {
    this.#ports = ports;
    this.#runs = runs;
    this.#logsFrom = (runs.at(-1)?.at ?? 0) - LOG_DAYS * DAY;
  }

  /** Inserts the runs that were due before this time. */
  async insertUntil(at: Instant): Promise<void> {
    const next = this.#runs.findIndex((run) => run.at >= at);
    const end = next < 0 ? this.#runs.length : next;
    const runs = this.#runs.slice(this.#done, end);
    this.#done = end;
    if (runs.length > 0) await insertPast(this.#ports, runs, this.#logsFrom);
  }
}

/** Numbers continue after the latest one. */
const NEWEST = { limit: 1, offset: 0 };

/** Rows of jobs, batches and runs of schedules, oldest first: written directly, since there are thousands. */
async function insertPast(
  { insert, sources, jobs: jobStore, batches: batchStore }: Ports,
  runs: readonly PastRun[],
  logsFrom: Instant,
): Promise<void> {
  const [lastJob] = (await jobStore.list({}, NEWEST)).items;
  const [lastBatch] = (await batchStore.list({}, NEWEST)).items;
  const firstJob = (lastJob?.id ?? 0) + 1;
  const firstBatch = (lastBatch?.id ?? 0) + 1;
  const names = new Map<number, readonly string[]>();
  for (const { id } of new Set(runs.flatMap(({ servers }) => servers)))
    if (!names.has(id))
      names.set(
        id,
        (await sources.ofServer(id)).map(({ name }) => name),
      );
  const jobs: object[] = [];
  const chunks: object[] = [];
  const batches: object[] = [];
  const members: object[] = [];
  const slots: object[] = [];
  for (const [index, run] of runs.entries()) {
    const batchId = firstBatch + index;
    const ended = run.servers.map((server, position) => {
      const job = jobRow(run, { server, position, sources: names.get(server.id) ?? [] });
      const isKept = run.at > logsFrom;
      const id = firstJob + jobs.length;
      const { row, chunk } = storeLog(job, id);
      jobs.push(isKept ? row : { ...job, ...NO_LOG });
      if (isKept) chunks.push(chunk);
      members.push({
        batch_id: batchId,
        position,
        server_id: server.id,
        server_name: server.name,
        status: job.status,
        job_id: id,
      });
      return job;
    });
    const failed = ended.filter(({ status }) => status === 'failed').length;
    batches.push({
      id: batchId,
      job_type: run.jobType,
      params: PARAMS,
      selector: JSON.stringify(run.selector),
      max_parallel: 20,
      canary: 0,
      status: failed > 0 ? 'failed' : 'success',
      members_success: ended.length - failed,
      members_failed: failed,
      requester_kind: 'operator',
      requester_name: 'user:ann',
      requested_by: `schedule ${run.scheduleName}`,
      scheduled: 1,
      schedule_id: run.scheduleId,
      require_approval: 0,
      outside_window: 0,
      created_at: run.at,
      finished_at: Math.max(...ended.map(({ finished_at: at }) => at)),
    });
    slots.push({
      schedule_id: run.scheduleId,
      slot_at: run.at,
      manual: 0,
      outcome: 'started',
      stamped_at: run.at,
      batch_id: batchId,
    });
  }
  await insert('jobs', jobs);
  await insert('job_log_chunks', chunks);
  await insert('batches', batches);
  await insert('batch_members', members);
  await insert('schedule_runs', slots);
}

interface JobRow {
  readonly status: 'success' | 'failed';
  readonly finished_at: Instant;
  readonly log_tail: string;
}

function jobRow(
  { at, jobType, scheduleName }: PastRun,
  {
    server,
    position,
    sources,
  }: { readonly server: Server; readonly position: number; readonly sources: readonly string[] },
): JobRow {
  const chance = new Chance(at / MINUTE + server.id * 7_919);
  const startedAt = at + Math.floor(position / 20) * 6 * MINUTE + chance.between(1, 50) * SECOND;
  const isBackup = jobType === 'backup';
  const unreachable = isGone(server, startedAt) ? `${server.name} did not answer within 10 s.` : null;
  const failure = isBackup ? backupFailure(server, at) : unreachable;
  const took = (isBackup ? chance.between(40, 600) : chance.between(4, 40)) * SECOND;
  const common = {
    server_id: server.id,
    server_name: server.name,
    job_type: jobType,
    lane: jobType,
    params: PARAMS,
    created_at: at,
    started_at: startedAt,
    finished_at: startedAt + took,
    scheduled: 1,
    requested_by: `schedule ${scheduleName}`,
    requester_kind: 'operator',
    fence: 1,
  };
  if (failure !== null) {
    return {
      ...common,
      status: 'failed',
      summary: failure,
      error_code: isBackup ? 'host_connection_lost' : 'host_unreachable',
      error_detail: failure,
      result: null,
      ...logOf(['Connecting', failure], startedAt, took),
    } as JobRow;
  }
  const snapshots = sources.map((source) => {
    const { files, totalBytes, transferredFiles: transferred } = sizesOn(server.name, source, at);
    const line = `Source "${source}": ${count(files, 'file')}, ${transferred} of them new or changed.`;
    return { line, snapshot: { source, name: snapshotName(at), files, total_bytes: totalBytes } };
  });
  const summary = SUMMARIES[jobType] ?? `Backed up ${count(sources.length, 'source')}.`;
  return {
    ...common,
    status: 'success',
    summary,
    error_code: null,
    error_detail: null,
    result: isBackup
      ? JSON.stringify({
          dry_run: false,
          snapshots: snapshots.map(({ snapshot }) => snapshot),
        })
      : null,
    ...logOf(
      ['Connecting', ...(isBackup ? snapshots.map(({ line }) => line) : []), summary],
      startedAt,
      took,
    ),
  } as JobRow;
}

/** Lines with their times: the fields of a job's row. */
function logOf(texts: readonly string[], at: Instant, took: number) {
  const lines = texts.map(
    (text, index) => `${new Date(at + (took * index) / texts.length).toISOString().slice(11, 19)} ${text}`,
  );
  return { log_tail: JSON.stringify(lines) };
}

/** The stored log of a job: that of its row. */
function storeLog(row: JobRow, id: number): { readonly row: JobRow; readonly chunk: object } {
  const lines = JSON.parse(row.log_tail) as readonly string[];
  const content = Buffer.from(lines.map((line) => `${line}\n`).join(''));
  const extent = { log_bytes: content.length, log_head_end: content.length, log_tail_start: content.length };
  return { row: { ...row, ...extent }, chunk: { job_id: id, position: 0, at: row.finished_at, content } };
}

/** Old logs are deleted: those of these last days are there. */
const LOG_DAYS = 14;
const NO_LOG = { log_bytes: 0, log_head_end: 0, log_tail_start: 0 };

const SUMMARIES: Readonly<Partial<Record<JobType, string>>> = {
  os_update_check: 'The package lists were refreshed.',
  os_patch: 'All packages are up to date.',
};

export const snapshotName = (at: Instant): string => new Date(at).toISOString().replaceAll(/[-:.]/g, '');
