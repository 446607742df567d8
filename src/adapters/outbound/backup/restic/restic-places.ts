import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { DomainError } from '../../../../domain/base/errors.ts';
import { readRecord } from '../snapshot-facts.ts';
import { createFile, isErrno, makeDirectory } from '../store-directory.ts';
import type { SourcePlaces } from '../store-layout.ts';

const Reference = z.strictObject({
  /** restic's own name of the snapshot. */
  snapshotId: z.string().regex(/^[0-9a-f]{64}$/),
});

const fileOf = (directory: string): string => join(directory, 'restic.json');
const MAX_BYTES = 64 * 1024;

/** Keeps beside the manifest which snapshot of the repository it is of. */
export async function writeReference(directory: string, snapshotId: string): Promise<void> {
  const file = await createFile(fileOf(directory));
  try {
    await file.writeFile(`${JSON.stringify({ snapshotId } satisfies z.input<typeof Reference>)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** `null` if there is none. */
export async function findReference(directory: string): Promise<string | null> {
  return (await readRecord(fileOf(directory), Reference, MAX_BYTES))?.snapshotId ?? null;
}

/** Throws `snapshot_damaged` if there is none. */
export async function referenceIn(directory: string, name: string): Promise<string> {
  const id = await findReference(directory);
  if (id !== null) return id;
  throw new DomainError(
    'snapshot_damaged',
    `Drover's records of snapshot ${name} are missing or incomplete.`,
  );
}

/**
 * Unpublished runs, each a file named after its tag. A snapshot in the repository with such a tag is certainly one of
 * Drover's unfinished ones: it may be removed. If these files are lost, it just stays.
 */
export class BegunRuns {
  readonly #directory: string;

  constructor(places: SourcePlaces) {
    this.#directory = join(places.directory, 'begun');
  }

  async add(run: string): Promise<void> {
    await makeDirectory(this.#directory);
    await (await createFile(join(this.#directory, run))).close();
  }

  async remove(run: string): Promise<void> {
    await rm(join(this.#directory, run), { force: true });
  }

  async list(): Promise<readonly string[]> {
    const names = await readdir(this.#directory).catch((error: unknown) => {
      if (isErrno(error, 'ENOENT')) return [];
      throw error;
    });
    return names.filter((name) => /^[0-9a-f-]{36}$/.test(name));
  }
}

/** The tag of a run's snapshot. */
export const tagOf = (run: string): string => `drover-run-${run}`;
