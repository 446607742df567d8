import type { RestoreRequest, SnapshotContent } from '../../../application/ports/backups/backup-engine.ts';
import type { EntryKind } from '../../../domain/files/directory-entry.ts';
import { bytesOfBuffer, toBuffer } from './byte-string.ts';
import type { EntryType } from './manifest-entry.ts';
import { readManifest } from './manifest-file.ts';
import { dumpsBeside, isAtOrBelow, wantedPaths } from './restore-selection.ts';
import { factsOf } from './snapshot-facts.ts';
import type { SnapshotPlaces } from './store-layout.ts';

const KINDS: Readonly<Partial<Record<EntryType, EntryKind>>> = {
  file: 'file',
  directory: 'dir',
  symlink: 'link',
};
const MILLISECOND = 1_000_000n;

/** The part of a manifest that a restore would write. `withoutDumps`: a restore of everything in place omits them. */
export async function* manifestContents(
  places: SnapshotPlaces,
  {
    snapshot,
    subpaths,
    withoutDumps,
  }: Pick<RestoreRequest, 'snapshot' | 'subpaths'> & { readonly withoutDumps: boolean },
  signal: AbortSignal,
): AsyncGenerator<SnapshotContent> {
  const wanted = wantedPaths(subpaths);
  const { roots } = await factsOf(places, snapshot.name);
  const isOmitted = withoutDumps ? dumpsBeside(roots.map(bytesOfBuffer)) : () => false;
  for await (const entry of readManifest(places.manifest, snapshot.manifestSha256)) {
    signal.throwIfAborted();
    if (wanted.size === 0 ? isOmitted(entry.path) : !isAtOrBelow(entry.path, wanted)) continue;
    yield {
      path: toBuffer(entry.path),
      kind: KINDS[entry.type] ?? 'other',
      size: entry.size,
      modifiedAt: Number(entry.mtimeNs / MILLISECOND),
      mode: entry.mode,
      uid: entry.uid,
      gid: entry.gid,
      sha256: entry.sha256 ?? null,
      target: entry.target === undefined ? null : toBuffer(entry.target).toString('utf8'),
    };
  }
}
