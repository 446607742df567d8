import type { LiveFiles } from '../../src/application/ports/backups/live-files.ts';
import type { RemoteHost } from '../../src/application/ports/fleet/remote-host.ts';
import { DomainError } from '../../src/domain/base/errors.ts';
import { type Instant, SECOND } from '../../src/domain/base/instant.ts';
import type { EntryFacts } from '../../src/domain/files/directory-entry.ts';

/** The files of all hosts, in memory, by absolute path; all changed at the same time. */
export class FakeLiveFiles implements LiveFiles {
  readonly #files: ReadonlyMap<string, string>;
  readonly #now: () => Instant;
  /** Thrown at the next calls. */
  fault: DomainError | null = null;

  constructor(files: ReadonlyMap<string, string>, now: () => Instant) {
    this.#files = files;
    this.#now = now;
  }

  async facts(_: RemoteHost, paths: readonly Uint8Array[]): Promise<readonly (EntryFacts | null)[]> {
    if (this.fault) throw this.fault;
    return paths.map((bytes) => {
      const path = Buffer.from(bytes).toString();
      const text = this.#files.get(path);
      const modifiedAt = Math.floor(this.#now() / SECOND) * SECOND;
      if (text !== undefined) return { kind: 'file', size: Buffer.byteLength(text), modifiedAt };
      const isDirectory = [...this.#files.keys()].some((each) => each.startsWith(`${path}/`));
      return isDirectory ? { kind: 'dir', size: 0, modifiedAt } : null;
    });
  }

  async read(_: RemoteHost, path: string, most: number): Promise<Uint8Array> {
    const text = this.#files.get(path);
    if (text === undefined) throw new DomainError('file_not_found', `There is no "${path}".`);
    const bytes = Buffer.from(text);
    if (bytes.length > most) throw new DomainError('file_too_large', `"${path}" is too large.`);
    return bytes;
  }
}
