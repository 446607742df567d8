import type { Requester } from '../access/requester.ts';
import { DomainError, type ErrorCode } from '../base/errors.ts';
import { HOUR, type Instant, MINUTE, SECOND } from '../base/instant.ts';
import type { HostSelector } from '../fleet/host-selector.ts';
import type { JobParams } from '../jobs/job.ts';
import type { JobType } from '../jobs/job-types.ts';
import type { BatchBounds } from './batch.ts';
import type { CronRule } from './cron-rule.ts';

/** A token, a user, or the operator at the command line. */
export type ScheduleOwner = Pick<Requester, 'kind' | 'id' | 'name'>;

/** Work that starts by itself when its time comes. */
export interface Schedule {
  readonly id: number;
  readonly name: string;
  readonly selector: HostSelector;
  readonly cron: CronRule;
  readonly jobType: JobType;
  readonly params: JobParams;
  readonly bounds: BatchBounds;
  /** Each server's job starts up to so much later, always by the same time: not all of them at once. */
  readonly jitterMs: number;
  readonly enabled: boolean;
  /** Somebody who wrote it may start jobs only with a person's approval: so does the schedule, no matter who edits it later. */
  readonly requireApproval: boolean;
  /** In whose name, and with whose rights, it runs; null: it cannot be said. */
  readonly owner: ScheduleOwner | null;
  /** Why it was switched off; null if somebody did, or it is on. */
  readonly offReason: string | null;
  /** All slots up to here are dealt with. */
  readonly handledTo: Instant;
  /** When it is looked at next, `null` where no slot is left or it is off. */
  readonly dueAt: Instant | null;
  /** Goes up with every change that somebody makes. */
  readonly revision: number;
  readonly createdBy: string;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export type NewSchedule = Omit<Schedule, 'id' | 'revision' | 'createdAt' | 'updatedAt'>;
export type ScheduleChange = Partial<Omit<NewSchedule, 'createdBy'>>;

/** What became of a slot. `starting`: it is stamped, and its job is on the way. */
export const RUN_OUTCOMES = ['starting', 'started', 'skipped', 'refused', 'missed'] as const;
export type RunOutcome = (typeof RUN_OUTCOMES)[number];

/** A slot of a schedule that was dealt with. There is one at most for each time. */
export interface ScheduleRun {
  readonly id: number;
  readonly scheduleId: number;
  readonly slotAt: Instant;
  /** A person asked for it; its time had not come. */
  readonly manual: boolean;
  readonly outcome: RunOutcome;
  readonly jobId: number | null;
  readonly batchId: number | null;
  readonly code: ErrorCode | null;
  readonly detail: string | null;
}

export const MAX_SCHEDULES = 1_000;
export const MAX_JITTER_MS = HOUR;
/** So many runs of a schedule are kept. */
export const RUNS_KEPT = 100;
/** Of the slots that were missed while nobody looked, so many are noted one by one. */
export const MISSED_TOLD = 20;
/** A slot that is later than this is not run any more. */
export const TOLERANCE_MS = 30 * MINUTE;
/** A slot that is stamped and has come to nothing for so long lost its process. */
export const STARTING_MS = 60 * SECOND;

/** The one server of a schedule that gets a job of its own; `null`: its servers are a batch. */
export const onlyServer = ({ selector }: Pick<Schedule, 'selector'>): number | null =>
  selector.by === 'ids' && selector.ids.length === 1 ? (selector.ids[0] ?? null) : null;

/** How much later than the slot a server's job starts: from 0 to the schedule's jitter, and the same each time. */
export function jitterOf(schedule: Pick<Schedule, 'name' | 'jitterMs'>, serverId: number): number {
  return hashOf(`${schedule.name}:${serverId}`) % (schedule.jitterMs + 1);
}

/** How much later than its slots the schedule itself is looked at: a batch gives each of its hosts its own jitter. */
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

/**
 * What to do about slots whose time has come, oldest first: the last one runs unless it is too late, all others are
 * missed.
 */
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
