import { lstatSync, type Stats } from 'node:fs';
import { opendir } from 'node:fs/promises';
import {
  type BrowseRequest,
  MAX_BROWSED,
  type SnapshotBrowser,
  type SnapshotListing,
} from '../../../application/ports/backups/snapshot-browser.ts';
import type { JailEntry } from '../../../application/ports/files/jail-fs.ts';
import { DomainError, isDomainError } from '../../../domain/base/errors.ts';
import type { PageRequest } from '../../../domain/base/page.ts';
import type { JailPath } from '../../../domain/files/jail-path.ts';
import { assertProc, Descriptor } from '../hosts/jail/local/descriptor.ts';
import { factsOf } from '../hosts/jail/local/entries.ts';
import { contentOf, hashFile } from '../hosts/jail/local/open-file.ts';
import { linkInSnapshot, noDirectory, noFile, notInSnapshot } from './browse-refusals.ts';
import { isErrno } from './store-directory.ts';
import type { SnapshotPlaces } from './store-layout.ts';

/** Up to here a file is hashed before it is given out: some tenths of a second. */
const CHEAP_BYTES = 64 * 1024 * 1024;

type BrowseQuery = Pick<BrowseRequest, 'path' | 'signal'>;

/** A window of a directory of a plain tree, walked by descriptors: files from the hosts cannot lead anywhere else. */
export async function listTree(
  places: SnapshotPlaces,
  { path, signal }: BrowseQuery,
  { offset, limit }: PageRequest,
): Promise<SnapshotListing> {
  const directory = goTo(places, path.names, path);
  try {
    const names: Buffer[] = [];
    // Latin-1 keeps every byte as a character
    for await (const { name } of await opendir(directory.at(), { encoding: 'latin1', bufferSize: 512 })) {
      signal.throwIfAborted();
      names.push(Buffer.from(name, 'latin1'));
      if (names.length === MAX_BROWSED) break;
    }
    const window = names.sort((one, other) => one.compare(other)).slice(offset, offset + limit);
    const entries = window.map((name): JailEntry => ({ name, ...factsOf(lstatSync(directory.at(name))) }));
    return { entries, total: names.length };
  } catch (error) {
    throw refusalOf(error, path);
  } finally {
    directory.close();
  }
}

/** A file of a plain tree. Unlike in a file root it may have several names: snapshots share unchanged files. */
export async function readFromTree(
  places: SnapshotPlaces,
  { path, signal }: BrowseQuery,
): ReturnType<SnapshotBrowser['read']> {
  const file = openIn(places, path);
  try {
    const { size } = file.stat();
    const sha256 = size <= CHEAP_BYTES ? await hashFile(file, size, signal) : null;
    return { size, sha256, content: contentOf(file, size) };
  } catch (error) {
    file.close();
    throw refusalOf(error, path);
  }
}

function openIn(places: SnapshotPlaces, path: JailPath): Descriptor {
  if (path.isRoot) throw noFile(path);
  const { directory, name } = path.entry;
  const place = goTo(places, directory.names, path);
  let entry: Descriptor | undefined;
  try {
    entry = place.entry(name);
    assertFile(entry.stat(), path);
    return entry.readable();
  } catch (error) {
    throw refusalOf(error, path);
  } finally {
    entry?.close();
    place.close();
  }
}

function assertFile(stats: Stats, path: JailPath): void {
  if (stats.isSymbolicLink()) throw linkInSnapshot(path);
  if (!stats.isFile()) throw noFile(path);
}

/** Opens each path segment relative to the directory opened before it. The caller closes the result. */
function goTo(places: SnapshotPlaces, names: readonly string[], path: JailPath): Descriptor {
  assertProc();
  let place = openTree(places);
  for (const name of names) {
    const from = place;
    try {
      place = from.directory(name);
    } catch (error) {
      throw isLink(from, name) ? linkInSnapshot(path) : refusalOf(error, path);
    } finally {
      from.close();
    }
  }
  return place;
}

function openTree({ files, directory }: SnapshotPlaces): Descriptor {
  try {
    return Descriptor.of(files);
  } catch (error) {
    if (!isErrno(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) throw error;
    throw new DomainError('snapshot_damaged', `There are no files in ${directory}.`, { cause: error });
  }
}

/** For the words of a refusal alone. */
function isLink(place: Descriptor, name: string): boolean {
  try {
    return lstatSync(place.at(name)).isSymbolicLink();
  } catch {
    return false;
  }
}

function refusalOf(error: unknown, path: JailPath): unknown {
  if (isDomainError(error)) return error;
  if (isErrno(error, 'ENOENT', 'ENAMETOOLONG')) return notInSnapshot(path);
  if (isErrno(error, 'ENOTDIR', 'ELOOP')) return noDirectory(path);
  if (isErrno(error, 'EACCES', 'EPERM')) {
    return new DomainError(
      'host_permission_denied',
      `Drover's account cannot read "/${String(path)}" in its store.`,
    );
  }
  return error;
}
