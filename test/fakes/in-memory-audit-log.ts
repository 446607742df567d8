import type { AuditLog } from '../../src/application/ports/events/audit-log.ts';
import type { Page, PageRequest } from '../../src/domain/base/page.ts';
import type { AuditEntry, AuditFilter, KeptEntry } from '../../src/domain/events/audit-entry.ts';
import { InMemoryWorld } from './in-memory-world.ts';
import { pageOf } from './page-of.ts';

export class InMemoryAuditLog implements AuditLog {
  readonly #world: InMemoryWorld;

  constructor(world = new InMemoryWorld()) {
    this.#world = world;
  }

  async record(entry: AuditEntry): Promise<void> {
    this.#world.record.write({ audit: [entry] });
  }

  async list(filter: AuditFilter, page: PageRequest): Promise<Page<KeptEntry>> {
    return pageOf(this.#matching(filter).toReversed(), page);
  }

  async after(filter: AuditFilter, id: number, limit: number): Promise<readonly KeptEntry[]> {
    return this.#matching(filter)
      .filter((entry) => entry.id > id)
      .slice(0, limit);
  }

  #matching({ action, except, serverId, outcome, from, until, ...same }: AuditFilter): readonly KeptEntry[] {
    return this.#world.record.audit.filter(
      (entry) =>
        Object.entries(same).every(([name, value]) => entry[name as keyof typeof same] === value) &&
        (action === undefined || entry.action === action || entry.action.startsWith(`${action}.`)) &&
        !except?.includes(entry.action) &&
        (serverId === undefined ||
          entry.object === `server:${serverId}` ||
          entry.detail['serverId'] === serverId) &&
        (outcome === undefined || (entry.outcome === 'done') === (outcome === 'done')) &&
        (from === undefined || entry.at >= from) &&
        (until === undefined || entry.at < until),
    );
  }
}
