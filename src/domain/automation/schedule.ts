import type { Requester } from '../access/requester.ts';
import { DomainError, type ErrorCode } from '../base/errors.ts';
import { HOUR, type Instant, MINUTE, SECOND } from '../base/instant.ts';
import type { HostSelector } from '../fleet/host-selector.ts';
import type { JobParams, JobStatus } from '../jobs/job.ts';
import type { JobType } from '../jobs/job-types.ts';
import type { BatchBounds, BatchStatus, MemberCounts } from './batch.ts';
import type { CronRule } from './cron-rule.ts';

/** A token, a user, or the operator at the command line. */
export type ScheduleOwner = Pick<Requester, 'kind' | 'id' | 'name'>;

/** Starts jobs at recurring times. */
export interface Schedule {
  readonly id: number;
  readonly name: string;
  readonly selector: HostSelector;
  readonly cron: CronRule;
  readonly jobType: JobType;
  readonly params: JobParams;
  readonly bounds: BatchBounds;
  /** The maximum delay of each server's job, so that not all start at once. A server's delay is always the same. */
  readonly jitterMs: number;
  readonly enabled: boolean;
  /** An author needed approval to start jobs, so the schedule does too, no matter who edits it later. */
  readonly requireApproval: boolean;
  /** In whose name, and with whose rights, it runs; null: it cannot be said. */
  readonly owner: ScheduleOwner | null;
  /** Why it was disabled automatically; null if a user disabled it, or it is enabled. */
  readonly offReason: string | null;
  /** All slots up to here are dealt with. */
  readonly handledTo: Instant;
  /** When it is due next, `null` if no slot is left or it is disabled. */
  readonly dueAt: Instant | null;
  /** Incremented with every edit. */
  readonly revision: number;
  readonly createdBy: string;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export type NewSchedule = Omit<Schedule, 'id' | 'revision' | 'createdAt' | 'updatedAt'>;
export type ScheduleChange = Partial<Omit<NewSchedule, 'createdBy'>>;

/** The result of a slot. `starting`: it is recorded, and its job is about to start. */
export const RUN_OUTCOMES = ['starting', 'started', 'skipped', 'refused', 'missed'] as const;
export type RunOutcome = (typeof RUN_OUTCOMES)[number];

interface RunMembers {
  readonly counts: MemberCounts;
  /** The first servers that failed: at most `MAX_FAILED_NAMED`. */
  readonly failed: readonly string[];
}

export const MAX_FAILED_NAMED = 3;

/** A slot of a schedule that was dealt with. There is one at most for each time. */
export interface ScheduleRun {
  readonly id: number;
  readonly scheduleId: number;
  readonly slotAt: Instant;
  /** A user asked for it before its time. */
  readonly manual: boolean;
  readonly outcome: RunOutcome;
  readonly jobId: number | null;
  readonly batchId: number | null;
  /** The status of its job or batch, in lists of runs; absent if it has none or it was deleted. */
  readonly result?: JobStatus | BatchStatus;
  /** Of its batch, in lists of runs. */
  readonly members?: RunMembers;
  readonly code: ErrorCode | null;
  readonly detail: string | null;
}

export const MAX_SCHEDULES = 1_000;
export const MAX_JITTER_MS = HOUR;
/** How many runs of a schedule are kept. */
export const RUNS_KEPT = 100;
/** How many missed slots are recorded one by one. */
export const MAX_MISSED_LISTED = 20;
/** A slot that is later than this is missed. */
export const TOLERANCE_MS = 30 * MINUTE;
/** A slot without a result after this long has lost its process. */
export const STARTING_MS = 60 * SECOND;

/** The single server of a schedule, which gets a job without a batch; `null`: its servers are a batch. */
export const onlyServer = ({ selector }: Pick<Schedule, 'selector'>): number | null =>
  selector.by === 'ids' && selector.ids.length === 1 ? (selector.ids[0] ?? null) : null;

/** How much later than the slot a server's job starts: from 0 to the schedule's jitter, and the same each time. */
export function jitterOf(schedule: Pick<Schedule, 'name' | 'jitterMs'>, serverId: number): number {
  return hashOf(`${schedule.name}:${serverId}`) % (schedule.jitterMs + 1);
}

/** How much later than its slots the schedule itself is processed: a batch applies jitter to each of its hosts. */
export function delayOf(schedule: Pick<Schedule, 'name' | 'jitterMs' | 'selector'>): number {
  const server = onlyServer(schedule);
  return server === null ? 0 : jitterOf(schedule, server);
}

/** 32-bit FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/, of ASCII text, mixed so that near ids come apart. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** What to do about due slots, oldest first: the last one runs unless it is too late, all others are missed. */
export function catchUp(
  slots: readonly Instant[],
  now: Instant,
): { readonly run: Instant | null; readonly missed: readonly Instant[] } {
  const last = slots.at(-1);
  if (last === undefined) return { run: null, missed: [] };
  return now - last <= TOLERANCE_MS
    ? { run: last, missed: slots.slice(0, -1) }
    : { run: null, missed: slots };
}

export const scheduleNotFound = (what: string): DomainError =>
  new DomainError('schedule_not_found', `There is no schedule ${what}.`);

export const scheduleChanged = (schedule: Pick<Schedule, 'name'>): DomainError =>
  new DomainError(
    'schedule_changed',
    `The schedule ${schedule.name} was changed by another user in the meantime. Review it and try again.`,
  );
