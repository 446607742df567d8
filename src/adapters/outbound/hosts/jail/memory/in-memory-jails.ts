import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type {
  JailFileSystems,
  JailFs,
  JailListing,
  JailOptions,
  Tree,
  TreeEntry,
  WriteOptions,
  WriteResult,
} from '../../../../../application/ports/files/jail-fs.ts';
import type { HostAccess } from '../../../../../application/ports/fleet/remote-host.ts';
import type { EntryFacts } from '../../../../../domain/files/directory-entry.ts';
import { assertJail } from '../../../../../domain/files/jail-directory.ts';
import type { JailPath } from '../../../../../domain/files/jail-path.ts';
import { ABANDONED_MS, writerOf } from '../part-name.ts';
import {
  changed,
  diskFull,
  exists,
  jailElsewhere,
  jailMissing,
  linkOnTheWay,
  notADirectory,
  notAFile,
  notEmpty,
  notFound,
  severalNames,
  specialMode,
  tooLarge,
} from '../refusals.ts';
import type { DirectoryNode, FileNode, InMemoryFiles, Node } from './in-memory-files.ts';

/** Jails on file systems in memory, one for each server. */
export class InMemoryJails implements JailFileSystems {
  readonly #filesOf: (serverId: number) => InMemoryFiles;
  readonly #onOpen: (directory: string, purpose: string) => void;

  constructor(
    filesOf: (serverId: number) => InMemoryFiles,
    onOpen: (directory: string, purpose: string) => void = () => {},
  ) {
    this.#filesOf = filesOf;
    this.#onOpen = onOpen;
  }

  async open(access: HostAccess, directory: string, options: JailOptions = {}): Promise<JailFs> {
    options.signal?.throwIfAborted();
    assertJail(directory, options);
    this.#onOpen(directory, options.purpose ?? 'commands');
    return new InMemoryJailFs(this.#filesOf(access.serverId), directory);
  }
}

const key = (name: string): string => Buffer.from(name).toString('latin1');
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

class InMemoryJailFs implements JailFs {
  readonly #files: InMemoryFiles;
  readonly #jail: string;

  constructor(files: InMemoryFiles, jail: string) {
    this.#files = files;
    this.#jail = jail;
  }

  async list(path: JailPath, most: number): Promise<JailListing> {
    const all = [...this.#directory(path, path).entries]
      .map(([name, node]) => ({ name: Buffer.from(name, 'latin1'), ...factsOf(node) }))
      .sort((one, other) => one.name.compare(other.name));
    return { entries: all.slice(0, most), truncated: all.length > most };
  }

  async stat(path: JailPath): Promise<EntryFacts> {
    if (path.isRoot) return factsOf(this.#directory(path, path));
    return factsOf(this.#entry(path).node);
  }

  async read(
    path: JailPath,
    { offset, length }: { readonly offset: number; readonly length: number },
  ): Promise<{ readonly bytes: Uint8Array; readonly size: number }> {
    const { bytes } = this.#file(path);
    return { bytes: bytes.subarray(offset, offset + length), size: bytes.length };
  }

  async readStream(path: JailPath, most: number): ReturnType<JailFs['readStream']> {
    const { bytes } = this.#file(path);
    if (bytes.length > most) throw tooLarge(path, most);
    return { size: bytes.length, sha256: sha256(bytes), content: Readable.from(bytes.length ? [bytes] : []) };
  }

  async write(
    path: JailPath,
    content: AsyncIterable<Uint8Array>,
    { expect, most }: WriteOptions,
  ): Promise<WriteResult> {
    this.#former(path, expect);
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of content) {
      size += chunk.length;
      if (size > most) throw tooLarge(path, most);
      chunks.push(chunk);
    }
    const bytes = Buffer.concat(chunks);
    if (!this.#files.hasRoom(size)) throw diskFull(path);
    const former = this.#former(path, expect);
    if (typeof expect === 'object' && (!former || sha256(former.bytes) !== expect.sha256))
      throw changed(path);
    const { directory, name } = path.entry;
    this.#directory(directory, path).entries.set(key(name), {
      kind: 'file',
      bytes,
      mode: former?.mode ?? 0o644,
      owner: former?.owner ?? 'account',
      names: 1,
      changedAt: this.#files.now(),
    });
    const hash =
      former && former.bytes.length > most && expect === 'any' ? null : sha256(former?.bytes ?? bytes);
    return { size, sha256: sha256(bytes), before: former && { size: former.bytes.length, sha256: hash } };
  }

  async makeDirectory(path: JailPath): Promise<void> {
    const { directory, name } = path.entry;
    const { entries } = this.#directory(directory, path);
    if (entries.has(key(name))) throw exists(path);
    if (!this.#files.hasRoom(0)) throw diskFull(path);
    entries.set(key(name), { kind: 'dir', entries: new Map(), changedAt: this.#files.now() });
  }

  async rename(path: JailPath, to: string): Promise<void> {
    const { directory, name } = path.entry;
    const target = directory.child(to);
    const { entries } = this.#directory(directory, path);
    const node = entries.get(key(name));
    if (entries.has(key(to))) throw node ? exists(target) : notFound(path);
    if (!node) throw notFound(path);
    entries.delete(key(name));
    entries.set(key(to), node);
  }

  async remove(path: JailPath): Promise<EntryFacts> {
    const { node, entries } = this.#entry(path);
    if (node.kind === 'other') throw notAFile(path, 'a FIFO, a socket or a device');
    if (node.kind === 'dir' && node.entries.size > 0) throw notEmpty(path);
    if (node.kind === 'file') node.names -= 1;
    entries.delete(key(path.entry.name));
    return factsOf(node);
  }

  async tree(directory: JailPath, most: number): Promise<Tree> {
    const entries: TreeEntry[] = [];
    const gather = (place: DirectoryNode, above: readonly Uint8Array[]): void => {
      for (const [name, node] of [...place.entries].sort(([a], [b]) => (a < b ? -1 : 1))) {
        const names = [...above, Buffer.from(name, 'latin1')];
        const target = node.kind === 'link' ? Buffer.from(node.target) : null;
        entries.push({ names, ...factsOf(node), mode: modeOf(node), target });
        if (node.kind === 'dir') gather(node, names);
      }
    };
    gather(this.#directory(directory, directory), []);
    return { entries: entries.slice(0, most), partial: entries.length > most };
  }

  async removeTree(path: JailPath): Promise<void> {
    const { node, entries } = this.#entry(path);
    if (node.kind === 'link') throw linkOnTheWay(path);
    if (node.kind !== 'dir') throw notADirectory(path);
    entries.delete(key(path.entry.name));
  }

  async mode(path: JailPath): Promise<number> {
    return modeOf(this.#entry(path).node);
  }

  async changeMode(path: JailPath, mode: number): Promise<number> {
    const { node } = this.#entry(path);
    const former = modeOf(node);
    if (node.kind === 'dir') {
      node.mode = (former & 0o7000) | mode;
      return former;
    }
    const file = plainFile(node, path);
    if ((former & 0o7000) !== 0) throw specialMode(path);
    file.mode = mode;
    return former;
  }

  async sweep(directory: JailPath): Promise<number> {
    const { entries } = this.#directory(directory, directory);
    let staying = 0;
    for (const [name, node] of entries) {
      if (node.kind !== 'file' || node.owner !== 'account' || writerOf(name) === null) continue;
      if (this.#files.now() - node.changedAt >= ABANDONED_MS) entries.delete(name);
      else staying += 1;
    }
    return staying;
  }

  close(): void {
    // nothing is held
  }

  #former(path: JailPath, expect: WriteOptions['expect']): FileNode | null {
    const { directory, name } = path.entry;
    const node = this.#directory(directory, path).entries.get(key(name));
    if (!node) return null;
    const file = plainFile(node, path);
    if ((file.mode & 0o7000) !== 0) throw specialMode(path);
    if (expect === 'absent') throw exists(path);
    return file;
  }

  #file(path: JailPath): FileNode {
    return plainFile(this.#entry(path).node, path);
  }

  #entry(path: JailPath): { readonly node: Node; readonly entries: Map<string, Node> } {
    const { directory, name } = path.entry;
    const { entries } = this.#directory(directory, path);
    const node = entries.get(key(name));
    if (!node) throw notFound(path);
    return { node, entries };
  }

  #directory(directory: JailPath, path: JailPath): DirectoryNode {
    const resolved = this.#files.resolve(this.#jail);
    const jail = resolved === null ? undefined : this.#files.at(resolved);
    if (resolved === null || jail?.kind !== 'dir') throw jailMissing(this.#jail);
    if (resolved !== this.#jail) throw jailElsewhere(this.#jail, resolved);
    let place: DirectoryNode = jail;
    for (const name of directory.names) {
      const next = place.entries.get(key(name));
      if (!next) throw notFound(path);
      if (next.kind === 'link') throw linkOnTheWay(path);
      if (next.kind !== 'dir') throw notADirectory(path);
      place = next;
    }
    return place;
  }
}

function plainFile(node: Node, path: JailPath): FileNode {
  if (node.kind === 'link') throw linkOnTheWay(path);
  if (node.kind === 'dir') throw notAFile(path, 'a directory');
  if (node.kind === 'other') throw notAFile(path, 'a FIFO, a socket or a device');
  if (node.names > 1) throw severalNames(path);
  return node;
}

const modeOf = (node: Node): number => ('mode' in node ? (node.mode ?? 0o755) : 0o755);

const factsOf = (node: Node): EntryFacts => ({
  kind: node.kind,
  size: node.kind === 'file' ? node.bytes.length : 0,
  modifiedAt: node.changedAt,
});
