import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { NewSnapshot } from '../../../domain/backups/snapshot.ts';
import { DomainError } from '../../../domain/base/errors.ts';
import { type ByteString, toBuffer } from './byte-string.ts';
import { runTool } from './local-program.ts';
import { writeFacts } from './snapshot-facts.ts';
import { renameDurably } from './store-directory.ts';
import { type SourcePlaces, snapshotName, snapshotPlaces } from './store-layout.ts';

/**
 * Turns the finished working directory into a snapshot: everything is on disk before it gets its name, in a single
 * rename. Call it under the source's lock.
 */
export async function publishSnapshot(
  places: SourcePlaces,
  facts: Omit<NewSnapshot, 'name'>,
  source: { readonly roots: readonly ByteString[]; readonly attributes: boolean },
): Promise<NewSnapshot> {
  const name = await freeName(places.snapshots, facts.startedAt);
  const snapshot = { ...facts, name };
  const partial = snapshotPlaces(places.partial);
  await writeFacts(partial, { snapshot, roots: source.roots.map(toBuffer), attributes: source.attributes });
  await flushFileSystem(partial.directory);
  await renameDurably(partial.directory, join(places.snapshots, name), places.snapshots);
  return snapshot;
}

/** Two backups that start in the same millisecond get different names. */
async function freeName(directory: string, startedAt: number): Promise<string> {
  const taken = new Set(await readdir(directory));
  const name = snapshotName(startedAt);
  if (!taken.has(name)) return name;
  for (let number = 2; number < 10_000; number += 1) {
    if (!taken.has(`${name}-${number}`)) return `${name}-${number}`;
  }
  throw new DomainError(
    'backup_failed',
    `There are too many snapshots named ${name}; check whether the clock has stopped.`,
  );
}

/** One syncfs(2) instead of an fsync(2) a file, which takes a hundred times as long for many small files. */
async function flushFileSystem(directory: string): Promise<void> {
  const { exitCode } = await runTool('sync', ['-f', directory]);
  if (exitCode === 0) return;
  // an old busybox does not support -f
  const all = await runTool('sync', []);
  if (all.exitCode !== 0)
    throw new DomainError('backup_failed', `The backup store could not be written to disk: ${all.stderr}`);
}

/** Starts to write existing data to disk, so that less is left when the snapshot is published. */
export const flushAhead = (directory: string): Promise<void> =>
  flushFileSystem(directory).catch(() => undefined);
