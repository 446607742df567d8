import { lstat, mkdir, readdir, readFile, rename, unlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ByteString } from './byte-string.ts';
import { lookAt, pathBelow, type TreeEntry, walkTree } from './file-tree.ts';
import { runTool } from './local-program.ts';
import { isErrno, PRIVATE_DIRECTORY } from './store-directory.ts';
import { type SourcePlaces, snapshotPlaces } from './store-layout.ts';

/** How rsync calls a file while it receives it: `.name.Ab12Cd`. */
const TEMPORARY = /(?:^|\/)\.([^/]+)\.[0-9A-Za-z]{6}$/;

/**
 * Gathers what interrupted runs have received, so that the next one transfers only the rest. It is a help and nothing
 * more: rsync links what is complete and builds a half file on the half that is there, checking the whole by its sum.
 * A run never writes into it, because its files may be one with those of snapshots. Call it under the source's lock.
 */
export async function gatherReceived(
  places: SourcePlaces,
  latest: { readonly files: string } | null,
  signal: AbortSignal,
): Promise<{ readonly hasReceived: boolean }> {
  try {
    return await gather(places, latest, signal);
  } catch (error) {
    if (!isErrno(error, 'ENAMETOOLONG')) throw error;
    // rsync goes down by steps and so reaches places whose paths nobody can name; the backup that made them was refused
    for (const place of [places.partial, places.received]) await removeTree(place, signal);
    return { hasReceived: false };
  }
}

async function gather(
  places: SourcePlaces,
  latest: { readonly files: string } | null,
  signal: AbortSignal,
): Promise<{ readonly hasReceived: boolean }> {
  const left = snapshotPlaces(places.partial).files;
  const marker = join(places.directory, 'boot');
  const boot = await bootId();
  const hasLeft = await isThere(left);
  const hadReceived = await isThere(places.received);
  if ((await readFile(marker, 'utf8').catch(() => null)) !== boot) {
    // a power failure may have kept names and times and lost contents
    if (hasLeft) await distrust(left, latest, signal);
    if (hadReceived) await distrust(places.received, latest, signal);
    await writeFile(marker, boot, { mode: 0o600, flush: true });
  }
  if (hasLeft) {
    await nameHalfFiles(left, signal);
    if (hadReceived) await moveFiles(left, places.received, signal);
    else await rename(left, places.received);
  }
  await removeTree(places.partial, signal);
  return { hasReceived: hasLeft || hadReceived };
}

/** Deletes a directory and all below it, however its names look; one that is gone is no error. */
export async function removeTree(path: string, signal?: AbortSignal): Promise<void> {
  const { exitCode, stderr } = await runTool('rm', ['-rf', '--', path], signal ? { signal } : {});
  if (exitCode !== 0) throw new Error(`"${path}" cannot be removed: ${stderr}`);
}

/** Deletes what is in a directory while others may put more there; what cannot be deleted now is left for the next time. */
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

/** The kernel's name for the time since it started; where it has none, nothing is trusted. */
const bootId = (): Promise<string> =>
  readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => `unknown ${performance.timeOrigin}`);

/**
 * Makes files look changed, so that rsync compares their contents. Those that are one with files of the latest snapshot
 * are on disk for sure; others with several names may be another snapshot's and are dropped rather than touched.
 */
async function distrust(
  tree: string,
  latest: { readonly files: string } | null,
  signal: AbortSignal,
): Promise<void> {
  for await (const entry of walkTree(tree, signal)) {
    if (!entry.stat.isFile()) continue;
    const place = pathBelow(tree, entry.path);
    if (entry.stat.nlink === 1n) await touch(place);
    else if (!(await isSameFile(entry, latest))) await unlink(place);
  }
}

async function isSameFile(entry: TreeEntry, latest: { readonly files: string } | null): Promise<boolean> {
  if (!latest) return false;
  const stat = await lookAt(pathBelow(latest.files, entry.path));
  return stat?.ino === entry.stat.ino;
}

/** A run that was killed leaves half files under rsync's temporary names. With their own names they can be built on. */
async function nameHalfFiles(tree: string, signal: AbortSignal): Promise<void> {
  for await (const entry of walkTree(tree, signal)) {
    const name = TEMPORARY.exec(entry.path)?.[1];
    if (name === undefined || !entry.stat.isFile() || entry.stat.nlink !== 1n) continue;
    const own = `${entry.path.slice(0, entry.path.lastIndexOf('/') + 1)}${name}` as ByteString;
    const place = pathBelow(tree, entry.path);
    // it may be a file that is only called so: its time must not make it pass for another
    await touch(place);
    await moveLarger(place, entry, pathBelow(tree, own));
  }
}

async function moveFiles(from: string, to: string, signal: AbortSignal): Promise<void> {
  for await (const entry of walkTree(from, signal)) {
    if (!entry.stat.isFile()) continue;
    const target = pathBelow(to, entry.path);
    await makeParent(to, entry.path);
    await moveLarger(pathBelow(from, entry.path), entry, target);
  }
}

async function makeParent(root: string, path: ByteString): Promise<void> {
  const slash = path.lastIndexOf('/');
  if (slash < 0) return;
  const parent = pathBelow(root, path.slice(0, slash) as ByteString);
  await mkdir(parent, { recursive: true, mode: PRIVATE_DIRECTORY }).catch(unlessInTheWay);
}

/** What was received of a file last is not always the most. */
async function moveLarger(place: Buffer, entry: TreeEntry, target: Buffer): Promise<void> {
  const there = await lookAt(target);
  if (there?.isFile() && there.size > entry.stat.size) return;
  await rename(place, target).catch(unlessInTheWay);
}

/** A directory where a file was, or the other way round: this piece of help is given up. */
function unlessInTheWay(error: unknown): void {
  if (!isErrno(error, 'EEXIST', 'ENOTDIR', 'EISDIR', 'ENOTEMPTY', 'ENOENT')) throw error;
}

const touch = (place: Buffer): Promise<void> => utimes(place, new Date(), new Date());
