import type { Actor } from '../../domain/access/actor.ts';
import { type Instant, toIso } from '../../domain/base/instant.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import { UseCase } from '../base/use-case.ts';

const BATCH = 1_000;

/** Removes old audit entries in a way that keeps the rest verifiable. */
export class PruneAudit extends UseCase<'chain' | 'audit' | 'clock'> {
  /**
   * Removes chained entries that are older, up to the first that is not, and writes an entry about it. Returns how
   * many. Throws `audit_broken`, and then removes nothing.
   */
  async execute(actor: Actor, before: Instant, signal?: AbortSignal): Promise<number> {
    actor.requireRole('administrator');
    let entries = 0;
    for (;;) {
      if (signal?.aborted) break;
      const removed = await this.deps.chain.prune(before, BATCH);
      entries += removed;
      if (removed < BATCH) break;
    }
    if (entries > 0) {
      const detail = { before: toIso(before), entries };
      await this.deps.audit.record(auditEntry(actor, this.deps.clock.now(), 'audit.prune', 'audit', detail));
    }
    return entries;
  }
}
