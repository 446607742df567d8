import { setImmediate as breathe } from 'node:timers/promises';
import type { ByteString } from './byte-string.ts';
import type { ExcludeMatcher } from './exclude-matcher.ts';
import type { Surveyed } from './surveyed.ts';

const BREATHE_EVERY = 5_000;

/**
 * Sorts a host's listing into walk order, without duplicates. Only names of one directory are compared with each
 * other.
 */
export class TreeOrder {
  readonly #children = new Map<ByteString, Group>();
  /** Parents of the requested paths: no pattern excludes them. */
  readonly #above = new Set<Surveyed>();
  /** A listing comes directory by directory. */
  #prefix = '/';
  #group: Group = { entries: [], sorted: 0 };
  count = 0;

  add(entry: Surveyed, isAbove: boolean): void {
    const { path } = entry;
    // the root is no part of a snapshot
    if (path === '') return;
    this.count += 1;
    if (!path.startsWith(this.#prefix) || path.indexOf('/', this.#prefix.length) >= 0) {
      const end = path.lastIndexOf('/');
      this.#prefix = path.slice(0, end + 1);
      // while the host continues to list; the rest is merged at the end
      if (this.#group.sorted === 0) sort(this.#group);
      this.#group = this.#groupOf(path.slice(0, Math.max(0, end)) as ByteString);
    }
    this.#group.entries.push(entry);
    if (isAbove) this.#above.add(entry);
  }

  /** `onLost`: makes the error for a path that is in no directory: it would be written through a link. */
  async entries(
    excludes: ExcludeMatcher | null,
    onLost: (path: ByteString) => Error,
  ): Promise<readonly Surveyed[]> {
    const entries: Surveyed[] = [];
    const open = [this.#takeGroup('' as ByteString)];
    for (let steps = 1; open.length > 0; steps += 1) {
      if (steps % BREATHE_EVERY === 0) await breathe();
      const entry = open.at(-1)?.pop();
      if (!entry) {
        open.pop();
        continue;
      }
      const isDirectory = entry.type === 'directory';
      if (excludes?.excludes(entry.path, isDirectory) && !this.#above.has(entry)) {
        if (isDirectory) this.#drop(entry.path);
        continue;
      }
      entries.push(entry);
      if (isDirectory) open.push(this.#takeGroup(entry.path));
    }
    for (const path of this.#children.keys()) throw onLost(path);
    return entries;
  }

  #groupOf(directory: ByteString): Group {
    const known = this.#children.get(directory);
    if (known) return known;
    const group: Group = { entries: [], sorted: 0 };
    this.#children.set(directory, group);
    return group;
  }

  /** A host whose find interprets a pattern differently has listed the contents as well. */
  #drop(directory: ByteString): void {
    const open = [directory];
    for (let path = open.pop(); path !== undefined; path = open.pop()) {
      for (const entry of this.#children.get(path)?.entries ?? [])
        if (entry.type === 'directory') open.push(entry.path);
      this.#children.delete(path);
    }
  }

  /** The last comes first. Of several with the same path the first that was listed is left. */
  #takeGroup(directory: ByteString): Surveyed[] {
    const group = this.#children.get(directory);
    if (!group) return [];
    this.#children.delete(directory);
    if (group.sorted < group.entries.length) sort(group);
    const { entries } = group;
    const isTwice = entries.some(({ path }, index) => path === entries[index + 1]?.path);
    return isTwice ? entries.filter(({ path }, index) => path !== entries[index - 1]?.path) : entries;
  }
}

/** The entries of one directory. */
interface Group {
  readonly entries: Surveyed[];
  /** How many of them were there when they were sorted last. */
  sorted: number;
}

function sort(group: Group): void {
  group.entries.sort((a, b) => (a.path < b.path ? 1 : a.path > b.path ? -1 : 0));
  group.sorted = group.entries.length;
}
