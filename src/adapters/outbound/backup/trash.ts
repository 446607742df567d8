import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { SnapshotPlace } from '../../../application/ports/backups/backup-engine.ts';
import { isThere } from './received-files.ts';
import { isErrno, makeDirectory, renameDurably } from './store-directory.ts';
import { placesOf, publishedPlaces } from './store-layout.ts';

/** Unpublishes a snapshot, in one step; returns its new place, `null` if it was missing already. */
export async function moveToTrash(root: string, snapshot: SnapshotPlace): Promise<string | null> {
  const { directory } = publishedPlaces(root, snapshot);
  const { trash, snapshots } = placesOf(root, snapshot);
  const doomed = join(trash, `${snapshot.name}.${randomUUID()}`);
  try {
    if (!(await isThere(directory))) return null;
    await makeDirectory(trash);
    await renameDurably(directory, doomed, snapshots);
    return doomed;
  } catch (error) {
    // another was faster, or a backup has just emptied the trash
    if (!isErrno(error, 'ENOENT')) throw error;
    return (await isThere(directory)) ? moveToTrash(root, snapshot) : null;
  }
}
