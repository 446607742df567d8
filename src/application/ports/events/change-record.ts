import type { ReplyToKeep } from '../../../domain/base/kept-reply.ts';
import type { AuditEntry } from '../../../domain/events/audit-entry.ts';
import type { DomainEvent } from '../../../domain/events/event.ts';

/** The records of a change. Stores write them in the transaction of the change: both are stored, or neither. */
export interface ChangeRecord {
  readonly audit?: readonly AuditEntry[];
  readonly events?: readonly DomainEvent[];
  /**
   * If a request with a key caused the change: whatever dies afterwards, a repeated request gets this reply, and
   * changes nothing. Throws `idempotency_key_in_use`, and nothing is changed, if another attempt at the request took
   * over.
   */
  readonly reply?: ReplyToKeep | undefined;
}
