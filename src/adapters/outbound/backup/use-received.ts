import { mkdirSync, renameSync } from 'node:fs';
import type { RemoteHost } from '../../../application/ports/fleet/remote-host.ts';
import type { ByteString } from './byte-string.ts';
import type { Planned } from './comparison.ts';
import { hashFile } from './file-hash.ts';
import { lookAt, pathBelow } from './file-tree.ts';
import { sumOfHead } from './host-fetch.ts';
import { batchesOf } from './restore-check.ts';
import { PRIVATE_DIRECTORY } from './store-directory.ts';
import { TargetCheck } from './target-check.ts';
import { parentOf } from './tree-clone.ts';

/** A part of a file that is smaller is fetched once more. */
const MIN_PART_BYTES = 1024 * 1024;

/** What an interrupted run had received of a file. */
export interface Received {
  readonly place: Buffer;
  readonly bytes: number;
  /** Hex, of these bytes, here and on the host. */
  readonly sha256: string;
  /** It is all of the file, and was finished with all that it is. */
  readonly isFinished: boolean;
}

/** Determines which files to fetch are here already: the checksums of both sides decide. */
export async function findReceived(
  host: RemoteHost,
  received: string,
  wanted: readonly Planned[],
  signal: AbortSignal,
): Promise<ReadonlyMap<Planned, Received>> {
  const found = new Map<Planned, Received>();
  const whole: Array<{
    readonly path: ByteString;
    readonly size: number;
    readonly each: Planned;
    readonly isFinished: boolean;
  }> = [];
  for (const each of wanted) {
    signal.throwIfAborted();
    const place = pathBelow(received, each.path);
    const stat = await lookAt(place);
    const bytes = Number(stat?.size ?? 0);
    if (!stat?.isFile() || stat.nlink !== 1n || bytes === 0 || bytes > each.entry.size) continue;
    if (bytes === each.entry.size) {
      const { mtimeNs, mode, uid, gid } = each.entry.facts;
      const isOwned = process.geteuid?.() !== 0 || (stat.uid === BigInt(uid) && stat.gid === BigInt(gid));
      const isFinished =
        isOwned &&
        stat.mtimeNs === mtimeNs &&
        Number(stat.mode & 0o7777n) === (process.geteuid?.() === 0 ? mode : mode | 0o400);
      whole.push({ path: each.path, size: bytes, each, isFinished });
      continue;
    }
    if (bytes < MIN_PART_BYTES) continue;
    const sha256 = await hashFile(place, bytes, undefined, signal);
    if ((await sumOfHead({ host, signal }, each.path, bytes)) === sha256) {
      found.set(each, { place, bytes, sha256, isFinished: false });
    }
  }
  const check = new TargetCheck(host, '/', signal);
  for await (const batch of batchesOf(whole)) {
    const sums = await check.contents(batch);
    for (const [index, { path, size, each, isFinished }] of batch.entries()) {
      const place = pathBelow(received, path);
      const sha256 = await hashFile(place, size, undefined, signal);
      if (sums[index] === sha256) found.set(each, { place, bytes: size, sha256, isFinished });
    }
  }
  return found;
}

/** Takes a finished file over as it is. */
export function takeOver(files: string, { path }: Planned, received: Received): void {
  const parent = parentOf(path);
  if (parent !== '') mkdirSync(pathBelow(files, parent), { recursive: true, mode: PRIVATE_DIRECTORY });
  renameSync(received.place, pathBelow(files, path));
}
