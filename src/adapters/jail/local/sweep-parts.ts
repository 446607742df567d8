import { lstatSync, unlinkSync } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { ABANDONED_MS, writerOf } from '../part-name.ts';
import type { Descriptor } from './descriptor.ts';

/** Of a larger directory a part is looked through. */
const MOST_NAMES = 20_000;

export interface PartSweeper {
  /** As `ProcessList.isDead`. */
  readonly isDead: (writer: string) => boolean;
  readonly now: () => number;
}

/** Removes what writes that were cut off left in a directory: only files of our own, whose writer is gone. */
export async function sweepParts(place: Descriptor, sweeper: PartSweeper): Promise<void> {
  let looked = 0;
  for await (const { name } of await opendir(place.at(), { bufferSize: 512 })) {
    const writer = writerOf(name);
    if (writer !== null) removeAbandoned(place, name, writer, sweeper);
    looked += 1;
    if (looked === MOST_NAMES) break;
  }
}

function removeAbandoned(place: Descriptor, name: string, writer: string, sweeper: PartSweeper): void {
  try {
    const stats = lstatSync(place.at(name));
    if (!stats.isFile() || stats.uid !== process.getuid?.()) return;
    if (!sweeper.isDead(writer) && sweeper.now() - stats.mtimeMs < ABANDONED_MS) return;
    unlinkSync(place.at(name));
  } catch {
    // it went meanwhile, or it is not ours to remove
  }
}
