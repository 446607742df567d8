import { lstat, mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { ByteString } from './byte-string.ts';
import { lookAt, pathBelow, type TreeEntry, walkTree } from './file-tree.ts';
import { runTool } from './local-program.ts';
import { isErrno, PRIVATE_DIRECTORY } from './store-directory.ts';
import { type SourcePlaces, snapshotPlaces } from './store-layout.ts';

/**
 * Collects what interrupted runs have received, so that the next one fetches only the rest. It is only a help: reused
 * data is compared by its checksum with the host's. Call it under the source's lock.
 */
export async function gatherReceived(
  places: SourcePlaces,
  signal: AbortSignal,
): Promise<{ readonly hasReceived: boolean }> {
  try {
    const { files } = snapshotPlaces(places.partial);
    for (const left of [files, differencesBeside(files)]) {
      if (await isThere(left)) await moveFiles(left, places.received, signal);
    }
    if (await isThere(places.partial)) await removeTree(places.partial, signal);
    return { hasReceived: await isThere(places.received) };
  } catch (error) {
    if (!isErrno(error, 'ENAMETOOLONG')) throw error;
    // an earlier version could reach places with inexpressible paths; the backup that created them was refused
    for (const place of [places.partial, places.received]) await removeTree(place, signal);
    return { hasReceived: false };
  }
}

/** rsync's target, beside the files of the snapshot in progress. */
export const differencesBeside = (files: string): string => `${files}.rsync`;

/** Deletes a directory and its contents, whatever their names; a missing one is no error. */
export async function removeTree(path: string, signal?: AbortSignal): Promise<void> {
  const { exitCode, stderr } = await runTool('rm', ['-rf', '--', path], signal ? { signal } : {});
  if (exitCode !== 0) throw new Error(`"${path}" cannot be removed: ${stderr}`);
}

/**
 * Deletes the contents of a directory while others may add more; what cannot be deleted now is left for the next
 * time.
 */
export async function emptyDirectory(path: string, signal?: AbortSignal): Promise<void> {
  for (const name of await readdir(path).catch(() => [])) {
    await removeTree(join(path, name), signal).catch(() => signal?.throwIfAborted());
  }
}

export const isThere = async (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    (error: unknown) => {
      if (isErrno(error, 'ENOENT')) return false;
      throw error;
    },
  );

/** Files with several names are another snapshot's. */
async function moveFiles(from: string, to: string, signal: AbortSignal): Promise<void> {
  for await (const entry of walkTree(from, signal)) {
    if (!entry.stat.isFile() || entry.stat.nlink !== 1n || entry.stat.size === 0n) continue;
    await makeParent(to, entry.path);
    await moveLarger(pathBelow(from, entry.path), entry, pathBelow(to, entry.path));
  }
}

async function makeParent(root: string, path: ByteString): Promise<void> {
  const slash = path.lastIndexOf('/');
  const parent = slash < 0 ? root : pathBelow(root, path.slice(0, slash) as ByteString);
  await mkdir(parent, { recursive: true, mode: PRIVATE_DIRECTORY }).catch(unlessInTheWay);
}

/** The latest partial file is not always the largest. */
async function moveLarger(place: Buffer, entry: TreeEntry, target: Buffer): Promise<void> {
  const there = await lookAt(target);
  if (there?.isFile() && there.size > entry.stat.size) return;
  await rename(place, target).catch(unlessInTheWay);
}

/** A directory replaced a file, or the other way round: discard this entry. */
function unlessInTheWay(error: unknown): void {
  if (!isErrno(error, 'EEXIST', 'ENOTDIR', 'EISDIR', 'ENOTEMPTY', 'ENOENT')) throw error;
}
