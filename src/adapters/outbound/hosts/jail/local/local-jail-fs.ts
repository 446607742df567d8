import { lstatSync, mkdirSync } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import type {
  JailEntry,
  JailFileSystems,
  JailFs,
  JailListing,
  JailOptions,
  Tree,
  WriteOptions,
  WriteResult,
} from '../../../../../application/ports/files/jail-fs.ts';
import type { HostAccess } from '../../../../../application/ports/fleet/remote-host.ts';
import type { EntryFacts } from '../../../../../domain/files/directory-entry.ts';
import { assertJail } from '../../../../../domain/files/jail-directory.ts';
import type { JailPath } from '../../../../../domain/files/jail-path.ts';
import type { CommitLocks } from '../commit-locks.ts';
import { assertProc, type Descriptor } from './descriptor.ts';
import { factsOf, giveName, removeEntry } from './entries.ts';
import { assertMayCome, assertMayGo, type KeptOut } from './kept-out.ts';
import { hashedStream, openFile, readRange } from './open-file.ts';
import { sweepParts } from './sweep-parts.ts';
import { refusalOf } from './system-errors.ts';
import { type LocalJail, walk } from './walk.ts';
import { changeMode, removeWithAll, treeBelow } from './whole-trees.ts';
import { type LocalWriter, writeFile } from './write-file.ts';

/** Of a directory with more entries than this, only the first in the file system's order are read. */
const MAX_NAMES = 20_000;

/** A file root of the service's own machine, accessed as the service's user. */
export class LocalJailFs implements JailFs {
  readonly #jail: LocalJail;
  readonly #writer: LocalWriter;
  readonly #signal: AbortSignal | undefined;

  constructor(jail: LocalJail, writer: LocalWriter, signal?: AbortSignal) {
    this.#jail = jail;
    this.#writer = writer;
    this.#signal = signal;
  }

  list(path: JailPath, most: number): Promise<JailListing> {
    return this.#within(path, path, async (directory) => {
      const names: Buffer[] = [];
      // Latin-1 keeps every byte as a character
      for await (const { name } of await opendir(directory.at(), { encoding: 'latin1', bufferSize: 512 })) {
        names.push(Buffer.from(name, 'latin1'));
        if (names.length === MAX_NAMES) break;
      }
      const first = names.sort((one, other) => one.compare(other)).slice(0, most);
      const entries = await Promise.all(first.map((name) => entryAt(directory, name)));
      return { entries: entries.filter((entry) => entry !== null), truncated: names.length > most };
    });
  }

  stat(path: JailPath): Promise<EntryFacts> {
    if (path.isRoot) return this.#within(path, path, (directory) => factsOf(directory.stat()));
    const { directory, name } = path.entry;
    return this.#within(directory, path, (place) => factsOf(lstatSync(place.at(name))));
  }

  read(
    path: JailPath,
    range: { readonly offset: number; readonly length: number },
  ): Promise<{ readonly bytes: Uint8Array; readonly size: number }> {
    const { directory, name } = path.entry;
    return this.#within(directory, path, async (place) => {
      const file = openFile(place, name, path, this.#jail.keptOut);
      try {
        return await readRange(file, range);
      } finally {
        file.close();
      }
    });
  }

  readStream(path: JailPath, most: number): ReturnType<JailFs['readStream']> {
    const { directory, name } = path.entry;
    return this.#within(directory, path, (place) =>
      hashedStream(openFile(place, name, path, this.#jail.keptOut), path, most, this.#signal),
    );
  }

  write(path: JailPath, content: AsyncIterable<Uint8Array>, options: WriteOptions): Promise<WriteResult> {
    return this.#within(path.entry.directory, path, (place) =>
      writeFile({
        place,
        path,
        content,
        options,
        kept: this.#jail.keptOut,
        writer: this.#writer,
        signal: this.#signal,
      }),
    );
  }

  makeDirectory(path: JailPath): Promise<void> {
    const { directory, name } = path.entry;
    return this.#within(directory, path, (place) => {
      assertMayCome(this.#jail.keptOut, place, name, path);
      mkdirSync(place.at(name));
    });
  }

  rename(path: JailPath, to: string): Promise<void> {
    const { directory, name } = path.entry;
    const target = directory.child(to);
    return this.#within(directory, path, (place) => {
      assertMayGo(this.#jail.keptOut, lstatSync(place.at(name)), path);
      assertMayCome(this.#jail.keptOut, place, to, target);
      giveName(place, name, to, target);
    });
  }

  remove(path: JailPath): Promise<EntryFacts> {
    const { directory, name } = path.entry;
    return this.#within(directory, path, (place) => {
      const stats = lstatSync(place.at(name));
      assertMayGo(this.#jail.keptOut, stats, path);
      removeEntry(place, name, stats, path);
      return factsOf(stats);
    });
  }

  tree(path: JailPath, most: number): Promise<Tree> {
    return this.#within(path, path, (directory) =>
      treeBelow(directory, { kept: this.#jail.keptOut, most, signal: this.#signal }),
    );
  }

  removeTree(path: JailPath): Promise<void> {
    const { directory, name } = path.entry;
    return this.#within(directory, path, (place) =>
      removeWithAll(place, name, { kept: this.#jail.keptOut, path, signal: this.#signal }),
    );
  }

  mode(path: JailPath): Promise<number> {
    const { directory, name } = path.entry;
    return this.#within(directory, path, (place) => lstatSync(place.at(name)).mode & 0o7777);
  }

  changeMode(path: JailPath, mode: number): Promise<number> {
    const { directory, name } = path.entry;
    return this.#within(directory, path, (place) => {
      assertMayGo(this.#jail.keptOut, lstatSync(place.at(name)), path);
      return changeMode(place, name, mode, path);
    });
  }

  sweep(directory: JailPath): Promise<number> {
    return this.#within(directory, directory, (place) => sweepParts(place, this.#writer));
  }

  close(): void {
    // every call opens and closes what it needs
  }

  /** Works in a directory of the file root; `path` is for errors. */
  async #within<T>(
    directory: JailPath,
    path: JailPath,
    work: (place: Descriptor) => T | Promise<T>,
  ): Promise<T> {
    this.#signal?.throwIfAborted();
    let place: Descriptor | undefined;
    try {
      place = walk(this.#jail, directory);
      return await work(place);
    } catch (error) {
      throw refusalOf(error, path);
    } finally {
      place?.close();
    }
  }
}

async function entryAt(directory: Descriptor, name: Buffer): Promise<JailEntry | null> {
  try {
    return { name, ...factsOf(await lstat(directory.at(name))) };
  } catch {
    // it went meanwhile
    return null;
  }
}

export interface LocalJailsDeps {
  /** Names this process, and checks whether others are dead. See `ProcessList`. */
  readonly processes: { readonly self: string; isDead(name: string): boolean };
  /** Cryptographically strong. */
  readonly randomBytes: (count: number) => Uint8Array;
  readonly now: () => number;
  readonly locks: CommitLocks;
  /** What no file root may lead to, such as the service's own data, in its current state. */
  readonly keptOut: () => KeptOut;
  /** The mount point of /proc. */
  readonly proc?: string;
}

/** Jails of the machine that the service runs on. */
export class LocalJails implements JailFileSystems {
  readonly #writer: LocalWriter;
  readonly #keptOut: () => KeptOut;
  readonly #proc: string | undefined;

  constructor({ processes, randomBytes, now, locks, keptOut, proc }: LocalJailsDeps) {
    this.#writer = {
      // without the part that distinguishes two services with one process id: the part's random digits do that
      name: processes.self.split('.').slice(0, 4).join('.'),
      random: () => Buffer.from(randomBytes(16)).toString('hex'),
      isDead: (writer) => processes.isDead(writer),
      now,
      locks,
    };
    this.#keptOut = keptOut;
    this.#proc = proc;
  }

  async open(_access: HostAccess, directory: string, options: JailOptions = {}): Promise<JailFs> {
    assertJail(directory, options);
    assertProc(this.#proc);
    const jail = { directory, keptOut: this.#keptOut() };
    return new LocalJailFs(jail, this.#writer, options.signal);
  }
}
