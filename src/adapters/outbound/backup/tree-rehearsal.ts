import type { TransferWatch, VerifyRequest } from '../../../application/ports/backups/backup-engine.ts';
import { DomainError } from '../../../domain/base/errors.ts';
import type { Findings } from './findings.ts';
import { rehearse } from './rehearsal.ts';
import type { Compared } from './restore-check.ts';
import { prepareTarget } from './restore-target.ts';
import { Scratch } from './scratch.ts';
import { carrierTo, sendFiles } from './send-files.ts';
import { factsOf } from './snapshot-facts.ts';
import type { SnapshotPlaces } from './store-layout.ts';
import { isRotten, verifyTree } from './verify-tree.ts';

/** Verifies that a snapshot can be restored, on the service's machine, which has it. */
export async function rehearseTree(
  { snapshot, sample, chance, here }: VerifyRequest,
  places: SnapshotPlaces,
  scratchBase: string,
  watch: TransferWatch,
): Promise<{ readonly files: number; readonly bytes: number }> {
  const { signal } = watch;
  const facts = await factsOf(places, snapshot.name);
  if (sample.kind === 'all') {
    watch.progress('Comparing the store with the manifest', null);
    refuseDamage(snapshot.name, await verifyTree(places, snapshot.manifestSha256, signal));
  }
  const host = await here();
  const isRoot = process.geteuid?.() === 0;
  const carrier = await carrierTo(host, signal);
  const scratch = await Scratch.open(host, signal, scratchBase);
  try {
    return await rehearse(
      {
        places,
        manifestSha256: snapshot.manifestSha256,
        sample,
        chance,
        scratch,
        isRoot,
        sockets: carrier.sockets,
        restore: async (entries, directory) => {
          await prepareTarget(host, { directory, overwrite: false, above: [] }, signal, 'tar');
          await sendFiles({
            host,
            carrier,
            from: places.files,
            directory,
            paths: entries.map(({ path }) => path),
            entries,
            overwrite: false,
            attributes: facts.attributes && carrier.attributes,
            signal,
            onBytes: () => undefined,
          });
        },
        judge: (compared) => judge(snapshot.name, places, compared, signal),
      },
      watch,
    );
  } finally {
    await scratch.close();
  }
}

async function judge(
  name: string,
  places: SnapshotPlaces,
  { findings, differing }: Compared,
  signal: AbortSignal,
): Promise<void> {
  for (const entry of differing) {
    if (await isRotten(places, entry, signal)) refuseDamage(name, findings);
  }
  throw new DomainError('restore_failed', `Not everything was restored: ${findings.text}.`);
}

function refuseDamage(name: string, findings: Findings): void {
  if (findings.count === 0) return;
  throw new DomainError('snapshot_damaged', `Snapshot ${name} is damaged: ${findings.text}.`);
}
