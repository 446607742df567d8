import type { ReplyToKeep } from '../../../domain/base/kept-reply.ts';
import type { AuditEntry } from '../../../domain/events/audit-entry.ts';
import type { DomainEvent } from '../../../domain/events/event.ts';

/** What a change leaves behind. Stores write it in the transaction of the change: both are kept, or neither. */
export interface ChangeRecord {
  readonly audit?: readonly AuditEntry[];
  readonly events?: readonly DomainEvent[];
  /**
   * Where a request with a key asked for the change: whatever dies after it, the request sent again gets this, and changes
   * nothing. Throws `idempotency_key_in_use`, and nothing is changed, where another attempt at the request took over.
   */
  readonly reply?: ReplyToKeep | undefined;
}
