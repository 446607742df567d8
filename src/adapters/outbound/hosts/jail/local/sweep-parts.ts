import { lstatSync, unlinkSync } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { ABANDONED_MS, writerOf } from '../part-name.ts';
import type { Descriptor } from './descriptor.ts';

/** Only a part of a larger directory is searched. */
const MAX_NAMES = 20_000;

export interface PartSweeper {
  /** As `ProcessList.isDead`. */
  readonly isDead: (writer: string) => boolean;
  readonly now: () => number;
}

/**
 * Removes leftovers of interrupted writes from a directory: only Drover's own files whose writer is dead. Returns how
 * many stay.
 */
export async function sweepParts(place: Descriptor, sweeper: PartSweeper): Promise<number> {
  let looked = 0;
  let staying = 0;
  for await (const { name } of await opendir(place.at(), { bufferSize: 512 })) {
    const writer = writerOf(name);
    if (writer !== null && isLeftAlone(place, name, writer, sweeper)) staying += 1;
    looked += 1;
    if (looked === MAX_NAMES) break;
  }
  return staying;
}

function isLeftAlone(place: Descriptor, name: string, writer: string, sweeper: PartSweeper): boolean {
  try {
    const stats = lstatSync(place.at(name));
    if (!stats.isFile() || stats.uid !== process.getuid?.()) return false;
    if (!sweeper.isDead(writer) && sweeper.now() - stats.mtimeMs < ABANDONED_MS) return true;
    unlinkSync(place.at(name));
  } catch {
    // it went meanwhile, or it is not ours to remove
  }
  return false;
}
