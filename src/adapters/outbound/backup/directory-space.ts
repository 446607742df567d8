import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { StoreSpace } from '../../../application/ports/backups/store-space.ts';
import type { Space } from '../../../domain/backups/backup-totals.ts';
import { isErrno } from './store-directory.ts';

/** Asks the kernel; before the first backup, for the directory above. */
export class DirectorySpace implements StoreSpace {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  async now(): Promise<Space | null> {
    return (await spaceIn(this.#directory)) ?? (await spaceIn(dirname(this.#directory)));
  }
}

async function spaceIn(directory: string): Promise<Space | null> {
  try {
    const { bsize, blocks, bavail } = await statfs(directory);
    return { total: bsize * blocks, free: bsize * bavail };
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'EACCES')) return null;
    throw error;
  }
}
