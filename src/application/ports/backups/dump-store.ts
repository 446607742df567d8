import type { Dump, NewDump } from '../../../domain/backups/dump.ts';
import type { ChangeRecord } from '../events/change-record.ts';

/** A dump with its password, encrypted for the place `backup_dumps|password|<id>`; `null` for none. */
export interface StoredDump extends Dump {
  readonly sealedPassword: string | null;
}

/** The databases that are dumped with each backup of a source. They go with it. */
export interface DumpStore {
  /**
   * Encrypts with the callback once the id is known, in the same transaction; `null` for no password. Throws
   * `source_not_found`, `name_taken` (within the source), and `invalid_input` for one more than `MAX_DUMPS`.
   */
  add(
    dump: NewDump,
    seal: ((id: number) => string) | null,
    record: (dump: Dump) => ChangeRecord,
  ): Promise<StoredDump>;
  /**
   * Replaces the connection and the password of a dump by the result of `change`, in one transaction. Throws
   * `dump_not_found`, and what `change` throws.
   */
  change(
    sourceId: number,
    name: string,
    change: (dump: StoredDump) => StoredDump,
    record: ChangeRecord,
  ): Promise<StoredDump>;
  /** By name. */
  ofSource(sourceId: number): Promise<readonly StoredDump[]>;
  /** All dumps of a server, by name. */
  ofServer(serverId: number): Promise<readonly StoredDump[]>;
  /** Its password goes with it. Throws `dump_not_found`. */
  remove(sourceId: number, name: string, record: ChangeRecord): Promise<void>;
}
