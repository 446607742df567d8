import type { DumpStore, StoredDump } from '../../src/application/ports/backups/dump-store.ts';
import type { ChangeRecord } from '../../src/application/ports/events/change-record.ts';
import {
  type Dump,
  dumpNotFound,
  dumpTaken,
  MAX_DUMPS,
  type NewDump,
  tooManyDumps,
} from '../../src/domain/backups/dump.ts';
import { DomainError } from '../../src/domain/base/errors.ts';
import { InMemoryWorld } from './in-memory-world.ts';

export class InMemoryDumpStore implements DumpStore {
  readonly #world: InMemoryWorld;

  constructor(world = new InMemoryWorld()) {
    this.#world = world;
  }

  async add(
    dump: NewDump,
    seal: ((id: number) => string) | null,
    record: (dump: Dump) => ChangeRecord,
  ): Promise<StoredDump> {
    const { sourceId, name } = dump;
    const source = this.#world.sources.get(sourceId);
    if (!source || source.removedAt !== null) {
      throw new DomainError('source_not_found', `There is no backup source with id ${sourceId}.`);
    }
    const others = this.#of(sourceId);
    if (others.length >= MAX_DUMPS) throw tooManyDumps();
    if (others.some((other) => other.name === name)) throw dumpTaken(name);
    const id = this.#world.nextId('dumps');
    const added = { ...dump, id };
    const sealedPassword = seal?.(id) ?? null;
    const left = record(added);
    this.#world.dumps.set(id, { ...added, sealedPassword });
    this.#world.record.write(left);
    return { ...added, sealedPassword };
  }

  async change(
    sourceId: number,
    name: string,
    change: (dump: StoredDump) => StoredDump,
    record: ChangeRecord,
  ): Promise<StoredDump> {
    const found = this.#of(sourceId).find((dump) => dump.name === name);
    if (!found) throw dumpNotFound(name);
    const after = change(found);
    this.#world.dumps.set(found.id, after);
    this.#world.record.write(record);
    return after;
  }

  async ofServer(serverId: number): Promise<readonly StoredDump[]> {
    const all = [...this.#world.dumps.values()];
    return all
      .filter(({ sourceId }) => this.#world.sources.get(sourceId)?.serverId === serverId)
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  async ofSource(sourceId: number): Promise<readonly StoredDump[]> {
    return this.#of(sourceId).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  async remove(sourceId: number, name: string, record: ChangeRecord): Promise<void> {
    const found = this.#of(sourceId).find((dump) => dump.name === name);
    if (!found) throw dumpNotFound(name);
    this.#world.dumps.delete(found.id);
    this.#world.record.write(record);
  }

  #of(sourceId: number): readonly StoredDump[] {
    return [...this.#world.dumps.values()].filter((dump) => dump.sourceId === sourceId);
  }
}
