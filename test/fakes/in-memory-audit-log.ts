import type { AuditLog } from '../../src/application/ports/audit-log.ts';
import type { AuditEntry } from '../../src/domain/audit-entry.ts';
import type { Page, PageRequest } from '../../src/domain/page.ts';
import { InMemoryWorld } from './in-memory-world.ts';
import { pageOf } from './page-of.ts';

export class InMemoryAuditLog implements AuditLog {
  readonly #world: InMemoryWorld;

  constructor(world = new InMemoryWorld()) {
    this.#world = world;
  }

  async record(entry: AuditEntry): Promise<void> {
    this.#world.trail.write({ audit: [entry] });
  }

  async list(
    filter: { object?: string; actorKind?: string; actorId?: number },
    page: PageRequest,
  ): Promise<Page<AuditEntry & { id: number }>> {
    const { object, actorKind, actorId } = filter;
    const matching = this.#world.trail.audit.filter(
      (entry) =>
        (object === undefined || entry.object === object) &&
        (actorKind === undefined || entry.actorKind === actorKind) &&
        (actorId === undefined || entry.actorId === actorId),
    );
    return pageOf(matching.toReversed(), page);
  }
}
