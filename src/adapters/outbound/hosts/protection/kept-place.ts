import { readFileSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { type Location, locate, type Mount, parseMounts } from './mount-table.ts';

/** A file or directory of this machine that engines keep out of. */
export interface KeptPlace {
  readonly path: string;
  /** For people: its contents. */
  readonly what: string;
  /** Files that decrypt the service's own data: not even the source of these includes them. */
  readonly isKey?: boolean;
  /** Code that the service would run: reading it does no harm. */
  readonly isOnlyLoaded?: boolean;
}

/** The same as it is now. */
export interface FoundPlace extends KeptPlace {
  /** For existing files; `null` for missing ones. */
  readonly stats: Stats | null;
  /** The directory that has it, by its path without links. */
  readonly parent: { readonly path: string; readonly stats: Stats } | null;
  readonly name: string;
  readonly location: Location | null;
}

export function mountsHere(): readonly Mount[] {
  try {
    return parseMounts(readFileSync('/proc/self/mountinfo', 'latin1'));
  } catch {
    // without /proc no engine works on the machine itself
    return [];
  }
}

/** A place both under its name and its target: either could be replaced. */
export function findPlace(place: KeptPlace, mounts: readonly Mount[]): readonly FoundPlace[] {
  const named = resolve(place.path);
  const found = [foundAt(place, named, mounts)];
  const end = realPath(named);
  const direct = found[0]?.parent && `${found[0].parent.path.replace(/\/$/, '')}/${found[0].name}`;
  return end === null || end === direct ? found : [...found, foundAt(place, end, mounts)];
}

function foundAt(place: KeptPlace, path: string, mounts: readonly Mount[]): FoundPlace {
  const { there, rest } = deepest(dirname(path));
  const real = Buffer.from(`${there.replace(/\/$/, '')}${rest}/${basename(path)}`).toString('latin1');
  const parentStats = rest === '' ? statsOf(there) : null;
  return {
    ...place,
    stats: statsOf(path),
    parent: parentStats && { path: there, stats: parentStats },
    name: basename(path),
    location: locate(mounts, real),
  };
}

/** The part of a path that is there, without links, and the rest. */
function deepest(path: string): { readonly there: string; readonly rest: string } {
  let rest = '';
  for (let at = path; ; at = dirname(at)) {
    const there = realPath(at);
    if (there !== null || at === '/') return { there: there ?? '/', rest };
    rest = `/${basename(at)}${rest}`;
  }
}

function realPath(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch {
    return null;
  }
}

export function statsOf(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}
