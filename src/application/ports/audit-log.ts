import type { AuditEntry } from '../../domain/audit-entry.ts';
import type { Page, PageRequest } from '../../domain/page.ts';

/** Who did what. Entries that belong to a change are written with it (see `Trail`); the rest, such as refusals, here. */
export interface AuditLog {
  record(entry: AuditEntry): Promise<void>;
  /** Newest first. */
  list(
    filter: { object?: string; actorKind?: string; actorId?: number },
    page: PageRequest,
  ): Promise<Page<AuditEntry & { id: number }>>;
}
