import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { noDirectory, noFile, notInSnapshot } from '../../src/adapters/outbound/backup/browse-refusals.ts';
import type {
  BackupEngine,
  BackupPlan,
  BackupRequest,
  PlanRequest,
  RestoreRequest,
  SnapshotPlace,
  TransferWatch,
  VerifyRequest,
} from '../../src/application/ports/backups/backup-engine.ts';
import type { BrowseRequest } from '../../src/application/ports/backups/snapshot-browser.ts';
import type { JailEntry } from '../../src/application/ports/files/jail-fs.ts';
import type { BackupSource } from '../../src/domain/backups/backup-source.ts';
import { DUMP_DIRECTORY } from '../../src/domain/backups/dump.ts';
import { sampleCount } from '../../src/domain/backups/sample-size.ts';
import type { NewSnapshot, Snapshot } from '../../src/domain/backups/snapshot.ts';
import { DomainError, InvalidInput } from '../../src/domain/base/errors.ts';
import type { Instant } from '../../src/domain/base/instant.ts';
import type { PageRequest } from '../../src/domain/base/page.ts';

type Files = ReadonlyMap<string, string>;

interface Stored {
  readonly facts: NewSnapshot;
  readonly files: Map<string, string>;
  /** The stored content, by the hash of each file. */
  readonly manifest: ReadonlyMap<string, string>;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const sizeOf = (files: Files): number =>
  [...files.values()].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
const keyOf = (snapshot: Pick<NewSnapshot, 'serverId' | 'sourceId' | 'name'>): string =>
  `${snapshot.serverId}/${snapshot.sourceId}/${snapshot.name}`;

/** Snapshots in memory, of files in memory. All hosts have the same files. */
export class FakeBackupEngine implements BackupEngine {
  readonly name = 'rsync' as const;
  /** The hosts' files, by absolute path. */
  readonly files = new Map<string, string>();
  /** These vanish while they are read. */
  readonly vanishing = new Set<string>();
  /** Bytes that fit into the store. */
  room = Number.POSITIVE_INFINITY;
  /** Awaited before each file is read: a test can wait, fail or cancel there. */
  beforeFile: (path: string) => Promise<void> | void = () => undefined;
  /** The sources that `sweep` was called with, in order. */
  readonly sweeps: Array<readonly number[]> = [];
  /** The damaged snapshots of the last backup call. */
  distrusted: readonly string[] = [];
  /** Sources whose space was freed, as it was asked for. */
  readonly reclaimed: number[] = [];
  readonly #now: () => Instant;
  readonly #stored = new Map<string, Stored>();
  /** Received data of interrupted backups, by source. */
  readonly #received = new Map<number, Map<string, string>>();

  constructor(now: () => Instant = Date.now) {
    this.#now = now;
  }

  async backup(request: BackupRequest, watch: TransferWatch): Promise<NewSnapshot> {
    watch.signal.throwIfAborted();
    const { source, jobId, startedAt } = request;
    watch.progress('Checking the source', null);
    this.distrusted = request.distrusted ?? [];
    const { selected, changed } = this.#compare(request);
    if (sizeOf(changed) > this.room)
      throw new DomainError('disk_full', 'The backup store has no room for it.');
    watch.log(`To transfer: ${changed.size} of ${selected.size} files.`);
    const dumped = new Map<string, string>();
    for (const { path, read } of request.dumps ?? []) {
      let text = '';
      for await (const chunk of read(watch.signal)) text += chunk.toString();
      dumped.set(`/${path}`, text);
    }
    const files = await this.#read(source, selected, changed, watch);
    for (const [path, text] of dumped) files.set(path, text);
    watch.signal.throwIfAborted();
    const manifest = new Map([...files].map(([path, text]) => [path, sha256(text)]));
    const facts: NewSnapshot = {
      serverId: source.serverId,
      sourceId: source.id,
      sourceName: source.name,
      jobId,
      engine: this.name,
      name: this.#freeName(source, new Date(startedAt).toISOString()),
      startedAt,
      finishedAt: this.#now(),
      fileCount: files.size,
      totalBytes: sizeOf(files),
      transferredBytes: sizeOf(new Map([...changed].filter(([path]) => files.has(path)))) + sizeOf(dumped),
      vanishedCount: selected.size + dumped.size - files.size,
      manifestSha256: sha256(JSON.stringify([...manifest])),
    };
    this.room -= facts.transferredBytes;
    this.#stored.set(keyOf(facts), { facts, files, manifest });
    this.#received.delete(source.id);
    return facts;
  }

  async plan(request: PlanRequest): Promise<BackupPlan> {
    const { selected, changed } = this.#compare(request);
    return {
      files: selected.size,
      totalBytes: sizeOf(selected),
      transferFiles: changed.size,
      transferBytes: sizeOf(changed),
    };
  }

  async published(source: BackupSource): Promise<readonly NewSnapshot[]> {
    return [...this.#stored.values()]
      .map(({ facts }) => facts)
      .filter(({ serverId, sourceId }) => serverId === source.serverId && sourceId === source.id)
      .sort((a, b) => a.startedAt - b.startedAt);
  }

  async remove(snapshot: SnapshotPlace): Promise<void> {
    this.#stored.delete(keyOf(snapshot));
  }

  async sweep(knownSources: readonly Pick<BackupSource, 'id' | 'serverId'>[]): Promise<void> {
    const known = knownSources.map(({ id }) => id);
    this.sweeps.push(known);
    for (const id of this.#received.keys()) if (!known.includes(id)) this.#received.delete(id);
  }

  async reclaim({ id }: Pick<BackupSource, 'id'>): Promise<void> {
    this.reclaimed.push(id);
  }

  async verify({
    snapshot,
    sample,
  }: VerifyRequest): Promise<{ readonly files: number; readonly bytes: number }> {
    const { files, manifest } = this.#whole(snapshot);
    const chosen = new Map([...files].slice(0, sampleCount(sample, files.size)));
    for (const [path, text] of chosen) if (sha256(text) !== manifest.get(path)) throw differs(path);
    return { files: chosen.size, bytes: sizeOf(chosen) };
  }

  async restore(request: RestoreRequest): Promise<{ readonly files: number; readonly bytes: number }> {
    const { snapshot, directory, subpaths, overwrite } = request;
    assertDirectory(directory);
    const below = directory.replace(/\/+$/, '');
    const { files, manifest } = this.#whole(snapshot);
    const wanted = subpaths.map((subpath) => `/${subpath.replace(/^\/+|\/+$/g, '')}`);
    for (const [index, path] of wanted.entries()) {
      if (path === '/' || ![...files.keys()].some((file) => isAtOrBelow(file, path)))
        throw unknownSubpath(index);
    }
    if (!overwrite && [...this.files.keys()].some((path) => path.startsWith(`${below}/`))) {
      throw new DomainError('restore_target_not_empty', `"${directory}" is not empty.`);
    }
    const isWanted = (path: string): boolean =>
      wanted.length === 0
        ? below !== '' || !isAtOrBelow(path, `/${DUMP_DIRECTORY}`)
        : wanted.some((each) => isAtOrBelow(path, each));
    const chosen = new Map([...files].filter(([path]) => isWanted(path)));
    for (const [path, text] of chosen) this.files.set(`${below}${path}`, text);
    for (const [path, text] of chosen) if (manifest.get(path) !== sha256(text)) throw differs(path);
    return { files: chosen.size, bytes: sizeOf(chosen) };
  }

  async *contents({
    snapshot,
    directory,
    subpaths,
  }: Parameters<BackupEngine['contents']>[0]): ReturnType<BackupEngine['contents']> {
    const { files } = this.#whole(snapshot);
    const isWanted = (path: string): boolean =>
      subpaths.length === 0
        ? directory !== '/' || !isAtOrBelow(path, `/${DUMP_DIRECTORY}`)
        : subpaths.some((each) => isAtOrBelow(path, `/${each}`));
    const seen = new Set<string>();
    for (const [path, text] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const names = path.slice(1).split('/');
      for (const [index] of names.entries()) {
        const at = names.slice(0, index + 1).join('/');
        if (seen.has(at) || !isWanted(`/${at}`)) continue;
        seen.add(at);
        const isFile = index === names.length - 1;
        yield {
          path: Buffer.from(at),
          kind: isFile ? 'file' : 'dir',
          size: isFile ? Buffer.byteLength(text) : 0,
          modifiedAt: snapshot.startedAt,
          mode: isFile ? 0o644 : 0o755,
          uid: 0,
          gid: 0,
          sha256: isFile ? sha256(text) : null,
          target: null,
        };
      }
    }
  }

  async list(
    { snapshot, path }: BrowseRequest,
    { offset, limit }: PageRequest,
  ): ReturnType<BackupEngine['list']> {
    const { files } = this.#whole(snapshot);
    const below = path.isRoot ? '/' : `/${String(path)}/`;
    if (files.has(`/${String(path)}`)) throw noDirectory(path);
    const found = new Map<string, JailEntry>();
    for (const [file, text] of files) {
      if (!file.startsWith(below)) continue;
      const [name = '', ...rest] = file.slice(below.length).split('/');
      const isFile = rest.length === 0;
      found.set(name, {
        name: Buffer.from(name),
        kind: isFile ? 'file' : 'dir',
        size: isFile ? Buffer.byteLength(text) : 0,
        modifiedAt: snapshot.startedAt,
      });
    }
    if (found.size === 0 && !path.isRoot) throw notInSnapshot(path);
    const entries = [...found.values()].sort((a, b) => Buffer.compare(a.name, b.name));
    return { entries: entries.slice(offset, offset + limit), total: entries.length };
  }

  async read({ snapshot, path }: BrowseRequest): ReturnType<BackupEngine['read']> {
    const { files } = this.#whole(snapshot);
    const text = files.get(`/${String(path)}`);
    if (text === undefined) {
      const isDirectory =
        path.isRoot || [...files.keys()].some((each) => each.startsWith(`/${String(path)}/`));
      const isBelowFile = [...files.keys()].some((each) => `/${String(path)}`.startsWith(`${each}/`));
      if (isDirectory) throw noFile(path);
      throw isBelowFile ? noDirectory(path) : notInSnapshot(path);
    }
    const content = Readable.from(text === '' ? [] : [Buffer.from(text)]);
    return { size: Buffer.byteLength(text), sha256: sha256(text), content };
  }

  async readDump({
    snapshot,
    path,
  }: Parameters<BackupEngine['readDump']>[0]): ReturnType<BackupEngine['readDump']> {
    const { files, manifest } = this.#whole(snapshot);
    const text = files.get(`/${path}`);
    if (text === undefined) throw new DomainError('file_not_found', `There is no dump ${path}.`);
    if (manifest.get(`/${path}`) !== sha256(text)) throw differs(path);
    return { size: Buffer.byteLength(text), content: Readable.from([Buffer.from(text)]) };
  }

  /** Changes a stored file behind the engine's back. */
  damage(snapshot: NewSnapshot, path: string, text: string): void {
    this.#stored.get(keyOf(snapshot))?.files.set(path, text);
  }

  /** Puts a snapshot into the store that no backup made, as another process may have done. */
  plant(facts: NewSnapshot, files: Files): void {
    const manifest = new Map([...files].map(([path, text]) => [path, sha256(text)]));
    this.#stored.set(keyOf(facts), { facts, files: new Map(files), manifest });
  }

  #compare({ source, extraExcludes = [] }: PlanRequest): {
    readonly selected: Files;
    readonly changed: Files;
  } {
    const missing = source.paths.filter(
      (path) => ![...this.files.keys()].some((file) => isAtOrBelow(file, path)),
    );
    if (missing.length > 0) {
      const named = missing.map((path) => `"${path}"`).join(', ');
      throw new DomainError('source_missing', `The host has no ${named}.`);
    }
    const patterns = [...source.excludes, ...extraExcludes];
    const selected = new Map(
      [...this.files].filter(
        ([file]) =>
          source.paths.some((path) => isAtOrBelow(file, path)) &&
          !patterns.some((pattern) => matches(file, pattern)),
      ),
    );
    const latest = this.#latest(source);
    const received = this.#received.get(source.id);
    const changed = [...selected].filter(
      ([file, text]) => latest?.get(file) !== text && received?.get(file) !== text,
    );
    return { selected, changed: new Map(changed) };
  }

  async #read(
    source: BackupSource,
    selected: Files,
    changed: Files,
    watch: TransferWatch,
  ): Promise<Map<string, string>> {
    const files = new Map<string, string>();
    this.#received.set(source.id, this.#received.get(source.id) ?? new Map());
    for (const [path, text] of [...selected].sort(([a], [b]) => (a < b ? -1 : 1))) {
      await this.beforeFile(path);
      watch.signal.throwIfAborted();
      if (this.vanishing.has(path)) {
        watch.log(`1 file vanished while the source was read: "${path}"`);
        continue;
      }
      files.set(path, text);
      if (changed.has(path)) this.#received.get(source.id)?.set(path, text);
      watch.progress('Transferring', Math.floor((99 * files.size) / selected.size));
    }
    return files;
  }

  #latest(source: BackupSource): Files | undefined {
    const all = [...this.#stored.values()].filter(({ facts }) => facts.sourceId === source.id);
    return all.sort((a, b) => a.facts.startedAt - b.facts.startedAt).at(-1)?.files;
  }

  #freeName(source: BackupSource, name: string): string {
    const taken = (candidate: string): boolean =>
      this.#stored.has(keyOf({ serverId: source.serverId, sourceId: source.id, name: candidate }));
    let free = name;
    for (let number = 2; taken(free); number += 1) free = `${name}-${number}`;
    return free;
  }

  #whole(snapshot: Snapshot): Stored {
    const stored = this.#stored.get(keyOf(snapshot));
    if (!stored) throw new DomainError('snapshot_damaged', `Snapshot ${snapshot.name} is not there.`);
    if (stored.facts.manifestSha256 !== snapshot.manifestSha256) {
      throw new DomainError('snapshot_damaged', `Snapshot ${snapshot.name} has another manifest.`);
    }
    return stored;
  }
}

const isAtOrBelow = (file: string, path: string): boolean =>
  file === path || file.startsWith(path === '/' ? '/' : `${path}/`);

/** Anchored paths, names, and `*` in names: the part of rsync's patterns that tests need. */
function matches(file: string, pattern: string): boolean {
  if (pattern.startsWith('/')) return isAtOrBelow(file, pattern);
  const source = pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '[^/]*');
  return new RegExp(`/${source}(/|$)`).test(file);
}

function assertDirectory(directory: string): void {
  if (directory.startsWith('/') && !directory.includes('\0') && !directory.split('/').includes('..')) return;
  throw new InvalidInput([{ path: '/directory', message: 'Name an absolute directory.' }]);
}

const unknownSubpath = (index: number): InvalidInput =>
  new InvalidInput([{ path: `/subpaths/${index}`, message: 'The snapshot does not have it.' }]);

const differs = (path: string): DomainError =>
  new DomainError('snapshot_damaged', `The snapshot is damaged: "${path.slice(1)}" has different content.`);
