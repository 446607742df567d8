/** Names are bytes, kept as Latin-1 characters. */
export type Node =
  | { readonly kind: 'dir'; readonly entries: Map<string, Node>; mode?: number; changedAt: number }
  | FileNode
  | { readonly kind: 'link'; readonly target: string; changedAt: number }
  | { readonly kind: 'other'; changedAt: number };

/** One content, whatever its names. */
export interface FileNode {
  readonly kind: 'file';
  bytes: Buffer;
  mode: number;
  owner: string;
  /** How many names it has. */
  names: number;
  changedAt: number;
}

export type DirectoryNode = Extract<Node, { kind: 'dir' }>;

const bytesOf = (text: string): string => Buffer.from(text).toString('latin1');

/** A file system in memory, as the demo and tests set it up and inspect it directly. Paths are absolute. */
export class InMemoryFiles {
  readonly root: DirectoryNode = { kind: 'dir', entries: new Map(), changedAt: 0 };
  now: () => number = Date.now;
  /** Of all files together; an entry counts as 1 KiB. */
  readonly #maxBytes: number;

  constructor({ maxBytes = Number.POSITIVE_INFINITY }: { readonly maxBytes?: number } = {}) {
    this.#maxBytes = maxBytes;
  }

  /** Whether this many more bytes fit. */
  hasRoom(bytes: number): boolean {
    return this.#maxBytes === Number.POSITIVE_INFINITY || sizeOf(this.root) + bytes <= this.#maxBytes;
  }

  /** Makes the directories above it too. */
  directory(path: string): DirectoryNode {
    let place = this.root;
    for (const name of path.split('/').filter(Boolean)) {
      const known = place.entries.get(bytesOf(name));
      const next: Node = known ?? { kind: 'dir', entries: new Map(), changedAt: this.now() };
      if (next.kind !== 'dir') throw new Error(`${path}: ${name} is no directory`);
      place.entries.set(bytesOf(name), next);
      place = next;
    }
    return place;
  }

  file(path: string, content: string | Buffer, mode = 0o644, owner = 'account'): void {
    const bytes = Buffer.from(content);
    this.put(path, { kind: 'file', bytes, mode, owner, names: 1, changedAt: this.now() });
  }

  put(path: string, node: Node): void {
    const { above, name } = split(path);
    this.directory(above).entries.set(bytesOf(name), node);
  }

  hardLink(path: string, existing: string): void {
    const node = this.at(existing);
    if (node?.kind !== 'file') throw new Error(`${existing} is no file`);
    node.names += 1;
    this.put(path, node);
  }

  move(path: string, to: string): void {
    const { above, name } = split(path);
    const { entries } = this.directory(above);
    const node = entries.get(bytesOf(name));
    if (!node) throw new Error(`there is no ${path}`);
    entries.delete(bytesOf(name));
    this.put(to, node);
  }

  /** The entry with exactly this path, links not followed. */
  at(path: string): Node | undefined {
    return path
      .split('/')
      .filter(Boolean)
      .reduce<Node | undefined>(
        (place, name) => (place?.kind === 'dir' ? place.entries.get(bytesOf(name)) : undefined),
        this.root,
      );
  }

  /** A path's target when all links are followed; `null`: none. */
  resolve(path: string, hops = 0): string | null {
    let real = '';
    const names = path.split('/').filter(Boolean);
    for (const [index, name] of names.entries()) {
      const node = this.at(`${real}/${name}`);
      if (!node || hops > 40) return null;
      if (node.kind === 'link') {
        const target = node.target.startsWith('/') ? node.target : `${real}/${node.target}`;
        return this.resolve([target, ...names.slice(index + 1)].join('/'), hops + 1);
      }
      real = `${real}/${name}`;
    }
    return real || '/';
  }
}

const ENTRY_BYTES = 1_024;

const sizeOf = (node: Node): number =>
  ENTRY_BYTES +
  (node.kind === 'file' ? node.bytes.length : 0) +
  (node.kind === 'dir' ? [...node.entries.values()].reduce((sum, each) => sum + sizeOf(each), 0) : 0);

function split(path: string): { above: string; name: string } {
  const at = path.lastIndexOf('/');
  return { above: path.slice(0, at), name: path.slice(at + 1) };
}
