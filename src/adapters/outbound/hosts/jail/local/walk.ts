import { DomainError } from '../../../../../domain/base/errors.ts';
import type { JailPath } from '../../../../../domain/files/jail-path.ts';
import {
  denied,
  jailElsewhere,
  jailMissing,
  keptOut,
  linkOnTheWay,
  notADirectory,
  notFound,
} from '../refusals.ts';
import { Descriptor } from './descriptor.ts';
import { isKeptOut, type KeptOut } from './kept-out.ts';
import { codeOf } from './system-errors.ts';

/** A file root of this machine, with its protected contents. */
export interface LocalJail {
  readonly directory: string;
  readonly keptOut: KeptOut;
}

/**
 * Enters a directory of a file root, segment by segment, each looked up in the directory that was opened before: a
 * concurrent change of a path cannot lead elsewhere. The caller closes the result.
 */
export function walk(jail: LocalJail, path: JailPath): Descriptor {
  let place = openJail(jail);
  for (const name of path.names) {
    place = step(place, name, (error) => wordFor(error, place, name, path));
    if (isKeptOut(jail.keptOut, place)) {
      place.close();
      throw keptOut(path);
    }
  }
  return place;
}

/** A link in the path is refused: anyone who can change it could move the file root. */
function openJail(jail: LocalJail): Descriptor {
  let place = Descriptor.root();
  for (const name of jail.directory.split('/').filter(Boolean)) {
    place = step(place, name, (_error) =>
      isLink(place, name) ? jailElsewhere(jail.directory) : jailMissing(jail.directory),
    );
    if (!isKeptOut(jail.keptOut, place)) continue;
    place.close();
    throw new DomainError(
      'jail_unusable',
      `The file root ${jail.directory} is in Drover's own data or program directory; set a different one with \`drover server edit\`.`,
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
