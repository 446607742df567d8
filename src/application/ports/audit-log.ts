import type { ActorKind } from '../../domain/actor.ts';
import type { AuditEntry } from '../../domain/audit-entry.ts';
import type { Instant } from '../../domain/instant.ts';
import type { Page, PageRequest } from '../../domain/page.ts';

export interface AuditFilter {
  readonly object?: string;
  readonly actorKind?: ActorKind;
  readonly actorId?: number;
  /** By name, exactly. */
  readonly actorName?: string;
  /** `job` is all that is done with jobs, `job.request` the one thing. */
  readonly action?: string;
  /** What was done to this server, or to something on it. */
  readonly serverId?: number;
  readonly outcome?: 'done' | 'refused';
  readonly from?: Instant;
  /** Up to the moment before. */
  readonly until?: Instant;
}

/** An entry as it is kept. */
export type KeptEntry = AuditEntry & { readonly id: number };

/** Who did what. Entries that belong to a change are written with it (see `Trail`); the rest, such as refusals, here. */
export interface AuditLog {
  record(entry: AuditEntry): Promise<void>;
  /** Newest first. */
  list(filter: AuditFilter, page: PageRequest): Promise<Page<KeptEntry>>;
  /** Those after an id, oldest first; at most so many. */
  after(filter: AuditFilter, id: number, limit: number): Promise<readonly KeptEntry[]>;
}
