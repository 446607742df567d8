import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { removeTree } from '../received-files.ts';
import type { SourcePlaces } from '../store-layout.ts';
import { repositoryFault } from './restic-faults.ts';
import { type BegunRuns, findReference, tagOf } from './restic-places.ts';
import type { ResticSession } from './restic-session.ts';

const Listed = z.array(z.object({ id: z.string().regex(/^[0-9a-f]{64}$/) })).nullable();

/** Removes deleted snapshots from the repository. Throws `repository_unusable`. */
export async function forgetRemoved(session: ResticSession, places: SourcePlaces): Promise<void> {
  const doomed: string[] = [];
  const trash = (await namesIn(places.trash)).map((name) => join(places.trash, name));
  for (const directory of trash) doomed.push(...[await findReference(directory)].filter((id) => id !== null));
  await forget(session, doomed);
  for (const directory of trash) await removeTree(directory);
}

/**
 * Removes what unpublished, interrupted runs of this source left in the repository. Touches nothing else. Only for a
 * run that has just held the source's lock on the host: none of the others is still running. Throws
 * `repository_unusable`.
 */
export async function forgetCutOff(
  session: ResticSession,
  places: SourcePlaces,
  begun: BegunRuns,
): Promise<void> {
  const published = new Set(await referencesBelow(places.snapshots));
  const runs = await begun.list();
  const doomed: string[] = [];
  for (const run of runs) doomed.push(...(await taggedBy(session, run)));
  await forget(
    session,
    doomed.filter((id) => !published.has(id)),
  );
  for (const run of runs) await begun.remove(run);
}

/** Removing a missing one is no error in restic. */
async function forget(session: ResticSession, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const end = await session.run({ args: ['forget', ...new Set(ids)] });
  if (end.exitCode !== 0) throw repositoryFault(session.restic.opened, end);
}

async function taggedBy(session: ResticSession, run: string): Promise<readonly string[]> {
  const args = ['snapshots', '--json', '--tag', tagOf(run)];
  const end = await session.run({ args, isJson: true });
  const listed = Listed.safeParse(end.document);
  if (end.exitCode !== 0 || !listed.success) throw repositoryFault(session.restic.opened, end);
  return (listed.data ?? []).map(({ id }) => id);
}

async function referencesBelow(directory: string): Promise<readonly string[]> {
  const found = [];
  for (const name of await namesIn(directory)) found.push((await findReference(join(directory, name))) ?? []);
  return found.flat();
}

const namesIn = (directory: string): Promise<readonly string[]> => readdir(directory).catch(() => []);
