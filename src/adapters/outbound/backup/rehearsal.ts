import { randomUUID } from 'node:crypto';
import type { TransferWatch } from '../../../application/ports/backups/backup-engine.ts';
import { type SampleSize, sampleCount } from '../../../domain/backups/sample-size.ts';
import { DomainError } from '../../../domain/base/errors.ts';
import { formatBytes } from '../../../domain/base/format-bytes.ts';
import { display } from './byte-string.ts';
import { isDirectory, type ManifestEntry } from './manifest-entry.ts';
import { readManifest } from './manifest-file.ts';
import { type Compared, compareRestored } from './restore-check.ts';
import type { Scratch } from './scratch.ts';
import type { SnapshotPlaces } from './store-layout.ts';
import { TransferProgress } from './transfer-progress.ts';

const MIB = 1024 * 1024;
/** A piece to restore at a time, so that the temporary directory stays small. */
const PIECE_ENTRIES = 500;
const PIECE_BYTES = 256 * MIB;
/** Paths may be arguments of a command. */
const PIECE_PATH_BYTES = 60_000;
/** Left free on the file system of the temporary directory, unless it is small. */
const RESERVE_BYTES = 64 * MIB;
const RESERVE_PART = 1 / 20;
/** The largest share of free space for a piece. */
const PIECE_PART = 1 / 4;
const BLOCK_BYTES = 4_096;

export interface RehearsalOrder {
  readonly places: SnapshotPlaces;
  readonly manifestSha256: string;
  readonly sample: SampleSize;
  readonly chance: () => number;
  readonly scratch: Scratch;
  /** Whether owners and permissions can be kept there, and devices made. */
  readonly isRoot: boolean;
  /** Whether sockets can be restored. */
  readonly sockets: boolean;
  /** Restores these below a directory that it makes. */
  readonly restore: (entries: readonly ManifestEntry[], directory: string) => Promise<unknown>;
  /** Throws for a difference: either the snapshot is damaged, or the restore failed. */
  readonly judge: (compared: Compared) => Promise<void>;
}

/** Restores files of a snapshot to a scratch place, piece by piece, and compares them with the manifest. */
export async function rehearse(
  order: RehearsalOrder,
  watch: TransferWatch,
): Promise<{ readonly files: number; readonly bytes: number }> {
  const { scratch } = order;
  const progress = new TransferProgress(watch);
  progress.stage('Choosing the files to restore', null);
  const sample = await measured(order, watch.signal);
  const free = await scratch.free();
  if (sample.largest && roomFor([sample.largest], free) < 0) throw noRoom(sample.largest, free);
  watch.log(
    `Restoring ${sample.count} of ${sample.all} files (${formatBytes(sample.bytes)}) to "${scratch.directory}", which has ${formatBytes(free)} free.`,
  );
  let files = 0;
  let bytes = 0;
  for await (const piece of piecesOf(chosen(order, sample.all), Math.min(PIECE_BYTES, free * PIECE_PART))) {
    watch.signal.throwIfAborted();
    const done = await restorePiece(order, piece, watch.signal);
    files += done.files;
    bytes += done.bytes;
    progress.bytes('Restoring and comparing', bytes + files, sample.bytes + sample.count);
  }
  return { files, bytes };
}

async function restorePiece(
  order: RehearsalOrder,
  piece: readonly ManifestEntry[],
  signal: AbortSignal,
): Promise<Compared> {
  const { scratch, isRoot } = order;
  const free = await scratch.free();
  if (piece[0] && roomFor(piece, free) < 0) throw noRoom(piece[0], free);
  const directory = `${scratch.directory}/${randomUUID()}`;
  try {
    await order.restore(piece, directory);
    const compared = await compareRestored(
      { host: scratch.host, directory, signal, withModes: isRoot },
      piece,
    );
    if (compared.findings.count > 0) await order.judge(compared);
    return compared;
  } finally {
    await scratch.remove(directory).catch(() => undefined);
  }
}

interface Extent {
  /** All that could be restored. */
  readonly all: number;
  readonly count: number;
  readonly bytes: number;
  readonly largest: ManifestEntry | null;
}

/** Reads all of the manifest, which also proves it whole. The same choice again would need the same chance, so sizes are of all. */
async function measured(order: RehearsalOrder, signal: AbortSignal): Promise<Extent> {
  let all = 0;
  let bytes = 0;
  let largest: ManifestEntry | null = null;
  for await (const entry of candidates(order)) {
    signal.throwIfAborted();
    all += 1;
    bytes += entry.size;
    if (entry.size > (largest?.size ?? -1)) largest = entry;
  }
  const count = sampleCount(order.sample, all);
  const isAll = count === all;
  return {
    all,
    count,
    bytes: isAll ? bytes : Math.round((bytes * count) / all),
    largest: isAll ? largest : null,
  };
}

async function* candidates({
  places,
  manifestSha256,
  isRoot,
  sockets,
}: RehearsalOrder): AsyncGenerator<ManifestEntry> {
  for await (const entry of readManifest(places.manifest, manifestSha256)) {
    if (!sockets && entry.type === 'socket') continue;
    if (!isDirectory(entry) && (isRoot || entry.device === undefined)) yield entry;
  }
}

/** Each as likely as every other (Knuth, The Art of Computer Programming 2, 3.4.2, algorithm S), without holding them all. */
async function* chosen(order: RehearsalOrder, all: number): AsyncGenerator<ManifestEntry> {
  let left = all;
  let wanted = sampleCount(order.sample, all);
  for await (const entry of candidates(order)) {
    if (wanted === 0) return;
    if (order.chance() * left < wanted) {
      wanted -= 1;
      yield entry;
    }
    left -= 1;
  }
}

async function* piecesOf(
  entries: AsyncIterable<ManifestEntry>,
  mostBytes: number,
): AsyncGenerator<readonly ManifestEntry[]> {
  let piece: ManifestEntry[] = [];
  let bytes = 0;
  let pathBytes = 0;
  for await (const entry of entries) {
    const isFull =
      piece.length >= PIECE_ENTRIES ||
      bytes + entry.size > mostBytes ||
      pathBytes + 2 * entry.path.length > PIECE_PATH_BYTES;
    if (isFull && piece.length > 0) {
      yield piece;
      piece = [];
      bytes = 0;
      pathBytes = 0;
    }
    piece.push(entry);
    bytes += entry.size;
    pathBytes += 2 * entry.path.length + 16;
  }
  if (piece.length > 0) yield piece;
}

/** Bytes that would be left after a reserve; below zero it does not fit. */
const roomFor = (piece: readonly ManifestEntry[], free: number): number =>
  free -
  Math.min(RESERVE_BYTES, free * RESERVE_PART) -
  piece.reduce((sum, { size }) => sum + size + BLOCK_BYTES, 0);

const noRoom = (entry: ManifestEntry, free: number): DomainError =>
  new DomainError(
    'disk_full',
    `The scratch directory has ${formatBytes(free)} free, and restoring "${display(entry.path)}" needs ${formatBytes(entry.size)} (a reserve is kept): free some space there, or verify a sample.`,
  );
