import { readFileSync, type Stats } from 'node:fs';
import type { JailPath } from '../../../../../domain/files/jail-path.ts';
import { holdsData, keptOut } from '../refusals.ts';
import type { Descriptor } from './descriptor.ts';

/** Files and directories of the machine that file tools must not touch, by identity and not by name. */
export interface KeptOut {
  readonly inodes: readonly Stats[];
  /** Parents of those: their other contents are accessible, but they themselves must stay where they are. */
  readonly holders: readonly Stats[];
  /** Names that may not be made in a directory. */
  readonly absent: readonly { readonly parent: Stats; readonly name: string }[];
  /** Mounts all of whose files are such. */
  readonly mountIds: ReadonlySet<number>;
}

export function isKeptOut({ inodes, mountIds }: KeptOut, place: Descriptor): boolean {
  return isAmong(inodes, place.stat()) || (mountIds.size > 0 && mountIds.has(mountOf(place)));
}

/** Throws `path_refused` for an open file or directory that is not for file tools. */
export function assertNotKeptOut(kept: KeptOut, place: Descriptor, path: JailPath): void {
  if (isKeptOut(kept, place)) throw keptOut(path);
}

/** Throws if an entry has to stay where and as it is. */
export function assertMayGo({ inodes, holders }: KeptOut, stats: Stats, path: JailPath): void {
  if (isAmong(inodes, stats)) throw keptOut(path);
  if (isAmong(holders, stats)) throw holdsData(path);
}

/** Throws if a directory must not get an entry of that name. */
export function assertMayCome({ absent }: KeptOut, place: Descriptor, name: string, path: JailPath): void {
  const names = absent.filter((each) => each.name === name);
  if (
    names.length > 0 &&
    isAmong(
      names.map(({ parent }) => parent),
      place.stat(),
    )
  )
    throw keptOut(path);
}

const isAmong = (all: readonly Stats[], { dev, ino }: Stats): boolean =>
  all.some((each) => each.dev === dev && each.ino === ino);

/** See proc(5), /proc/PID/fdinfo. */
function mountOf({ fd }: Descriptor): number {
  const said = readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1');
  return Number(/^mnt_id:\s*(\d+)$/m.exec(said)?.[1]);
}
