import { linkSync, lstatSync, renameSync, rmdirSync, type Stats, unlinkSync } from 'node:fs';
import type { EntryFacts, EntryKind } from '../../../../../domain/files/directory-entry.ts';
import type { JailPath } from '../../../../../domain/files/jail-path.ts';
import { exists, notAFile } from '../refusals.ts';
import type { Descriptor } from './descriptor.ts';
import { codeOf } from './system-errors.ts';

/** Link and remove are one step each and never replace; a rename would. Directories have no second name. */
export function giveName(place: Descriptor, from: string, to: string, target: JailPath): void {
  if (isThere(place, to)) throw exists(target);
  if (lstatSync(place.at(from)).isDirectory()) {
    // replaces only an empty directory that appeared in the meantime
    renameSync(place.at(from), place.at(to));
    return;
  }
  if (addName(place, from, to, target)) unlinkSync(place.at(from));
  else renameSync(place.at(from), place.at(to));
}

/** Gives a file a second name; `false` if its file system or the kernel's rules do not allow it. */
export function addName(place: Descriptor, from: string, to: string, target: JailPath): boolean {
  try {
    linkSync(place.at(from), place.at(to));
    return true;
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EEXIST') throw exists(target);
    if (['EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(code ?? '')) return false;
    throw error;
  }
}

export function removeEntry(place: Descriptor, name: string, stats: Stats, path: JailPath): void {
  if (stats.isDirectory()) rmdirSync(place.at(name));
  else if (stats.isFile() || stats.isSymbolicLink()) unlinkSync(place.at(name));
  else throw notAFile(path, 'a FIFO, a socket or a device');
}

export function isThere(place: Descriptor, name: string): boolean {
  try {
    lstatSync(place.at(name));
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

export const factsOf = (stats: Stats): EntryFacts => ({
  kind: kindOf(stats),
  size: stats.size,
  modifiedAt: Math.trunc(stats.mtimeMs),
});

function kindOf(stats: Stats): EntryKind {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'dir';
  return stats.isSymbolicLink() ? 'link' : 'other';
}
