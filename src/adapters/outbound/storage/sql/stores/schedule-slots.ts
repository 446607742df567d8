import type { Knex } from 'knex';
import type { Stamp } from '../../../../../application/ports/automation/schedule-store.ts';
import {
  RUNS_KEPT,
  type RunOutcome,
  type Schedule,
  type ScheduleRun,
  scheduleNotFound,
} from '../../../../../domain/automation/schedule.ts';
import { type Instant, MINUTE } from '../../../../../domain/base/instant.ts';
import type { Database } from '../database.ts';
import { RUN_COLUMNS, type RunRow, toRun } from '../tables/schedule-row.ts';

/** A schedule that was advanced or changed by another process matches no row: nothing is written then. */
export async function stampSlots(
  database: Database,
  trx: Knex,
  schedule: Schedule,
  { handledTo, dueAt, run, missed }: Stamp,
): Promise<ScheduleRun | null> {
  const { id, revision } = schedule;
  const moved = await trx('schedules')
    .where({ id, revision, enabled: 1, handled_to: schedule.handledTo })
    .update({ handled_to: handledTo, due_at: dueAt });
  if (moved === 0) return null;
  const slot = { schedule_id: id, manual: 0, stamped_at: database.nowMs() };
  const slots: Slot[] = missed.map(({ slotAt, detail }) => ({ slot_at: slotAt, outcome: 'missed', detail }));
  if (run !== null) slots.push({ slot_at: run, outcome: 'starting', detail: null });
  const there = await slotsThere(trx, id, slots);
  const added = slots.filter(({ slot_at }) => !there.has(slot_at));
  if (added.length > 0) await trx('schedule_runs').insert(added.map((each) => ({ ...slot, ...each })));
  await prune(trx, id);
  return run === null || there.has(run) ? null : readRun(trx, id, run);
}

interface Slot {
  readonly slot_at: Instant;
  readonly outcome: RunOutcome;
  readonly detail: string | null;
}

/** Those that were dealt with before, such as before the clock of this machine was set back. */
async function slotsThere(trx: Knex, id: number, slots: readonly Slot[]): Promise<ReadonlySet<Instant>> {
  const times = slots.map(({ slot_at }) => slot_at);
  const rows = await trx('schedule_runs')
    .where({ schedule_id: id })
    .whereIn('slot_at', times)
    .select<{ slot_at: number }[]>('slot_at');
  return new Set(rows.map(({ slot_at }) => slot_at));
}

/** The schedule's row is locked first, so that the next free moment stays free. */
export async function beginRun(database: Database, trx: Knex, id: number, at: Instant): Promise<ScheduleRun> {
  const found = await trx('schedules')
    .where({ id })
    .update({ revision: trx.raw('revision') });
  if (found === 0) throw scheduleNotFound(`with id ${id}`);
  const later = await trx('schedule_runs')
    .where({ schedule_id: id })
    .where('slot_at', '>=', at)
    .select<{ slot_at: number }[]>('slot_at');
  let slot = at;
  // Whole minutes are left to the slots of the rule itself.
  while (slot % MINUTE === 0 || later.some(({ slot_at }) => slot_at === slot)) slot += 1;
  await trx('schedule_runs').insert({
    schedule_id: id,
    slot_at: slot,
    manual: 1,
    outcome: 'starting',
    stamped_at: database.nowMs(),
  });
  await prune(trx, id);
  return readRun(trx, id, slot);
}

async function readRun(trx: Knex, scheduleId: number, slotAt: Instant): Promise<ScheduleRun> {
  const row = await trx('schedule_runs')
    .where({ schedule_id: scheduleId, slot_at: slotAt })
    .first<RunRow>(RUN_COLUMNS);
  return toRun(row);
}

/** Keeps the `RUNS_KEPT` runs that were noted last: times can lie in a future that a wrong clock has shown. */
async function prune(trx: Knex, scheduleId: number): Promise<void> {
  const oldest = await trx('schedule_runs')
    .where({ schedule_id: scheduleId })
    .orderBy('id', 'desc')
    .offset(RUNS_KEPT)
    .limit(1)
    .first<{ id: number } | undefined>('id');
  if (!oldest) return;
  await trx('schedule_runs').where({ schedule_id: scheduleId }).where('id', '<=', oldest.id).delete();
}
