import type { Actor } from '../../domain/actor.ts';
import { auditEntry } from '../../domain/audit-entry.ts';
import { type Instant, toIso } from '../../domain/instant.ts';
import type { AuditChain } from '../ports/audit-chain.ts';
import type { AuditLog } from '../ports/audit-log.ts';
import type { Clock } from '../ports/clock.ts';

const BATCH = 1_000;

/** Removes old entries of the audit log, so that what is left can still be verified. */
export class PruneAudit {
  readonly #chain: AuditChain;
  readonly #audit: AuditLog;
  readonly #clock: Clock;

  constructor(deps: { chain: AuditChain; audit: AuditLog; clock: Clock }) {
    this.#chain = deps.chain;
    this.#audit = deps.audit;
    this.#clock = deps.clock;
  }

  /**
   * Removes sealed entries that are older, up to the first that is not, and leaves an entry that says so. Returns how
   * many. Throws `audit_broken`, and then removes nothing.
   */
  async execute(actor: Actor, before: Instant, signal?: AbortSignal): Promise<number> {
    actor.requireRole('administrator');
    let entries = 0;
    for (;;) {
      if (signal?.aborted) break;
      const removed = await this.#chain.prune(before, BATCH);
      entries += removed;
      if (removed < BATCH) break;
    }
    if (entries > 0) {
      const detail = { before: toIso(before), entries };
      await this.#audit.record(auditEntry(actor, this.#clock.now(), 'audit.prune', 'audit', detail));
    }
    return entries;
  }
}
