import { realpathSync, type Stats, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { JailFileSystems, JailFs, JailOptions } from '../../../application/ports/jail-fs.ts';
import type { HostAccess } from '../../../application/ports/remote-host.ts';
import { assertJail } from '../../../domain/jail-directory.ts';
import type { CommitLocks } from '../commit-locks.ts';
import { assertProc } from './descriptor.ts';
import { LocalJailFs } from './local-jail-fs.ts';
import type { LocalWriter } from './write-file.ts';

export interface LocalJailsDeps {
  /** Names this process, and tells of others whether they are gone. As `ProcessList`. */
  readonly processes: { readonly self: string; isDead(name: string): boolean };
  /** Cryptographically strong. */
  readonly randomBytes: (count: number) => Uint8Array;
  readonly now: () => number;
  readonly locks: CommitLocks;
  /** Directories that no jail leads into, such as the service's own data. */
  readonly keepOut: readonly string[];
  /** Where /proc is mounted. */
  readonly proc?: string;
}

/** Jails of the machine that the service runs on. */
export class LocalJails implements JailFileSystems {
  readonly #writer: LocalWriter;
  readonly #keepOut: readonly string[];
  readonly #proc: string | undefined;

  constructor({ processes, randomBytes, now, locks, keepOut, proc }: LocalJailsDeps) {
    this.#writer = {
      // without what tells two services of one process id apart: the part's own digits do that
      name: processes.self.split('.').slice(0, 4).join('.'),
      random: () => Buffer.from(randomBytes(16)).toString('hex'),
      isDead: (writer) => processes.isDead(writer),
      now,
      locks,
    };
    this.#keepOut = keepOut;
    this.#proc = proc;
  }

  async open(_access: HostAccess, directory: string, options: JailOptions = {}): Promise<JailFs> {
    assertJail(directory, options);
    assertProc(this.#proc);
    const keepOut = this.#keepOut.map(statsOf).filter((stats) => stats !== null);
    const holders = this.#keepOut.flatMap(directoriesAbove).map(statsOf);
    const jail = { directory, keepOut, holders: holders.filter((stats) => stats !== null) };
    return new LocalJailFs(jail, this.#writer, options.signal);
  }
}

/** Without the root, which no jail holds; of the directory as it is named and as it really is. */
function directoriesAbove(directory: string): string[] {
  const named = [directory];
  try {
    named.push(realpathSync.native(directory));
  } catch {
    // not made yet
  }
  return named.flatMap((each) => {
    const names = resolve(each).split('/').slice(1, -1);
    return names.map((_name, index) => `/${names.slice(0, index + 1).join('/')}`);
  });
}

function statsOf(directory: string): Stats | null {
  try {
    return statSync(directory);
  } catch {
    // not made yet, so nothing can lead there
    return null;
  }
}
