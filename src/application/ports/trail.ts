import type { AuditEntry } from '../../domain/audit-entry.ts';
import type { DomainEvent } from '../../domain/event.ts';

/** What a change leaves behind. Stores write it in the transaction of the change: both are kept, or neither. */
export interface Trail {
  readonly audit?: readonly AuditEntry[];
  readonly events?: readonly DomainEvent[];
}
