import type { RestoreRequest, TransferWatch } from '../../../../application/ports/backups/backup-engine.ts';
import { DomainError } from '../../../../domain/base/errors.ts';
import { type ByteString, bytesOfBuffer, textOf } from '../byte-string.ts';
import type { Findings } from '../findings.ts';
import { readManifest } from '../manifest-file.ts';
import { compareRestored } from '../restore-check.ts';
import { assertDirectory, assertRoom, restoredText } from '../restore-order.ts';
import { type Selection, select, selectedEntries } from '../restore-selection.ts';
import { prepareTarget } from '../restore-target.ts';
import { factsOf } from '../snapshot-facts.ts';
import type { SnapshotPlaces } from '../store-layout.ts';
import { TransferProgress } from '../transfer-progress.ts';
import { dumpTo } from './restic-dump.ts';
import { isDamage, isShut, lastWords, repositoryFault } from './restic-faults.ts';
import type { ResticEnd } from './restic-host.ts';
import { referenceIn } from './restic-places.ts';
import type { ResticSession } from './restic-session.ts';

/** The part of the work, in percent, that is over when all is written; the rest is for reading it there. */
const WRITTEN = 60;

/** One restore: has the host fetch the files, then verifies them against the manifest. */
export async function restoreFromRestic(
  request: RestoreRequest,
  settings: { readonly session: ResticSession; readonly places: SnapshotPlaces },
  watch: TransferWatch,
): Promise<{ readonly files: number; readonly bytes: number }> {
  const { host, origin, directory, overwrite, snapshot, subpaths } = request;
  const { session, places } = settings;
  const { signal } = watch;
  const progress = new TransferProgress(watch);
  assertDirectory(directory, overwrite);
  const facts = await factsOf(places, snapshot.name);
  const id = await referenceIn(places.directory, snapshot.name);
  progress.stage('Reading the manifest', null);
  const roots = facts.roots.map(bytesOfBuffer);
  const selection = await select(places, snapshot.manifestSha256, { subpaths, roots }, signal);
  // restic writes through links: no directory of the snapshot may have become one
  const above = overwrite ? await directoriesOf(places, snapshot.manifestSha256, selection) : [];
  const target = { directory, overwrite, above: [...selection.above, ...above] };
  const { isRoot, freeBytes } = await prepareTarget(host, target, signal, origin ? 'tar' : 'restic');
  if (!overwrite) {
    assertRoom(directory, freeBytes, { bytes: selection.totalBytes, entries: selection.entryCount });
  }
  if (!isRoot) watch.log('Not root on the host: owners and device files are not restored.');
  progress.stage('Restoring', 0);
  const end = origin
    ? await dumpTo(host, session.restic, { id, directory, paths: selection.paths })
    : await fetchFiles(session, { id, directory, paths: subpaths.length === 0 ? [] : selection.paths });
  if (end.exitCode !== 0) watch.log(`Not everything could be restored as it was: ${lastWords(end)}.`);
  progress.stage('Comparing with the manifest', WRITTEN);
  const { files, bytes, findings } = await compareRestored(
    {
      host,
      directory,
      signal,
      onBytes: (done) =>
        progress.bytes('Comparing with the manifest', done, selection.totalBytes, WRITTEN, 100),
    },
    selectedEntries(places, snapshot.manifestSha256, selection, { isRoot, sockets: true }),
  );
  if (findings.count > 0) throw failure(session, end, findings);
  watch.log(restoredText(snapshot.name, directory, { files, bytes }));
  return { files, bytes };
}

/** `paths`: of the snapshot, without leading slash; none: all of it. */
export function fetchFiles(
  session: ResticSession,
  order: { readonly id: string; readonly directory: string; readonly paths: readonly ByteString[] },
): Promise<ResticEnd> {
  const includes = order.paths.map((path) => `--include=/${literal(textOf(path) ?? path)}`);
  return session.run({ args: ['restore', order.id, '--target', order.directory, '--verify', ...includes] });
}

/** The cause: the repository, if restic reports that it cannot read from it. */
export function failure(session: ResticSession, end: ResticEnd, findings: Findings): DomainError {
  if (isShut(end)) return repositoryFault(session.restic.opened, end);
  const why = end.exitCode === 0 ? '' : ` restic said: ${lastWords(end)}.`;
  if (/no space left on device|disk quota exceeded/i.test(end.said)) {
    return new DomainError('disk_full', `The disk of the host is full: ${findings.text}.${why}`);
  }
  // a file that restic restored without an error but that differs means a damaged snapshot
  if (end.exitCode === 0 || isDamage(end.said)) {
    return new DomainError('snapshot_damaged', `The snapshot is damaged: ${findings.text}.${why}`);
  }
  return new DomainError('restore_failed', `Not everything was restored: ${findings.text}.${why}`);
}

async function directoriesOf(
  places: SnapshotPlaces,
  manifestSha256: string,
  selection: Selection,
): Promise<readonly ByteString[]> {
  const directories: ByteString[] = [];
  for await (const entry of readManifest(places.manifest, manifestSha256)) {
    if (entry.type === 'directory' && selection.contains(entry)) directories.push(entry.path);
  }
  return directories;
}

/** As a pattern that matches exactly the name, see https://pkg.go.dev/path/filepath#Match. */
const literal = (path: string): string => path.replace(/[*?[\]\\]/g, '\\$&');
