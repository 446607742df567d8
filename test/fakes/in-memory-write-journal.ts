import type {
  JailWriteJournal,
  LeftWrite,
  WritePlace,
} from '../../src/application/ports/files/jail-write-journal.ts';
import { DAY } from '../../src/domain/base/instant.ts';

/** Shared by all processes. */
export interface JournalShelf {
  readonly entries: Map<string, LeftWrite & { readonly writer: string }>;
  isDead(writer: string): boolean;
  now(): number;
}

export class InMemoryWriteJournal implements JailWriteJournal {
  readonly #self: string;
  readonly #shelf: JournalShelf;
  readonly #underWay = new Set<string>();

  constructor(self: string, shelf: JournalShelf) {
    this.#self = self;
    this.#shelf = shelf;
  }

  async begin(place: WritePlace): Promise<string> {
    const id = `${this.#self}-${this.#shelf.entries.size + 1}`;
    this.#underWay.add(id);
    this.#shelf.entries.set(id, { id, ...place, begunAt: this.#shelf.now(), writer: this.#self });
    return id;
  }

  async end(id: string): Promise<void> {
    this.#underWay.delete(id);
    this.#shelf.entries.delete(id);
  }

  abandon(id: string): void {
    this.#underWay.delete(id);
  }

  async left(): Promise<readonly LeftWrite[]> {
    const shelf = this.#shelf;
    return [...shelf.entries.values()]
      .filter(({ id, writer, begunAt }) => {
        if (this.#underWay.has(id)) return false;
        return writer === this.#self || shelf.isDead(writer) || shelf.now() - begunAt > DAY;
      })
      .map(({ writer: _writer, ...left }) => left);
  }
}
