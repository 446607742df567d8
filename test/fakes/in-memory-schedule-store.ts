import type { ScheduleStore, Stamp } from '../../src/application/ports/automation/schedule-store.ts';
import type { ChangeRecord } from '../../src/application/ports/events/change-record.ts';
import {
  type NewSchedule,
  RUNS_KEPT,
  type RunOutcome,
  type Schedule,
  type ScheduleChange,
  type ScheduleRun,
  scheduleChanged,
  scheduleNotFound,
} from '../../src/domain/automation/schedule.ts';
import { DomainError } from '../../src/domain/base/errors.ts';
import { type Instant, MINUTE } from '../../src/domain/base/instant.ts';
import type { Page, PageRequest } from '../../src/domain/base/page.ts';
import { InMemoryWorld } from './in-memory-world.ts';
import { pageOf } from './page-of.ts';

export class InMemoryScheduleStore implements ScheduleStore {
  readonly #world: InMemoryWorld;
  readonly #schedules: Map<number, Schedule>;

  constructor(world = new InMemoryWorld()) {
    this.#world = world;
    this.#schedules = world.schedules;
  }

  async add(
    asked: NewSchedule,
    at: Instant,
    record: (schedule: Schedule) => ChangeRecord,
  ): Promise<Schedule> {
    this.#refuseTaken(asked.name, null);
    const id = this.#world.nextId('schedules');
    return this.#write({ ...asked, id, revision: 0, createdAt: at, updatedAt: at }, record);
  }

  async find(id: number): Promise<Schedule | null> {
    return this.#schedules.get(id) ?? null;
  }

  async findByName(name: string): Promise<Schedule | null> {
    return [...this.#schedules.values()].find((schedule) => schedule.name === name) ?? null;
  }

  async list(): Promise<readonly Schedule[]> {
    return [...this.#schedules.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  async change(
    schedule: Schedule,
    change: ScheduleChange,
    at: Instant,
    record: (schedule: Schedule) => ChangeRecord,
  ): Promise<Schedule> {
    const now = this.#existing(schedule.id);
    if (now.revision !== schedule.revision) throw scheduleChanged(schedule);
    if (change.name !== undefined) this.#refuseTaken(change.name, schedule.id);
    return this.#write({ ...schedule, ...change, revision: schedule.revision + 1, updatedAt: at }, record);
  }

  async adoptOwners(): Promise<void> {
    for (const schedule of this.#schedules.values()) {
      if (schedule.owner !== null) continue;
      const added = this.#world.record.audit.find(
        ({ action, object, outcome }) =>
          action === 'schedule.add' && object === `schedule:${schedule.id}` && outcome === 'done',
      );
      const { createdBy } = schedule;
      const isOperator = !/^(token|user):/.test(createdBy);
      if (added) {
        const owner = { kind: added.actorKind, id: added.actorId, name: added.actorName };
        const token = owner.kind === 'token' ? this.#world.tokens.get(owner.id ?? 0)?.token : undefined;
        const requireApproval = schedule.requireApproval || (token?.requireApproval ?? false);
        this.#schedules.set(schedule.id, { ...schedule, owner, requireApproval });
      } else if (isOperator) {
        const owner = { kind: 'operator' as const, id: null, name: createdBy };
        this.#schedules.set(schedule.id, { ...schedule, owner });
      }
    }
  }

  async remove(id: number, record: ChangeRecord): Promise<void> {
    this.#existing(id);
    this.#schedules.delete(id);
    for (const run of this.#runsOf(id)) this.#world.scheduleRuns.delete(run.id);
    this.#world.record.write(record);
  }

  async due(now: Instant, limit: number): Promise<readonly Schedule[]> {
    const at = ({ dueAt }: Schedule): number => dueAt ?? Number.POSITIVE_INFINITY;
    return [...this.#schedules.values()]
      .filter((schedule) => at(schedule) <= now)
      .toSorted((a, b) => at(a) - at(b) || a.id - b.id)
      .slice(0, limit);
  }

  async ahead(of: Instant, limit: number): Promise<readonly Schedule[]> {
    return [...this.#schedules.values()]
      .filter(({ enabled, handledTo }) => enabled && handledTo > of)
      .toSorted((a, b) => a.id - b.id)
      .slice(0, limit);
  }

  async stamp(schedule: Schedule, { handledTo, dueAt, run, missed }: Stamp): Promise<ScheduleRun | null> {
    const now = this.#schedules.get(schedule.id);
    const same = now?.revision === schedule.revision && now.handledTo === schedule.handledTo;
    if (!now?.enabled || !same) return null;
    this.#schedules.set(now.id, { ...now, handledTo, dueAt });
    const there = new Set(this.#runsOf(now.id).map(({ slotAt }) => slotAt));
    for (const { slotAt, detail } of missed) {
      if (!there.has(slotAt)) this.#addRun(now.id, slotAt, { outcome: 'missed', detail });
    }
    const added = run === null || there.has(run) ? null : this.#addRun(now.id, run, { outcome: 'starting' });
    this.#prune(now.id);
    return added;
  }

  async begin(id: number, at: Instant): Promise<ScheduleRun> {
    this.#existing(id);
    const there = new Set(this.#runsOf(id).map(({ slotAt }) => slotAt));
    let slot = at;
    while (slot % MINUTE === 0 || there.has(slot)) slot += 1;
    const run = this.#addRun(id, slot, { outcome: 'starting', manual: true });
    this.#prune(id);
    return run;
  }

  async end(...[runId, how]: Parameters<ScheduleStore['end']>): Promise<void> {
    const run = this.#world.scheduleRuns.get(runId);
    if (run?.outcome === 'starting') this.#world.scheduleRuns.set(runId, { ...run, ...how });
  }

  async abandon(ms: number, detail: string): Promise<number> {
    const lost = [...this.#world.scheduleRuns.values()].filter(
      (run) => run.outcome === 'starting' && run.stampedAt < this.#world.now() - ms,
    );
    for (const run of lost) {
      this.#world.scheduleRuns.set(run.id, { ...run, outcome: 'missed', code: 'worker_lost', detail });
    }
    return lost.length;
  }

  async runs(scheduleId: number, page: PageRequest): Promise<Page<ScheduleRun>> {
    return pageOf(this.#runsOf(scheduleId), page);
  }

  async latestRuns(
    scheduleIds: readonly number[],
    limit: number,
  ): Promise<ReadonlyMap<number, readonly ScheduleRun[]>> {
    return new Map(
      scheduleIds.flatMap((id) => {
        const latest = this.#runsOf(id).slice(0, limit);
        return latest.length > 0 ? [[id, latest] as const] : [];
      }),
    );
  }

  /** Those first that were noted last. */
  #runsOf(scheduleId: number): readonly ScheduleRun[] {
    return [...this.#world.scheduleRuns.values()]
      .filter((run) => run.scheduleId === scheduleId)
      .toSorted((a, b) => b.id - a.id)
      .map((kept) => {
        const { stampedAt: _stampedAt, ...run } = kept;
        return run;
      });
  }

  #addRun(
    scheduleId: number,
    slotAt: Instant,
    over: { outcome: RunOutcome; detail?: string; manual?: true },
  ): ScheduleRun {
    const id = this.#world.nextId('scheduleRuns');
    const run: ScheduleRun = {
      id,
      scheduleId,
      slotAt,
      manual: false,
      jobId: null,
      batchId: null,
      code: null,
      detail: null,
      ...over,
    };
    this.#world.scheduleRuns.set(id, { ...run, stampedAt: this.#world.now() });
    return run;
  }

  #prune(scheduleId: number): void {
    for (const run of this.#runsOf(scheduleId).slice(RUNS_KEPT)) this.#world.scheduleRuns.delete(run.id);
  }

  #existing(id: number): Schedule {
    const schedule = this.#schedules.get(id);
    if (!schedule) throw scheduleNotFound(`with id ${id}`);
    return schedule;
  }

  #refuseTaken(name: string, except: number | null): void {
    if ([...this.#schedules.values()].some((other) => other.name === name && other.id !== except)) {
      throw new DomainError(
        'name_taken',
        `There is a schedule named "${name}" already; choose another name.`,
      );
    }
  }

  #write(schedule: Schedule, record: (schedule: Schedule) => ChangeRecord): Schedule {
    const left = record(schedule);
    this.#world.record.write(left);
    this.#schedules.set(schedule.id, schedule);
    return schedule;
  }
}
