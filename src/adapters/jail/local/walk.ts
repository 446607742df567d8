import type { Stats } from 'node:fs';
import { DomainError } from '../../../domain/errors.ts';
import type { JailPath } from '../../../domain/jail-path.ts';
import {
  denied,
  holdsData,
  jailElsewhere,
  jailMissing,
  keptOut,
  linkOnTheWay,
  notADirectory,
  notFound,
} from '../refusals.ts';
import { Descriptor } from './descriptor.ts';
import { codeOf } from './system-errors.ts';

/** A jail of this machine, and directories in it that are not for file tools. */
export interface LocalJail {
  readonly directory: string;
  /** Such as the service's own data directory. */
  readonly keepOut: readonly Stats[];
  /** The directories above those: what is in them may be worked with, they themselves stay where they are. */
  readonly holders: readonly Stats[];
}

/**
 * Goes to a directory of a jail, one name after the other, each looked up in the directory that was opened before it: no
 * change of any path meanwhile can lead elsewhere. The caller closes what it gets.
 */
export function walk(jail: LocalJail, path: JailPath): Descriptor {
  let place = openJail(jail);
  for (const name of path.names) {
    place = step(place, name, (error) => wordFor(error, place, name, path));
    if (isKeptOut(jail, place)) {
      place.close();
      throw keptOut(path);
    }
  }
  return place;
}

/** A link on the way is refused: whoever could change it would move the jail. */
function openJail(jail: LocalJail): Descriptor {
  let place = Descriptor.root();
  for (const name of jail.directory.split('/').filter(Boolean)) {
    place = step(place, name, (_error) =>
      isLink(place, name) ? jailElsewhere(jail.directory) : jailMissing(jail.directory),
    );
    if (!isKeptOut(jail, place)) continue;
    place.close();
    throw new DomainError(
      'jail_unusable',
      `The jail ${jail.directory} is in the service's own data directory; set another with \`drover server edit\`.`,
    );
  }
  return place;
}

function step(from: Descriptor, name: string, refusal: (error: unknown) => Error): Descriptor {
  try {
    return from.directory(name);
  } catch (error) {
    throw refusal(error);
  } finally {
    from.close();
  }
}

export function isKeptOut({ keepOut }: LocalJail, place: Descriptor): boolean {
  return keepOut.length > 0 && isAmong(keepOut, place.stat());
}

/** Throws where an entry is a directory that has to stay where it is. */
export function assertMayGo({ keepOut, holders }: LocalJail, stats: Stats, path: JailPath): void {
  if (isAmong(keepOut, stats)) throw keptOut(path);
  if (isAmong(holders, stats)) throw holdsData(path);
}

const isAmong = (directories: readonly Stats[], { dev, ino }: Stats): boolean =>
  directories.some((each) => each.dev === dev && each.ino === ino);

function wordFor(error: unknown, place: Descriptor, name: string, path: JailPath): Error {
  switch (codeOf(error)) {
    case 'ENOENT':
      return notFound(path);
    case 'EACCES':
      return denied(path);
    case 'ENOTDIR':
    case 'ELOOP':
      return isLink(place, name) ? linkOnTheWay(path) : notADirectory(path);
    default:
      return error instanceof Error ? error : new Error(String(error));
  }
}

/** For the words of a refusal alone: by now it may be something else. */
function isLink(place: Descriptor, name: string): boolean {
  try {
    const entry = place.entry(name);
    try {
      return entry.stat().isSymbolicLink();
    } finally {
      entry.close();
    }
  } catch {
    return false;
  }
}
