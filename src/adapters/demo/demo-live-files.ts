import type { LiveFiles } from '../../application/ports/backups/live-files.ts';
import type { RemoteHost } from '../../application/ports/fleet/remote-host.ts';
import { DomainError } from '../../domain/base/errors.ts';
import type { Instant } from '../../domain/base/instant.ts';
import type { EntryFacts, EntryKind } from '../../domain/files/directory-entry.ts';
import { BACKED_UP, bulkBelow, demoServerName } from './demo-bulk.ts';
import { demoFileTime } from './demo-files.ts';
import { demoServerOf } from './demo-hosts.ts';

/** An entry of a simulated server. */
interface DemoEntry {
  readonly kind: EntryKind;
  readonly changedAt: Instant;
  /** Of a file. */
  readonly bytes?: Buffer;
}

interface DemoTree {
  at(path: string): DemoEntry | undefined;
}

/** Files that exist by name and size only, and their directories. */
function bulkFacts(server: string, now: Instant): ReadonlyMap<string, EntryFacts> {
  const facts = new Map<string, EntryFacts>();
  for (const { path, size, changedAt } of bulkBelow(server, BACKED_UP, now)) {
    facts.set(path, { kind: 'file', size, modifiedAt: changedAt });
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1))
      facts.set(path.slice(0, end), { kind: 'dir', size: 0, modifiedAt: changedAt });
  }
  return facts;
}

/** The files of the simulated servers, with times that match their snapshots. */
export class DemoLiveFiles implements LiveFiles {
  readonly #filesOf: (serverId: number) => DemoTree;
  readonly #now: () => Instant;

  constructor(filesOf: (serverId: number) => DemoTree, now: () => Instant) {
    this.#filesOf = filesOf;
    this.#now = now;
  }

  async facts(host: RemoteHost, paths: readonly Uint8Array[]): Promise<readonly (EntryFacts | null)[]> {
    const serverId = demoServerOf(host);
    const name = demoServerName(serverId);
    let known: ReadonlyMap<string, EntryFacts> | null = null;
    const bulk = () => (known ??= bulkFacts(name, this.#now()));
    return paths.map((bytes) => {
      const path = Buffer.from(bytes).toString();
      const node = this.#filesOf(serverId).at(path);
      if (node === undefined) return bulk().get(path) ?? null;
      const { kind, bytes: content, changedAt } = node;
      if (content === undefined) return { kind, size: 0, modifiedAt: changedAt };
      const file = { path, text: content.toString(), at: this.#now() };
      const modifiedAt = demoFileTime(name, file) ?? changedAt;
      return { kind, size: content.length, modifiedAt };
    });
  }

  async read(host: RemoteHost, path: string): Promise<Uint8Array> {
    const node = this.#filesOf(demoServerOf(host)).at(path);
    if (node?.bytes !== undefined) return node.bytes;
    throw new DomainError('file_not_found', `There is no "${path}".`);
  }
}
