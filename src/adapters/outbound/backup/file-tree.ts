import { type BigIntStats, lstat, readdir } from 'node:fs';
import { promisify } from 'node:util';
import { type ByteString, bytesOfText, joinBytes, toBuffer } from './byte-string.ts';

// they take less processor time than node:fs/promises, which counts with a million files
const list = promisify(readdir);
const look = promisify(lstat);

/** Looked at side by side, while the order stays. */
const BATCH = 64;

export interface TreeEntry {
  /** Below the root, without leading slash. */
  readonly path: ByteString;
  readonly stat: BigIntStats;
}

/** The kind of a path, not following a symbolic link; `null` if unknown. */
export const lookAt = (place: Buffer): Promise<BigIntStats | null> =>
  look(place, { bigint: true }).catch(() => null);

/** A place in the store by the bytes of its name. */
export function pathBelow(root: string, path: ByteString): Buffer {
  if (root !== lastRoot) {
    lastRoot = root;
    lastRootBytes = bytesOfText(root);
  }
  return toBuffer(joinBytes(lastRootBytes, path));
}

/** Most often it is the same for many paths. */
let lastRoot = '';
let lastRootBytes = '' as ByteString;

/**
 * Everything below a directory in walk order, never through a symbolic link. Memory grows with the largest directory
 * (some 50 bytes a name) and the depth, not with the tree.
 */
export async function* walkTree(root: string, signal?: AbortSignal): AsyncGenerator<TreeEntry> {
  const open = [await OpenDirectory.at(root, '' as ByteString)];
  for (let directory = open.at(-1); directory; directory = open.at(-1)) {
    const entry = await directory.next(signal);
    if (!entry) {
      open.pop();
      continue;
    }
    yield entry;
    if (entry.stat.isDirectory()) open.push(await OpenDirectory.at(root, entry.path));
  }
}

class OpenDirectory {
  readonly #root: string;
  readonly #path: ByteString;
  readonly #names: readonly ByteString[];
  #looked: TreeEntry[] = [];
  #at = 0;
  #nextName = 0;

  private constructor(root: string, path: ByteString, names: readonly ByteString[]) {
    this.#root = root;
    this.#path = path;
    this.#names = names;
  }

  static async at(root: string, path: ByteString): Promise<OpenDirectory> {
    const directory = path === '' ? Buffer.from(root) : pathBelow(root, path);
    const names = (await list(directory, { encoding: 'latin1' })) as ByteString[];
    // the default order of strings with one byte a character is the order of the bytes
    return new OpenDirectory(root, path, names.sort());
  }

  async next(signal: AbortSignal | undefined): Promise<TreeEntry | undefined> {
    if (this.#at === this.#looked.length) {
      signal?.throwIfAborted();
      const names = this.#names.slice(this.#nextName, this.#nextName + BATCH);
      this.#nextName += names.length;
      this.#looked = await Promise.all(names.map((name) => this.#look(name)));
      this.#at = 0;
    }
    return this.#looked[this.#at++];
  }

  async #look(name: ByteString): Promise<TreeEntry> {
    const path = joinBytes(this.#path, name);
    return { path, stat: await look(pathBelow(this.#root, path), { bigint: true }) };
  }
}
