import { createHash } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DumpFile, TransferWatch } from '../../../../application/ports/backups/backup-engine.ts';
import { DUMP_DIRECTORY } from '../../../../domain/backups/dump.ts';
import { DomainError } from '../../../../domain/base/errors.ts';
import { formatBytes } from '../../../../domain/base/format-bytes.ts';
import { type ByteString, bytesOfText, compareWalkOrder } from '../byte-string.ts';
import type { Planned } from '../comparison.ts';
import { pathBelow } from '../file-tree.ts';
import type { HostListing } from '../host-survey.ts';
import { PRIVATE_DIRECTORY } from '../store-directory.ts';
import { Surveyed } from '../surveyed.ts';

const PRIVATE_FILE = 0o600;
const DIRECTORY = bytesOfText(DUMP_DIRECTORY);
const PROGRESS_EVERY_BYTES = 16 * 1024 * 1024;

/** A complete dump, in a separate file beside the snapshot's. */
interface TakenDump {
  readonly path: ByteString;
  readonly place: string;
  readonly size: number;
  readonly sha256: string;
}

/** The dumps of one backup. */
export class TakenDumps {
  readonly bytes: number;
  readonly #dumps: readonly TakenDump[];
  readonly #staging: string;

  constructor(dumps: readonly TakenDump[], staging: string) {
    this.#dumps = dumps;
    this.#staging = staging;
    this.bytes = dumps.reduce((sum, { size }) => sum + size, 0);
  }

  /** Takes one after another. If one fails, removes all and rethrows. */
  static async take(files: readonly DumpFile[], staging: string, watch: TransferWatch): Promise<TakenDumps> {
    const taken: TakenDump[] = [];
    try {
      if (files.length > 0) await mkdir(staging, { recursive: true, mode: PRIVATE_DIRECTORY });
      for (const [index, file] of files.entries()) {
        const dump = await takeOne(file, join(staging, String(index)), watch);
        watch.log(`Dumped ${file.path}: ${formatBytes(dump.size)}.`);
        taken.push(dump);
      }
      return new TakenDumps(taken, staging);
    } catch (error) {
      await rm(staging, { recursive: true, force: true });
      throw error;
    }
  }

  /**
   * The listing with the dumps as entries of the snapshot. Throws `backup_failed` if the host has such a directory.
   */
  listedWith(listing: HostListing): HostListing {
    if (this.#dumps.length === 0) return listing;
    if (listing.entries.some(({ path }) => path === DIRECTORY || path.startsWith(`${DIRECTORY}/`))) {
      throw new DomainError(
        'backup_failed',
        `The host has a directory /${DUMP_DIRECTORY}, a name that is reserved for dumps in the snapshot: exclude it from the source, or rename it.`,
      );
    }
    const own = [
      surveyed(DIRECTORY, 'd 700', 0, 0),
      ...this.#dumps.map(({ path, size }, at) => surveyed(path, 'f 600', size, at + 1)),
    ];
    return {
      ...listing,
      entries: [...listing.entries, ...own].sort((a, b) => compareWalkOrder(a.path, b.path)),
    };
  }

  /** Says of the plan that the content of dumps is here already. */
  claim(planned: readonly Planned[]): void {
    if (this.#dumps.length === 0) return;
    const byPath = new Map(this.#dumps.map((dump) => [dump.path, dump] as const));
    for (const each of planned) {
      const dump = byPath.get(each.path);
      if (dump === undefined && each.path !== DIRECTORY) continue;
      each.action = 'given';
      each.sha256 = dump?.sha256;
    }
  }

  /** Moves them into the snapshot's files, whose directories are there. */
  async place(files: string): Promise<void> {
    for (const { path, place } of this.#dumps) await rename(place, pathBelow(files, path));
    if (this.#dumps.length > 0) await rm(this.#staging, { recursive: true });
  }
}

async function takeOne(
  { path, read }: DumpFile,
  place: string,
  { signal, progress }: TransferWatch,
): Promise<TakenDump> {
  const hash = createHash('sha256');
  const file = await open(place, 'wx', PRIVATE_FILE);
  let size = 0;
  let reported = 0;
  progress(`Dumping ${path}`, null);
  try {
    for await (const chunk of read(signal)) {
      signal.throwIfAborted();
      hash.update(chunk);
      await file.writeFile(chunk);
      size += chunk.length;
      if (size - reported < PROGRESS_EVERY_BYTES) continue;
      reported = size;
      progress(`Dumping ${path}: ${formatBytes(size)}`, null, { phase: `Dumping ${path}` });
    }
  } finally {
    await file.close();
  }
  return { path: bytesOfText(path), place, size, sha256: hash.digest('hex') };
}

/** As a host would report it. No two backups have the same time, so that none keeps the dumps of another. */
function surveyed(path: ByteString, kind: string, size: number, inode: number): Surveyed {
  const now = `${(Date.now() / 1_000).toFixed(3)}000000`;
  const owner = `${process.getuid?.() ?? 0} ${process.getgid?.() ?? 0}`;
  return new Surveyed(path, `${kind} ${owner} ${size} ${now} ${now} ${inode} 0 1 0`, undefined);
}
