import { chmodSync, lstatSync, readlinkSync, rmdirSync, type Stats, unlinkSync } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { DEEPEST_TREE, type Tree, type TreeEntry } from '../../../../../application/ports/files/jail-fs.ts';
import type { JailPath } from '../../../../../domain/files/jail-path.ts';
import {
  anotherFileSystem,
  linkOnTheWay,
  notADirectory,
  notAFile,
  specialMode,
  tooDeep,
} from '../refusals.ts';
import type { Descriptor } from './descriptor.ts';
import { factsOf } from './entries.ts';
import { assertMayGo, isKeptOut, type KeptOut } from './kept-out.ts';
import { assertPlainFile } from './open-file.ts';
import { codeOf } from './system-errors.ts';

/** Only a part of a larger directory is read. */
const MAX_NAMES = 20_000;

interface TreeLimits {
  readonly kept: KeptOut;
  readonly most: number;
  readonly signal: AbortSignal | undefined;
}

/** Everything below an open directory. Each directory is opened relative to its parent, which stays open. */
export async function treeBelow(directory: Descriptor, looking: TreeLimits): Promise<Tree> {
  const entries: TreeEntry[] = [];
  const whole = await gather(directory, [], { ...looking, entries, device: directory.stat().dev });
  return { entries, partial: !whole };
}

interface TreeCollection extends TreeLimits {
  readonly entries: TreeEntry[];
  readonly device: number;
}

/** Whether that was all of it. */
async function gather(
  directory: Descriptor,
  above: readonly Uint8Array[],
  gathering: TreeCollection,
): Promise<boolean> {
  const { entries, most, device, kept, signal } = gathering;
  const names = await namesIn(directory);
  let whole = names.length < MAX_NAMES;
  for (const name of names) {
    signal?.throwIfAborted();
    if (entries.length === most) return false;
    const stats = statsOf(directory, name);
    if (stats === null) continue;
    entries.push(entryOf(directory, name, stats, above));
    if (!stats.isDirectory()) continue;
    const inner = stats.dev === device && above.length < DEEPEST_TREE ? openIn(directory, name) : null;
    try {
      if (inner === null || inner.stat().dev !== device || isKeptOut(kept, inner)) whole = false;
      else if (!(await gather(inner, [...above, name], gathering))) whole = false;
    } catch (error) {
      if (codeOf(error) !== 'EACCES') throw error;
      whole = false;
    } finally {
      inner?.close();
    }
  }
  return whole;
}

function entryOf(directory: Descriptor, name: Buffer, stats: Stats, above: readonly Uint8Array[]): TreeEntry {
  const target = stats.isSymbolicLink() ? targetOf(directory, name) : null;
  return { names: [...above, name], ...factsOf(stats), mode: stats.mode & 0o7777, target };
}

interface TreeRemoval {
  readonly kept: KeptOut;
  readonly path: JailPath;
  readonly signal: AbortSignal | undefined;
}

/** Removes a directory with all contents; no name reaches anything outside of what was opened. */
export async function removeWithAll(place: Descriptor, name: string, removing: TreeRemoval): Promise<void> {
  const stats = lstatSync(place.at(name));
  if (stats.isSymbolicLink()) throw linkOnTheWay(removing.path);
  if (!stats.isDirectory()) throw notADirectory(removing.path);
  await removeDirectory(place, Buffer.from(name), place.stat().dev, 0, removing);
}

async function removeDirectory(
  place: Descriptor,
  name: Buffer,
  device: number,
  depth: number,
  removing: TreeRemoval,
): Promise<void> {
  const { kept, path, signal } = removing;
  if (depth > DEEPEST_TREE) throw tooDeep(path);
  const directory = place.directory(name);
  try {
    const stats = directory.stat();
    if (stats.dev !== device) throw anotherFileSystem(path);
    assertMayGo(kept, stats, path);
    for (const each of await namesIn(directory)) {
      signal?.throwIfAborted();
      const found = statsOf(directory, each);
      if (found?.isDirectory()) await removeDirectory(directory, each, device, depth + 1, removing);
      else if (found) {
        assertMayGo(kept, found, path);
        unlinkSync(directory.at(each));
      }
    }
  } finally {
    directory.close();
  }
  rmdirSync(place.at(name));
}

/** Through the open directory, whatever has its name by then. */
export function changeMode(place: Descriptor, name: string, mode: number, path: JailPath): number {
  const entry = place.entry(name);
  try {
    const stats = entry.stat();
    const former = stats.mode & 0o7777;
    if (!stats.isDirectory()) {
      if (!stats.isFile() && !stats.isSymbolicLink()) throw notAFile(path, 'a FIFO, a socket or a device');
      assertPlainFile(stats, path);
      if ((former & 0o7000) !== 0) throw specialMode(path);
    }
    chmodSync(entry.at(), (former & 0o7000) | mode);
    return former;
  } finally {
    entry.close();
  }
}

async function namesIn(directory: Descriptor): Promise<readonly Buffer[]> {
  const names: Buffer[] = [];
  // Latin-1 keeps every byte as a character
  for await (const { name } of await opendir(directory.at(), { encoding: 'latin1', bufferSize: 512 })) {
    names.push(Buffer.from(name, 'latin1'));
    if (names.length === MAX_NAMES) break;
  }
  return names.sort((one, other) => one.compare(other));
}

/** `null` if it vanished in the meantime. */
function statsOf(directory: Descriptor, name: Buffer): Stats | null {
  try {
    return lstatSync(directory.at(name));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** `null` if it is no longer a directory, or may not be entered. */
function openIn(directory: Descriptor, name: Buffer): Descriptor | null {
  try {
    return directory.directory(name);
  } catch {
    return null;
  }
}

function targetOf(directory: Descriptor, name: Buffer): Buffer | null {
  try {
    return readlinkSync(directory.at(name), 'buffer');
  } catch {
    return null;
  }
}
