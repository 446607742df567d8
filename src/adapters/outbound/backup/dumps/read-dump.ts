import { DomainError } from '../../../../domain/base/errors.ts';
import { bytesOfText } from '../byte-string.ts';
import { hashFile } from '../file-hash.ts';
import { lookAt, pathBelow } from '../file-tree.ts';
import { readManifest } from '../manifest-file.ts';
import type { SnapshotPlaces } from '../store-layout.ts';

/** Throws `file_not_found`, and `snapshot_damaged` if the file differs from the manifest. */
export async function assertAsTaken(
  places: SnapshotPlaces,
  manifestSha256: string,
  dump: string,
  signal: AbortSignal,
): Promise<void> {
  const wanted = bytesOfText(dump);
  let sha256: string | undefined;
  let size = 0;
  for await (const entry of readManifest(places.manifest, manifestSha256)) {
    signal.throwIfAborted();
    if (entry.path === wanted && entry.type === 'file') ({ sha256, size } = entry);
  }
  if (sha256 === undefined) throw new DomainError('file_not_found', `The snapshot has no dump ${dump}.`);
  const place = pathBelow(places.files, wanted);
  const isThere = (await lookAt(place))?.isFile() ?? false;
  if (isThere && (await hashFile(place, size, undefined, signal)) === sha256) return;
  throw new DomainError(
    'snapshot_damaged',
    `The dump ${dump} in the snapshot differs from what was backed up.`,
  );
}
