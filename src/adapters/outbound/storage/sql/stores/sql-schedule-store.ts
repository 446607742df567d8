import type { Knex } from 'knex';
import type { ScheduleStore } from '../../../../../application/ports/automation/schedule-store.ts';
import type { ChangeRecord } from '../../../../../application/ports/events/change-record.ts';
import {
  type Schedule,
  type ScheduleRun,
  scheduleChanged,
  scheduleNotFound,
} from '../../../../../domain/automation/schedule.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import type { Page, PageRequest } from '../../../../../domain/base/page.ts';
import { SqlStore } from '../database.ts';
import { pageOf } from '../page.ts';
import {
  RUN_COLUMNS,
  type RunRow,
  SCHEDULE_COLUMNS,
  type ScheduleRow,
  scheduleColumns,
  toRun,
  toSchedule,
} from '../tables/schedule-row.ts';
import { NamedRows } from './named-rows.ts';
import { withMembers } from './run-members.ts';
import { adoptOwners } from './schedule-owners.ts';
import { beginRun, stampSlots } from './schedule-slots.ts';

const TABLE = 'schedules';
const ROWS = new NamedRows<ScheduleRow, Schedule>({
  table: TABLE,
  columns: SCHEDULE_COLUMNS,
  read: toSchedule,
  notFound: scheduleNotFound,
  taken: (name) => `A schedule named "${name}" already exists; choose a different name.`,
});

export class SqlScheduleStore extends SqlStore implements ScheduleStore {
  async add(...[schedule, at, record]: Parameters<ScheduleStore['add']>): Promise<Schedule> {
    return this.database.transaction(async (trx) => {
      const row = { ...scheduleColumns(schedule), created_by: schedule.createdBy.slice(0, 255) };
      const id = await ROWS.insert(trx, schedule.name, { ...row, created_at: at, updated_at: at });
      return ROWS.left(trx, id, record);
    });
  }

  async find(id: number): Promise<Schedule | null> {
    return ROWS.find(this.database.knex, { id });
  }

  async findByName(name: string): Promise<Schedule | null> {
    return ROWS.find(this.database.knex, { name });
  }

  async list(): Promise<readonly Schedule[]> {
    return ROWS.list(this.database.knex);
  }

  async change(...[schedule, change, at, record]: Parameters<ScheduleStore['change']>): Promise<Schedule> {
    const { id, revision } = schedule;
    const after = { ...schedule, ...change };
    return this.database.transaction(async (trx) => {
      const row = { ...scheduleColumns(after), revision: revision + 1, updated_at: at };
      const changed = await ROWS.refusing(trx(TABLE).where({ id, revision }).update(row), after.name);
      if (changed === 0) throw (await ROWS.find(trx, { id })) ? scheduleChanged(schedule) : ROWS.missing(id);
      return ROWS.left(trx, id, record);
    });
  }

  async adoptOwners(): Promise<void> {
    await this.database.transaction(adoptOwners);
  }

  async remove(id: number, record: ChangeRecord): Promise<void> {
    await this.database.transaction((trx) => ROWS.remove(trx, id, record));
  }

  async due(now: Instant, limit: number): Promise<readonly Schedule[]> {
    const rows: ScheduleRow[] = await this.database
      .knex('schedules')
      .where('due_at', '<=', now)
      .select(SCHEDULE_COLUMNS)
      .orderBy(['due_at', 'id'])
      .limit(limit);
    return rows.map(toSchedule);
  }

  async ahead(of: Instant, limit: number): Promise<readonly Schedule[]> {
    const rows: ScheduleRow[] = await this.database
      .knex('schedules')
      .where({ enabled: 1 })
      .where('handled_to', '>', of)
      .select(SCHEDULE_COLUMNS)
      .orderBy('id')
      .limit(limit);
    return rows.map(toSchedule);
  }

  async stamp(...[schedule, stamp]: Parameters<ScheduleStore['stamp']>): Promise<ScheduleRun | null> {
    return this.database.transaction((trx) => stampSlots(this.database, trx, schedule, stamp));
  }

  async begin(id: number, at: Instant): Promise<ScheduleRun> {
    return this.database.transaction((trx) => beginRun(this.database, trx, id, at));
  }

  async end(...[runId, how]: Parameters<ScheduleStore['end']>): Promise<void> {
    await this.database.write((knex) =>
      knex('schedule_runs').where({ id: runId, outcome: 'starting' }).update(how),
    );
  }

  async abandon(ms: number, detail: string): Promise<number> {
    return this.database.write((knex) =>
      knex('schedule_runs')
        .where({ outcome: 'starting' })
        .where('stamped_at', '<', this.database.nowPlus(-ms))
        .update({ outcome: 'missed', code: 'worker_lost', detail }),
    );
  }

  async runs(scheduleId: number, page: PageRequest): Promise<Page<ScheduleRun>> {
    const all = this.database.knex('schedule_runs').where({ schedule_id: scheduleId });
    return pageOf(all, page, async (window) => {
      const runs = window.select(RUN_COLUMNS).orderBy('id', 'desc').as('runs');
      const rows = await withResults(this.database.knex, runs);
      return withMembers(this.database.knex, rows.map(toRun));
    });
  }

  async latestRuns(
    scheduleIds: readonly number[],
    limit: number,
  ): Promise<ReadonlyMap<number, readonly ScheduleRun[]>> {
    const { knex } = this.database;
    const numbered = knex('schedule_runs')
      .select(RUN_COLUMNS)
      .rowNumber('place', { column: 'id', order: 'desc' }, 'schedule_id')
      .whereIn('schedule_id', scheduleIds)
      .as('numbered');
    const runs = knex.select(RUN_COLUMNS).from(numbered).where('place', '<=', limit).as('runs');
    const rows = await withResults(knex, runs);
    const latest = new Map<number, ScheduleRun[]>();
    for (const run of await withMembers(knex, rows.map(toRun)))
      latest.set(run.scheduleId, [...(latest.get(run.scheduleId) ?? []), run]);
    return latest;
  }
}

/** The runs, the latest first, with the statuses of the jobs and batches that they started. */
const withResults = (knex: Knex, runs: Knex.QueryBuilder): Promise<RunRow[]> =>
  knex
    .select([
      ...RUN_COLUMNS.map((column) => `runs.${column}`),
      knex.raw('coalesce(??, ??) as ??', ['batches.status', 'jobs.status', 'result']),
    ])
    .from(runs)
    .leftJoin('jobs', 'jobs.id', 'runs.job_id')
    .leftJoin('batches', 'batches.id', 'runs.batch_id')
    .orderBy('runs.id', 'desc');
