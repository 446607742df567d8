import type { Actor } from '../../domain/access/actor.ts';
import type { Page, PageRequest } from '../../domain/base/page.ts';
import { type AuditFilter, auditEntry, type KeptEntry } from '../../domain/events/audit-entry.ts';
import { UseCase } from '../base/use-case.ts';

const PAGE = 500;

/** The audit log, for administrators. */
export class ListAudit extends UseCase<'audit' | 'clock'> {
  /** Newest first. */
  async execute(actor: Actor, filter: AuditFilter, page: PageRequest): Promise<Page<KeptEntry>> {
    actor.requireRole('administrator');
    return this.deps.audit.list(filter, page);
  }

  /**
   * All entries, oldest first, as a stream: only one page is in memory. Entries that are written in the meantime are
   * omitted. The export is itself an audit entry.
   */
  async export(actor: Actor, filter: AuditFilter): Promise<AsyncIterable<KeptEntry>> {
    actor.requireRole('administrator');
    const { items } = await this.deps.audit.list({}, { limit: 1, offset: 0 });
    const newest = items[0]?.id ?? 0;
    await this.deps.audit.record(
      auditEntry(actor, this.deps.clock.now(), 'audit.export', 'audit', { ...filter }),
    );
    return this.#upTo(newest, filter);
  }

  async *#upTo(newest: number, filter: AuditFilter): AsyncIterable<KeptEntry> {
    for (let after = 0; ; ) {
      const page = await this.deps.audit.after(filter, after, PAGE);
      for (const entry of page) {
        if (entry.id > newest) return;
        yield entry;
      }
      if (page.length < PAGE) return;
      after = page.at(-1)?.id ?? after;
    }
  }
}
