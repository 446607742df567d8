import { type Dump, type DumpConnection, dumpPath } from '../../domain/backups/dump.ts';
import { type DomainError, isDomainError } from '../../domain/base/errors.ts';
import { UseCase } from '../base/use-case.ts';
import type { DumpFile } from '../ports/backups/backup-engine.ts';
import type { StoredDump } from '../ports/backups/dump-store.ts';
import type { SecretPlace } from '../ports/base/secret-box.ts';
import type { RemoteHost } from '../ports/fleet/remote-host.ts';

export const placeOfPassword = (id: number): SecretPlace => ({
  table: 'backup_dumps',
  column: 'password',
  row: id,
});

/** Opens the dumps of sources with their passwords, which go to the database's client and nowhere else. */
export class SourceDumps extends UseCase<'dumps' | 'dumpClient' | 'box'> {
  /** The databases that a backup of a source dumps on this host. Throws `secret_unreadable`. */
  async files(sourceId: number, host: RemoteHost): Promise<readonly DumpFile[]> {
    return (await this.deps.dumps.ofSource(sourceId)).map((dump) => {
      const connection = this.#open(dump);
      return { path: dumpPath(dump), read: (signal) => this.deps.dumpClient.read(host, connection, signal) };
    });
  }

  /** By name, each with why it would fail; `null` if it would start. Throws what is not about the dump. */
  async check(
    sourceId: number,
    host: RemoteHost,
    signal: AbortSignal,
  ): Promise<readonly { readonly dump: Dump; readonly problem: DomainError | null }[]> {
    const checked = [];
    for (const stored of await this.deps.dumps.ofSource(sourceId)) {
      const { sealedPassword: _sealed, ...dump } = stored;
      const problem = await this.deps.dumpClient.check(host, this.#open(stored), signal).then(
        () => null,
        (error: unknown) => {
          if (isDomainError(error, 'dump_failed') || isDomainError(error, 'host_tool_missing')) return error;
          throw error;
        },
      );
      checked.push({ dump, problem });
    }
    return checked;
  }

  /** `null` if the source has none of that name. Throws `secret_unreadable`. */
  async find(sourceId: number, name: string): Promise<DumpConnection | null> {
    const found = (await this.deps.dumps.ofSource(sourceId)).find((dump) => dump.name === name);
    return found ? this.#open(found) : null;
  }

  #open(dump: StoredDump): DumpConnection {
    const { id, name, kind, client, container, database, user, host, port, sealedPassword } = dump;
    const password = sealedPassword === null ? null : this.deps.box.open(sealedPassword, placeOfPassword(id));
    return { name, kind, client, container, database, user, host, port, password };
  }
}
