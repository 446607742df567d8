import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFile, isErrno } from './store-directory.ts';
import type { SnapshotPlaces } from './store-layout.ts';

/** Beside the manifest: how many backups have not compared all contents, since one did. Earlier versions do not know it. */
const placeOf = ({ directory }: SnapshotPlaces): string => join(directory, 'content-count');

/** `null` if the snapshot does not record it. */
export async function readContentCount(snapshot: SnapshotPlaces): Promise<number | null> {
  try {
    const text = await readFile(placeOf(snapshot), 'latin1');
    return /^\d{1,9}\n$/.test(text) ? Number(text) : null;
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return null;
    throw error;
  }
}

export async function writeContentCount(snapshot: SnapshotPlaces, count: number): Promise<void> {
  const file = await createFile(placeOf(snapshot));
  try {
    await file.writeFile(`${count}\n`);
  } finally {
    await file.close();
  }
}
