import type { Actor } from '../../domain/access/actor.ts';
import {
  DUMP_DIRECTORY,
  type Dump,
  type DumpKind,
  dumpOfFile,
  MAX_DUMPS,
} from '../../domain/backups/dump.ts';
import { isDomainError } from '../../domain/base/errors.ts';
import { UseCase } from '../base/use-case.ts';
import type { BrowseSnapshot } from './browse-snapshot.ts';
import { withoutPassword } from './manage-dumps.ts';

/** A dump in a snapshot. One that did not end well fails its backup, so it is complete. */
export interface SnapshotDump {
  readonly name: string;
  readonly kind: DumpKind;
  /** In the snapshot. */
  readonly path: string;
  readonly bytes: number;
  /** The dump to restore it with; `null` if the source no longer has it. */
  readonly dump: Dump | null;
}

/** The databases that a snapshot has, for those who may look into it. */
export class ListSnapshotDumps extends UseCase<
  'dumps',
  { readonly browseSnapshot: Pick<BrowseSnapshot, 'admit' | 'list'> }
> {
  /** By name. Throws as `BrowseSnapshot.list`. */
  async execute(actor: Actor, id: number, signal: AbortSignal): Promise<readonly SnapshotDump[]> {
    const { browseSnapshot, dumps } = this.deps;
    const { engine, sourceId } = await browseSnapshot.admit(actor, id);
    if (engine === 'restic') return [];
    const page = { p: DUMP_DIRECTORY, limit: MAX_DUMPS, offset: 0, signal };
    const items = await browseSnapshot.list(actor, id, page).then(
      ({ found }) => found.items,
      (error: unknown) => {
        if (isDomainError(error, 'file_not_found')) return [];
        throw error;
      },
    );
    const known = items.length === 0 ? [] : await dumps.ofSource(sourceId);
    return items.flatMap(({ shown, kind, size: bytes }) => {
      const file = kind === 'file' ? dumpOfFile(shown.text) : null;
      if (file === null) return [];
      const found = known.find((each) => each.name === file.name && each.kind === file.kind);
      const dump = found ? withoutPassword(found) : null;
      return [{ ...file, path: `${DUMP_DIRECTORY}/${shown.text}`, bytes, dump }];
    });
  }
}
