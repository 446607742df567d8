import type { Trail } from '../../src/application/ports/trail.ts';
import type { AuditEntry } from '../../src/domain/audit-entry.ts';
import type { BackupSource } from '../../src/domain/backup-source.ts';
import type { Batch, BatchMember } from '../../src/domain/batch.ts';
import type { DomainEvent } from '../../src/domain/event.ts';
import type { Instant } from '../../src/domain/instant.ts';
import type { Job } from '../../src/domain/job.ts';
import type { ScheduleRun } from '../../src/domain/schedule.ts';
import type { Server } from '../../src/domain/server.ts';
import type { FoundService } from '../../src/domain/service.ts';

/** What changes left behind, oldest first. */
export class InMemoryTrail {
  readonly audit: (AuditEntry & { readonly id: number })[] = [];
  readonly events: DomainEvent[] = [];

  write(trail: Trail): void {
    for (const entry of trail.audit ?? []) this.audit.push({ ...entry, id: this.audit.length + 1 });
    this.events.push(...(trail.events ?? []));
  }

  /** `server.add server:1`, … */
  get actions(): readonly string[] {
    return this.audit.map((entry) => `${entry.action} ${entry.object}`);
  }
}

/**
 * What the in-memory stores share where one store's rule looks at another's data. A method of a store makes its whole
 * change without waiting in between, so that each is one transaction.
 */
export class InMemoryWorld {
  /** Those that are there. */
  readonly servers = new Map<number, Server>();
  /** Also removed ones, since snapshots refer to them. */
  readonly sources = new Map<number, BackupSource & { readonly removedAt: Instant | null }>();
  /** All jobs; a job store may keep more about each than a reader sees. */
  readonly jobs = new Map<number, Job>();
  /** Those of each server, by its id. */
  readonly services = new Map<number, readonly (FoundService & { readonly id: number })[]>();
  /** Runs of schedules, with when they were stamped. */
  readonly scheduleRuns = new Map<number, ScheduleRun & { readonly stampedAt: Instant }>();
  readonly batches = new Map<number, Batch>();
  /** Those of each batch in the order of their turns, by its id. */
  readonly batchMembers = new Map<number, readonly BatchMember[]>();
  readonly trail = new InMemoryTrail();
  /** The database's clock. */
  now: () => Instant = Date.now;
  readonly #lastIds = new Map<string, number>();

  nextId(table: string): number {
    const id = (this.#lastIds.get(table) ?? 0) + 1;
    this.#lastIds.set(table, id);
    return id;
  }
}
