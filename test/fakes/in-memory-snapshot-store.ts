import type { SnapshotStore } from '../../src/application/ports/snapshot-store.ts';
import type { Trail } from '../../src/application/ports/trail.ts';
import { DomainError } from '../../src/domain/errors.ts';
import type { Instant } from '../../src/domain/instant.ts';
import type { Page, PageRequest } from '../../src/domain/page.ts';
import { type NewSnapshot, type Snapshot, snapshotNotFound } from '../../src/domain/snapshot.ts';
import { InMemoryWorld } from './in-memory-world.ts';
import { pageOf } from './page-of.ts';

export class InMemorySnapshotStore implements SnapshotStore {
  readonly #world: InMemoryWorld;
  readonly #snapshots = new Map<number, Snapshot>();
  readonly #heldUntil = new Map<number, Instant>();

  constructor(world = new InMemoryWorld()) {
    this.#world = world;
  }

  async add(snapshot: NewSnapshot): Promise<Snapshot> {
    const { sourceId, name, startedAt } = snapshot;
    const source = this.#world.sources.get(sourceId);
    if (!source) throw new DomainError('source_not_found', `There is no backup source with id ${sourceId}.`);
    const lastSuccessAt = Math.max(source.lastSuccessAt ?? startedAt, startedAt);
    this.#world.sources.set(sourceId, { ...source, lastSuccessAt });
    const known = [...this.#snapshots.values()].find(
      (each) => each.sourceId === sourceId && each.name === name,
    );
    if (known) return known;
    const added = { ...snapshot, id: this.#world.nextId('snapshots'), lastVerifiedAt: null };
    this.#snapshots.set(added.id, added);
    return added;
  }

  async find(id: number): Promise<Snapshot | null> {
    return this.#snapshots.get(id) ?? null;
  }

  async list(filter: { serverId: number; sourceId?: number }, page: PageRequest): Promise<Page<Snapshot>> {
    const { serverId, sourceId } = filter;
    return pageOf(
      this.#newestFirst(
        (each) => each.serverId === serverId && (sourceId === undefined || each.sourceId === sourceId),
      ),
      page,
    );
  }

  async ofSource(sourceId: number): Promise<readonly Snapshot[]> {
    return this.#newestFirst((each) => each.sourceId === sourceId).slice(0, 10_000);
  }

  async hold(id: number, ms: number): Promise<void> {
    this.#existing(id);
    this.#heldUntil.set(id, Math.max(this.#heldUntil.get(id) ?? 0, this.#world.now() + ms));
  }

  async remove(id: number, trail: Trail): Promise<void> {
    this.#existing(id);
    if ((this.#heldUntil.get(id) ?? 0) > this.#world.now()) {
      throw new DomainError(
        'snapshot_in_use',
        `Snapshot ${id} is being read by a restore; try again when that is done.`,
      );
    }
    this.#snapshots.delete(id);
    this.#world.trail.write(trail);
  }

  async markVerified(id: number, at: Instant): Promise<void> {
    const snapshot = this.#snapshots.get(id);
    if (snapshot) this.#snapshots.set(id, { ...snapshot, lastVerifiedAt: at });
  }

  #existing(id: number): void {
    if (!this.#snapshots.has(id)) throw snapshotNotFound(id);
  }

  #newestFirst(matches: (snapshot: Snapshot) => boolean): readonly Snapshot[] {
    return [...this.#snapshots.values()]
      .filter(matches)
      .toSorted((a, b) => b.startedAt - a.startedAt || b.id - a.id);
  }
}
