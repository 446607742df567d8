import type { JailFileSystems, JailFs, JailOptions } from '../../../../../application/ports/files/jail-fs.ts';
import type { HostAccess } from '../../../../../application/ports/fleet/remote-host.ts';
import { assertJail } from '../../../../../domain/files/jail-directory.ts';
import type { CommitLocks } from '../commit-locks.ts';
import { assertProc } from './descriptor.ts';
import type { KeptOut } from './kept-out.ts';
import { LocalJailFs } from './local-jail-fs.ts';
import type { LocalWriter } from './write-file.ts';

export interface LocalJailsDeps {
  /** Names this process, and tells of others whether they are gone. As `ProcessList`. */
  readonly processes: { readonly self: string; isDead(name: string): boolean };
  /** Cryptographically strong. */
  readonly randomBytes: (count: number) => Uint8Array;
  readonly now: () => number;
  readonly locks: CommitLocks;
  /** What no jail leads into, such as the service's own data, as it is now. */
  readonly keptOut: () => KeptOut;
  /** Where /proc is mounted. */
  readonly proc?: string;
}

/** Jails of the machine that the service runs on. */
export class LocalJails implements JailFileSystems {
  readonly #writer: LocalWriter;
  readonly #keptOut: () => KeptOut;
  readonly #proc: string | undefined;

  constructor({ processes, randomBytes, now, locks, keptOut, proc }: LocalJailsDeps) {
    this.#writer = {
      // without what tells two services of one process id apart: the part's own digits do that
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
