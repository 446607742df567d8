import type { Actor } from '../../domain/access/actor.ts';
import { type Instant, toIso } from '../../domain/base/instant.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import type { Clock } from '../ports/base/clock.ts';
import type { AuditChain } from '../ports/events/audit-chain.ts';
import type { AuditLog } from '../ports/events/audit-log.ts';

const BATCH = 1_000;

interface Deps {
  readonly chain: AuditChain;
  readonly audit: AuditLog;
  readonly clock: Clock;
}

/** Removes old audit entries in a way that keeps the rest verifiable. */
export class PruneAudit {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * Removes chained entries that are older, up to the first that is not, and writes an entry about it. Returns how
   * many. Throws `audit_broken`, and then removes nothing.
   */
  async execute(actor: Actor, before: Instant, signal?: AbortSignal): Promise<number> {
    actor.requireRole('administrator');
    let entries = 0;
    for (;;) {
      if (signal?.aborted) break;
      const removed = await this.#deps.chain.prune(before, BATCH);
      entries += removed;
      if (removed < BATCH) break;
    }
    if (entries > 0) {
      const detail = { before: toIso(before), entries };
      await this.#deps.audit.record(
        auditEntry(actor, this.#deps.clock.now(), 'audit.prune', 'audit', detail),
      );
    }
    return entries;
  }
}
