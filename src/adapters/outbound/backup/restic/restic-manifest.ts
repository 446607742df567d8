import type { RemoteHost } from '../../../../application/ports/fleet/remote-host.ts';
import { DomainError } from '../../../../domain/base/errors.ts';
import { type ByteString, bytesOfText } from '../byte-string.ts';
import { isDirectory, type ManifestEntry } from '../manifest-entry.ts';
import { ManifestWriter, readManifest } from '../manifest-file.ts';
import { mergeSorted } from '../merge-sorted.ts';
import { batchesOf } from '../restore-check.ts';
import type { SnapshotPlaces } from '../store-layout.ts';
import { TargetCheck } from '../target-check.ts';
import { repositoryFault } from './restic-faults.ts';
import type { ResticHost } from './restic-host.ts';
import { listedOf, nanoseconds, permissionsOf, type ResticNode } from './restic-messages.ts';

/** What a manifest has. */
export interface ManifestCounts {
  readonly sha256: string;
  /** Everything but directories. */
  readonly fileCount: number;
  readonly regularCount: number;
  readonly totalBytes: number;
  /** Names that are not UTF-8: restic stores them, but reports them garbled. */
  readonly unnamedCount: number;
  /** Files that changed after they were read, so that only restic knows the content. */
  readonly unhashedCount: number;
}

export interface ResticManifest extends Omit<ManifestCounts, 'regularCount'> {
  readonly snapshotId: string;
}

const TYPES: Readonly<Record<string, ManifestEntry['type']>> = {
  file: 'file',
  dir: 'directory',
  symlink: 'symlink',
  fifo: 'fifo',
  chardev: 'character-device',
  dev: 'block-device',
};
/** Their paths and answers stay below the limit of a command's output. Small, so that the host starts while restic still lists. */
const BATCH_ENTRIES = 1_000;
/** The host reads two batches while restic lists the next. */
const BATCHES_AHEAD = 2;
export const GARBLED = '\ufffd';

/**
 * Writes the manifest of the single snapshot with a tag. restic's list has everything but contents and targets; those
 * are read once more on the host, if the file's change time shows that it is unchanged since restic read it. So they
 * are independent of the repository that they verify. A file with the same change time as in the previous manifest
 * keeps its hash.
 */
export async function buildResticManifest(
  restic: ResticHost,
  tag: string,
  places: SnapshotPlaces,
  former: string | null,
  watch: { readonly signal: AbortSignal; readonly onBytes: (bytes: number) => void },
): Promise<ResticManifest> {
  const listing = new Listing(restic, tag);
  const order = { manifest: places.manifest, former };
  const written = await writeManifest(restic.host, listing.entries(), order, watch);
  const { snapshotId, unnamedCount } = listing;
  if (snapshotId === null)
    throw new DomainError('backup_failed', 'restic does not list the snapshot it made.');
  return { ...written, snapshotId, unnamedCount };
}

/** Writes entries with the host's hashes and targets, except those that changed since their change time was taken. */
export async function writeManifest(
  host: RemoteHost,
  source: AsyncIterable<ManifestEntry>,
  {
    manifest,
    former,
    batchEntries = BATCH_ENTRIES,
  }: { readonly manifest: string; readonly former: string | null; readonly batchEntries?: number },
  watch: { readonly signal: AbortSignal; readonly onBytes: (bytes: number) => void },
): Promise<Omit<ManifestCounts, 'unnamedCount'>> {
  const writer = await ManifestWriter.create(manifest);
  const check = new TargetCheck(host, '/', watch.signal);
  let fileCount = 0;
  let regularCount = 0;
  let totalBytes = 0;
  let unhashedCount = 0;
  try {
    const batches = batchesOf(withFormer(source, former), batchEntries);
    for await (const entries of mapAhead(batches, BATCHES_AHEAD, (batch) => completed(check, batch))) {
      for (const entry of entries) {
        await writer.add(entry);
        if (isDirectory(entry)) continue;
        fileCount += 1;
        totalBytes += entry.size;
        if (entry.type !== 'file') continue;
        regularCount += 1;
        if (entry.sha256 === undefined) unhashedCount += 1;
      }
      watch.onBytes(totalBytes);
    }
    return { sha256: await writer.finish(), fileCount, regularCount, totalBytes, unhashedCount };
  } catch (error) {
    await writer.abandon();
    throw error;
  }
}

/** restic's list as manifest entries, in walk order. */
class Listing {
  readonly #restic: ResticHost;
  readonly #tag: string;
  snapshotId: string | null = null;
  unnamedCount = 0;

  constructor(restic: ResticHost, tag: string) {
    this.#restic = restic;
    this.#tag = tag;
  }

  async *entries(): AsyncGenerator<ManifestEntry> {
    const order = { args: ['ls', '--json', '--tag', this.#tag, 'latest'] };
    const lines = this.#restic.lines(order, (end) => repositoryFault(this.#restic.opened, end));
    for await (const line of lines) {
      if (!line.startsWith('{')) continue;
      const listed = listedOf(line);
      if (listed.struct_type === 'snapshot') this.snapshotId = listed.id;
      else {
        const entry = this.#entryOf(listed);
        if (entry) yield entry;
      }
    }
  }

  #entryOf(node: ResticNode): ManifestEntry | null {
    const type = TYPES[node.type];
    // a socket is nothing without its program, and restic does not restore it
    if (!type || node.path === '/') return null;
    if (node.path.includes(GARBLED)) {
      this.unnamedCount += 1;
      return null;
    }
    const isDevice = type === 'character-device' || type === 'block-device';
    return {
      path: bytesOfText(node.path.slice(1)),
      type,
      size: type === 'file' ? (node.size ?? 0) : 0,
      mtimeNs: nanoseconds(node.mtime),
      ctimeNs: nanoseconds(node.ctime),
      mode: permissionsOf(node.mode),
      uid: node.uid,
      gid: node.gid,
      ...(isDevice ? { device: 0 } : {}),
    };
  }
}

async function* withFormer(
  entries: AsyncIterable<ManifestEntry>,
  former: string | null,
): AsyncGenerator<ManifestEntry> {
  for await (const [entry, before] of mergeSorted(entries, formerEntries(former))) {
    if (!entry) continue;
    const isSame =
      before?.type === entry.type &&
      before.ctimeNs !== undefined &&
      before.ctimeNs === entry.ctimeNs &&
      before.size === entry.size &&
      before.mtimeNs === entry.mtimeNs;
    yield isSame ? { ...entry, ...known(before) } : entry;
  }
}

const known = ({ sha256, target }: ManifestEntry): Partial<ManifestEntry> => ({
  ...(sha256 === undefined ? {} : { sha256 }),
  ...(target === undefined ? {} : { target }),
});

/** Without an intact previous manifest every file has to be read. */
async function* formerEntries(former: string | null): AsyncGenerator<ManifestEntry> {
  if (former === null) return;
  try {
    yield* readManifest(former);
  } catch {
    // the rest is hashed
  }
}

/** With the host's hashes and targets, for files that have not changed since restic read them. */
async function completed(
  check: TargetCheck,
  batch: readonly ManifestEntry[],
): Promise<readonly ManifestEntry[]> {
  const files = batch.filter(({ type, sha256 }) => type === 'file' && sha256 === undefined);
  const links = batch.filter(({ type, target }) => type === 'symlink' && target === undefined);
  const hashes = await check.contents(files);
  const targets = await check.targets(links);
  const found = new Map<ManifestEntry, Partial<ManifestEntry>>();
  for (const [index, file] of files.entries()) {
    const sha256 = hashes[index];
    if (sha256) found.set(file, { sha256 });
  }
  for (const [index, link] of links.entries()) {
    const target = targets[index] as ByteString;
    if (target !== '') found.set(link, { target });
  }
  const looked = [...found.keys()];
  // after reading: any change until now shows another time
  const times = await check.changeTimes(looked);
  for (const [index, entry] of looked.entries()) {
    if (times[index] !== entry.ctimeNs) found.delete(entry);
  }
  return batch.map((entry) => ({ ...entry, ...found.get(entry) }));
}

/** Results in the order of the items; up to `ahead` of them are in work while the consumer has one. */
export async function* mapAhead<Item, Result>(
  items: AsyncIterable<Item>,
  ahead: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result, void, undefined> {
  const started: Array<Promise<Result>> = [];
  try {
    for await (const item of items) {
      const result = work(item);
      // its turn may come after an earlier one has failed
      result.catch(() => undefined);
      started.push(result);
      if (started.length <= ahead) continue;
      yield await (started.shift() as Promise<Result>);
    }
    for (let next = started.shift(); next; next = started.shift()) yield await next;
  } finally {
    await Promise.allSettled(started);
  }
}
