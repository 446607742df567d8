import type { KnownSnapshots, SnapshotStore } from '../../src/application/ports/backups/snapshot-store.ts';
import type { ChangeRecord } from '../../src/application/ports/events/change-record.ts';
import {
  isDamaged,
  type NewSnapshot,
  type Snapshot,
  type SnapshotCheck,
  type SourceCoverage,
  snapshotNotFound,
  snapshotPinned,
} from '../../src/domain/backups/snapshot.ts';
import { DomainError } from '../../src/domain/base/errors.ts';
import { DAY, type Instant } from '../../src/domain/base/instant.ts';
import type { Page, PageRequest } from '../../src/domain/base/page.ts';
import { InMemoryWorld } from './in-memory-world.ts';
import { pageOf } from './page-of.ts';

export class InMemorySnapshotStore implements SnapshotStore {
  readonly #world: InMemoryWorld;
  readonly #snapshots = new Map<number, Snapshot>();
  readonly #removed = new Map<string, { sourceId: number; name: string; at: Instant }>();
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
    const added = {
      ...snapshot,
      id: this.#world.nextId('snapshots'),
      lastVerifiedAt: null,
      check: null,
      pinnedAt: null,
    };
    this.#snapshots.set(added.id, added);
    this.#world.snapshotSources.set(added.id, sourceId);
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

  async remove(id: number, record: ChangeRecord): Promise<void> {
    const { sourceId, name, pinnedAt } = this.#existing(id);
    if (pinnedAt !== null) throw snapshotPinned(id);
    if ((this.#heldUntil.get(id) ?? 0) > this.#world.now()) {
      throw new DomainError(
        'snapshot_in_use',
        `Snapshot ${id} is being read by a restore or a verification, or was two minutes ago; try again in a while.`,
      );
    }
    this.#snapshots.delete(id);
    this.#world.snapshotSources.delete(id);
    this.#world.record.write(record);
    this.#removed.set(`${sourceId} ${name}`, { sourceId, name, at: this.#world.now() });
  }

  async pin(id: number, since: Instant | null, record: ChangeRecord): Promise<Snapshot> {
    const pinned = { ...this.#existing(id), pinnedAt: since };
    this.#world.record.write(record);
    this.#snapshots.set(id, pinned);
    return pinned;
  }

  async known(sourceId: number): Promise<KnownSnapshots> {
    const ofSource = (each: { readonly sourceId: number }): boolean => each.sourceId === sourceId;
    const names = (all: readonly { readonly name: string }[]) => new Set(all.map(({ name }) => name));
    return {
      listed: names([...this.#snapshots.values()].filter(ofSource)),
      removed: names([...this.#removed.values()].filter(ofSource)),
    };
  }

  async forgetRemoved(sourceId: number, names: readonly string[]): Promise<void> {
    for (const name of names) {
      const key = `${sourceId} ${name}`;
      if ((this.#removed.get(key)?.at ?? Number.POSITIVE_INFINITY) < this.#world.now() - DAY)
        this.#removed.delete(key);
    }
  }

  async recordCheck(id: number, check: SnapshotCheck): Promise<void> {
    const snapshot = this.#snapshots.get(id);
    const lastVerifiedAt = check.outcome === 'good' ? check.at : null;
    if (snapshot) this.#snapshots.set(id, { ...snapshot, lastVerifiedAt, check });
  }

  async coverage(serverId: number, upTo: Instant): Promise<readonly SourceCoverage[]> {
    const sources = [...this.#world.sources.values()].filter(
      (source) => source.serverId === serverId && source.removedAt === null,
    );
    return sources.map(({ id }) => {
      const good = [...this.#snapshots.values()].filter(
        (each) => each.sourceId === id && each.startedAt <= upTo && !isDamaged(each),
      );
      return {
        sourceId: id,
        backedUpAt: latest(good.map(({ startedAt }) => startedAt)),
        verifiedAt: latest(good.flatMap(({ lastVerifiedAt }) => lastVerifiedAt ?? [])),
      };
    });
  }

  #existing(id: number): Snapshot {
    const snapshot = this.#snapshots.get(id);
    if (!snapshot) throw snapshotNotFound(id);
    return snapshot;
  }

  #newestFirst(matches: (snapshot: Snapshot) => boolean): readonly Snapshot[] {
    return [...this.#snapshots.values()]
      .filter(matches)
      .toSorted((a, b) => b.startedAt - a.startedAt || b.id - a.id);
  }
}

const latest = (times: readonly Instant[]): Instant | null =>
  times.length === 0 ? null : Math.max(...times);
