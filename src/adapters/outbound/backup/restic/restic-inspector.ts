import { z } from 'zod';
import type { TransferWatch } from '../../../../application/ports/backups/backup-engine.ts';
import type { ProtectedPlaces } from '../../../../application/ports/backups/protected-places.ts';
import type {
  OpenRepository,
  RepositoryInspector,
} from '../../../../application/ports/backups/repository-inspector.ts';
import type { RemoteHost } from '../../../../application/ports/fleet/remote-host.ts';
import { repositoryFault } from './restic-faults.ts';
import { type ResticEnd, ResticHost } from './restic-host.ts';
import { ResticSession } from './restic-session.ts';

const Listed = z.array(z.unknown()).nullable();

/** `restic check`, run on a host. */
export class ResticInspector implements RepositoryInspector {
  readonly #places: ProtectedPlaces;

  constructor(places: ProtectedPlaces) {
    this.#places = places;
  }

  async check(
    host: RemoteHost,
    opened: OpenRepository,
    readPercent: number,
    watch: TransferWatch,
  ): Promise<{ readonly snapshots: number }> {
    const session = new ResticSession(new ResticHost(host, opened, this.#places, watch.signal), watch);
    const fail = (end: ResticEnd): never => {
      throw repositoryFault(opened, end);
    };
    watch.progress('Looking for the repository', null);
    const list = await session.run({ args: ['snapshots', '--json'], isJson: true });
    const listed = Listed.safeParse(list.document);
    if (list.exitCode !== 0 || !listed.success) return fail(list);
    watch.progress('Checking the repository', null);
    const read = readPercent > 0 ? [`--read-data-subset=${readPercent}%`] : [];
    const end = await session.run({ args: ['check', ...read], onLine: (line) => watch.log(line) });
    if (end.exitCode !== 0) fail(end);
    return { snapshots: listed.data?.length ?? 0 };
  }
}
