import type { TransferWatch, VerifyRequest } from '../../../../application/ports/backups/backup-engine.ts';
import { rehearse } from '../rehearsal.ts';
import { prepareTarget } from '../restore-target.ts';
import { Scratch } from '../scratch.ts';
import { factsOf } from '../snapshot-facts.ts';
import type { SnapshotPlaces } from '../store-layout.ts';
import type { ResticEnd } from './restic-host.ts';
import { referenceIn } from './restic-places.ts';
import { failure, fetchFiles } from './restic-restore.ts';
import type { ResticSession } from './restic-session.ts';

/** Verifies that a snapshot can be restored, on its own host, which can reach the repository. */
export async function rehearseRestic(
  { snapshot, sample, chance }: VerifyRequest,
  settings: { readonly session: ResticSession; readonly places: SnapshotPlaces },
  watch: TransferWatch,
): Promise<{ readonly files: number; readonly bytes: number }> {
  const { session, places } = settings;
  const { signal } = watch;
  await factsOf(places, snapshot.name);
  const id = await referenceIn(places.directory, snapshot.name);
  const { host } = session.restic;
  const scratch = await Scratch.open(host, signal);
  try {
    const above = { directory: scratch.directory, overwrite: true, above: [] };
    const { isRoot } = await prepareTarget(host, above, signal, 'restic');
    let end: ResticEnd = { exitCode: 0, said: '' };
    return await rehearse(
      {
        places,
        manifestSha256: snapshot.manifestSha256,
        sample,
        chance,
        scratch,
        isRoot,
        sockets: true,
        restore: async (entries, directory) => {
          await prepareTarget(host, { directory, overwrite: false, above: [] }, signal, 'restic');
          end = await fetchFiles(session, { id, directory, paths: entries.map(({ path }) => path) });
        },
        judge: ({ findings }) => Promise.reject(failure(session, end, findings)),
      },
      watch,
    );
  } finally {
    await scratch.close();
  }
}
