import type { Page, PageRequest } from '../../../domain/base/page.ts';
import type { AuditEntry, AuditFilter, KeptEntry } from '../../../domain/events/audit-entry.ts';

/**
 * The audit log. Entries that belong to a change are written with it (see `ChangeRecord`); others, such as refusals,
 * here.
 */
export interface AuditLog {
  record(entry: AuditEntry): Promise<void>;
  /** All of them, or none. */
  recordAll(entries: readonly AuditEntry[]): Promise<void>;
  /** Newest first. */
  list(filter: AuditFilter, page: PageRequest): Promise<Page<KeptEntry>>;
  /** Entries after an id, oldest first; at most this many. */
  after(filter: AuditFilter, id: number, limit: number): Promise<readonly KeptEntry[]>;
}
