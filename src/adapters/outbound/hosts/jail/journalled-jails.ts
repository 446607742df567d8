import type { JailFileSystems, JailFs, JailOptions } from '../../../../application/ports/files/jail-fs.ts';
import type { JailWriteJournal, WritePlace } from '../../../../application/ports/files/jail-write-journal.ts';
import type { HostAccess } from '../../../../application/ports/fleet/remote-host.ts';
import { type ErrorCode, isDomainError } from '../../../../domain/base/errors.ts';

/** After these errors it is unknown whether the host has cleaned up. */
const UNKNOWN_END: ReadonlySet<ErrorCode> = new Set(['host_connection_lost', 'host_timeout']);

/** File roots whose running writes are recorded in a journal. */
export class JournalledJails implements JailFileSystems {
  readonly #jails: JailFileSystems;
  readonly #journal: JailWriteJournal;

  constructor(jails: JailFileSystems, journal: JailWriteJournal) {
    this.#jails = jails;
    this.#journal = journal;
  }

  async open(access: HostAccess, directory: string, options?: JailOptions): Promise<JailFs> {
    const fs = await this.#jails.open(access, directory, options);
    return {
      list: (path, most) => fs.list(path, most),
      stat: (path) => fs.stat(path),
      read: (path, range) => fs.read(path, range),
      readStream: (path, most) => fs.readStream(path, most),
      makeDirectory: (path) => fs.makeDirectory(path),
      rename: (path, name) => fs.rename(path, name),
      remove: (path) => fs.remove(path),
      tree: (path, most) => fs.tree(path, most),
      removeTree: (path) => fs.removeTree(path),
      mode: (path) => fs.mode(path),
      changeMode: (path, mode) => fs.changeMode(path, mode),
      sweep: (path) => fs.sweep(path),
      close: () => fs.close(),
      write: (path, content, write) =>
        this.#noted({ serverId: access.serverId, jail: directory, directory: path.entry.directory }, () =>
          fs.write(path, content, write),
        ),
    };
  }

  async #noted<T>(place: WritePlace, write: () => Promise<T>): Promise<T> {
    const id = await this.#journal.begin(place);
    try {
      const written = await write();
      await this.#journal.end(id);
      return written;
    } catch (error) {
      if (isDomainError(error) && !UNKNOWN_END.has(error.code)) await this.#journal.end(id);
      else this.#journal.abandon(id);
      throw error;
    }
  }
}
