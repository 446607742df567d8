import { linkSync, lstatSync, rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { type ByteString, display } from './byte-string.ts';
import type { Comparison, Planned } from './comparison.ts';
import { pathBelow } from './file-tree.ts';
import { runTool } from './local-program.ts';
import { Pace } from './pace.ts';
import { isErrno, PRIVATE_DIRECTORY } from './store-directory.ts';
import { storeIsFull } from './store-space.ts';

/**
 * Starts a snapshot's files as hard links to the previous one's, with the system's cp, while the host is still being
 * asked: changed files, usually few, are removed afterwards. Returns whether all of them exist.
 */
export async function cloneTree(from: string, to: string, signal: AbortSignal): Promise<boolean> {
  const { exitCode, stderr } = await runTool('cp', ['-al', '--', from, to], { signal });
  if (/No space left on device|Disk quota exceeded/.test(stderr)) throw storeIsFull();
  // a file can have too many names, and the previous snapshot may be removed in the meantime
  return exitCode === 0;
}

/** Removes what differs from the previous snapshot. */
export async function pruneClone(
  files: string,
  { planned, stale }: Comparison,
  signal: AbortSignal,
): Promise<void> {
  const pace = new Pace(signal);
  for (const path of stale) {
    if (pace.isLong()) await pace.rest();
    rmSync(pathBelow(files, path), { recursive: true, force: true });
  }
  for (const { action, entry, path } of planned) {
    if (pace.isLong()) await pace.rest();
    // whatever the store holds: nothing is reached through a link
    if (entry.type === 'directory') {
      const place = pathBelow(files, path);
      if (lstatSync(place, { throwIfNoEntry: false })?.isDirectory() === false) rmSync(place);
    }
    const isNew =
      action === 'fetch' ||
      action === 'copy' ||
      (action === 'given' && entry.type !== 'directory') ||
      (action === 'make' && entry.type !== 'directory');
    if (isNew) rmSync(pathBelow(files, path), { force: true });
  }
}

/** If a link could not be created, the file is fetched. */
export async function fetchWhatIsMissing(
  files: string,
  { planned }: Comparison,
  signal: AbortSignal,
): Promise<void> {
  const pace = new Pace(signal);
  for (const each of planned) {
    if (pace.isLong()) await pace.rest();
    if (each.action !== 'keep' && !each.wasKept) continue;
    if (isThere(pathBelow(files, each.path))) continue;
    if (each.wasKept) each.wasKept = false;
    else each.action = each.entry.type === 'file' ? 'fetch' : 'make';
  }
}

/** Directories are created with temporary permissions; their real ones come last. */
export async function makeDirectories(
  files: string,
  planned: readonly Planned[],
  signal: AbortSignal,
): Promise<void> {
  const pace = new Pace(signal);
  for (const { action, entry, path } of planned) {
    if (pace.isLong()) await pace.rest();
    if (entry.type !== 'directory') continue;
    // a thrown EEXIST takes ten times as long
    if (action === 'keep' && isThere(pathBelow(files, path))) continue;
    // it waits where the disk is busy
    await mkdir(pathBelow(files, path), { mode: PRIVATE_DIRECTORY }).catch((error: unknown) => {
      if (!isErrno(error, 'EEXIST')) throw error;
    });
  }
}

/** Creates a file's other names. Returns whether something changed; `null` if the file itself is missing. */
export function joinName(files: string, { path, leader }: Planned): boolean | null {
  const place = pathBelow(files, path);
  const target = leader ? lstatSync(pathBelow(files, leader.path), { throwIfNoEntry: false }) : undefined;
  if (!leader || !target) return null;
  if (lstatSync(place, { throwIfNoEntry: false })?.ino === target.ino) return false;
  rmSync(place, { force: true });
  linkSync(pathBelow(files, leader.path), place);
  return true;
}

/** Directories in which something is created or removed. */
export async function touchedBy(
  planned: readonly Planned[],
  stale: readonly ByteString[],
  signal: AbortSignal,
): Promise<ReadonlySet<ByteString>> {
  const pace = new Pace(signal);
  const touched = new Set(stale.map(parentOf));
  for (const { action, wasKept, path } of planned) {
    if (pace.isLong()) await pace.rest();
    if (action !== 'keep' && !(action === 'join' && wasKept)) touched.add(parentOf(path));
  }
  return touched;
}

const isThere = (place: Buffer): boolean => lstatSync(place, { throwIfNoEntry: false }) !== undefined;

export const parentOf = (path: ByteString): ByteString =>
  path.slice(0, Math.max(0, path.lastIndexOf('/'))) as ByteString;

export const shownPath = (path: ByteString): string => `"/${display(path).slice(0, 300)}"`;
