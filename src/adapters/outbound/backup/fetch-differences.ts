import { realpathSync, renameSync } from 'node:fs';
import type { ByteString } from './byte-string.ts';
import type { Planned } from './comparison.ts';
import { hashFile } from './file-hash.ts';
import { lookAt, pathBelow } from './file-tree.ts';
import type { FormerSnapshot } from './former-snapshot.ts';
import { pull } from './pull.ts';
import type { SourceOrder } from './pull-order.ts';
import { differencesBeside, removeTree } from './received-files.ts';
import { carrierTo } from './send-files.ts';
import { makeDirectory } from './store-directory.ts';
import { storeIsFull } from './store-space.ts';
import { parentOf } from './tree-clone.ts';

/** From this size on it pays to compare both sides block by block. */
const MIN_DELTA_BYTES = 64 * 1024 * 1024;

interface DifferencesOrder {
  readonly order: SourceOrder;
  readonly former: FormerSnapshot | null;
  /** The target for the snapshot's files. */
  readonly files: string;
  readonly lockFd: number;
  readonly signal: AbortSignal;
}

interface Differences {
  readonly files: number;
  readonly literalBytes: number;
}

const NONE: Differences = { files: 0, literalBytes: 0 };

/** Fetches large files that are on both sides as differences, if both have rsync. */
export async function fetchDifferences(
  { former, order, files, lockFd, signal }: DifferencesOrder,
  wanted: readonly Planned[],
  onBytes: (bytes: number) => void,
): Promise<Differences> {
  const large = wanted.filter(
    ({ entry, wasBytes }) =>
      wasBytes >= MIN_DELTA_BYTES && entry.size >= MIN_DELTA_BYTES && !entry.hasOtherNames,
  );
  if (!former || large.length === 0) return NONE;
  const carrier = await carrierTo(order.host, signal);
  if (carrier.name !== 'rsync' || carrier.attributes !== order.attributes) return NONE;
  // separate: the host decides what rsync writes there
  const destination = differencesBeside(files);
  await makeDirectory(destination);
  const { stats, outcome } = await pull(
    {
      host: order.host,
      roots: large.map(({ path }) => `/${path}` as ByteString),
      attributes: order.attributes,
      linkDests: [former.places.files],
      destination,
      lockFd,
    },
    signal,
    onBytes,
  );
  if (outcome === 'full') throw storeIsFull();
  let count = 0;
  for (const each of large) {
    const place = pathBelow(destination, each.path);
    const stat = await lookAt(place);
    // rsync's unreadable files are left to tar, which reports the reason
    if (!stat?.isFile() || !isWithoutLinks(destination, each.path)) continue;
    each.sha256 = await hashFile(place, Number(stat.size), undefined, signal);
    renameSync(place, pathBelow(files, each.path));
    count += 1;
  }
  await removeTree(destination, signal);
  return { files: count, literalBytes: stats.literalBytes };
}

/** Whether a path contains no links. */
function isWithoutLinks(root: string, path: ByteString): boolean {
  const above = pathBelow(realpathSync(root), parentOf(path));
  return realpathSync(above, { encoding: 'buffer' }).equals(above);
}
