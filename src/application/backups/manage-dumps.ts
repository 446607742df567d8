import type { Actor } from '../../domain/access/actor.ts';
import type { BackupSource } from '../../domain/backups/backup-source.ts';
import {
  changeDump,
  type Dump,
  type DumpChange,
  type DumpInput,
  describeDump,
} from '../../domain/backups/dump.ts';
import { DomainError, InvalidInput } from '../../domain/base/errors.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import { requireControl } from '../../domain/fleet/own-machine.ts';
import { UseCase } from '../base/use-case.ts';
import { existingServer } from '../fleet/get-server.ts';
import type { StoredDump } from '../ports/backups/dump-store.ts';
import { placeOfPassword } from './source-dumps.ts';

/** The databases that are dumped with each backup of a source. Changing them changes the source, and asks for the same. */
export class ManageDumps extends UseCase<'servers' | 'sources' | 'dumps' | 'box' | 'clock'> {
  /** Throws `server_not_found`, `source_not_found`, `invalid_input`, `name_taken`. */
  async add(actor: Actor, serverId: number, sourceName: string, input: DumpInput): Promise<Dump> {
    const source = await this.#changeable(actor, serverId, sourceName);
    if (source.engine === 'restic') {
      throw new InvalidInput([
        {
          path: '/source',
          message:
            'A source in a restic repository cannot have dumps: its snapshots are created on the server.',
        },
      ]);
    }
    const at = this.deps.clock.now();
    const dump = describeDump({ ...input, sourceId: source.id, at });
    const { password } = input;
    const seal =
      typeof password === 'string'
        ? (id: number): string => this.deps.box.seal(password, placeOfPassword(id))
        : null;
    const stored = await this.deps.dumps.add(
      dump,
      seal,
      ({ id, sourceId: _source, createdAt: _at, ...shown }) => ({
        audit: [
          auditEntry(actor, at, 'source.dump.add', `source:${source.id}`, {
            serverId,
            source: sourceName,
            dumpId: id,
            ...shown,
          }),
        ],
      }),
    );
    return withoutPassword(stored);
  }

  /** By name. Throws `server_not_found`, `source_not_found`. */
  async list(actor: Actor, serverId: number, sourceName: string): Promise<readonly Dump[]> {
    await existingServer(this.deps.servers, actor, serverId);
    const source = await this.#named(serverId, sourceName);
    return (await this.deps.dumps.ofSource(source.id)).map(withoutPassword);
  }

  /** All dumps of a server, by name. Throws `server_not_found`. */
  async ofServer(actor: Actor, serverId: number): Promise<readonly Dump[]> {
    await existingServer(this.deps.servers, actor, serverId);
    return (await this.deps.dumps.ofServer(serverId)).map(withoutPassword);
  }

  /**
   * Existing snapshots keep their dumps, and restore them over the new connection. Throws `server_not_found`,
   * `source_not_found`, `dump_not_found`, `empty_change`, `invalid_input`.
   */
  async edit(
    actor: Actor,
    serverId: number,
    sourceName: string,
    name: string,
    change: DumpChange,
  ): Promise<Dump> {
    const source = await this.#changeable(actor, serverId, sourceName);
    const { password, ...shown } = change;
    const changed = await this.deps.dumps.change(
      source.id,
      name,
      (stored) => ({ ...changeDump(stored, change), sealedPassword: this.#sealedAfter(stored, password) }),
      {
        audit: [
          auditEntry(actor, this.deps.clock.now(), 'source.dump.edit', `source:${source.id}`, {
            serverId,
            source: sourceName,
            name,
            ...shown,
            ...(password === undefined ? {} : { password: password === null ? 'removed' : 'changed' }),
          }),
        ],
      },
    );
    return withoutPassword(changed);
  }

  /** Existing snapshots keep their dumps. Throws `server_not_found`, `source_not_found`, `dump_not_found`. */
  async remove(actor: Actor, serverId: number, sourceName: string, name: string): Promise<void> {
    const source = await this.#changeable(actor, serverId, sourceName);
    await this.deps.dumps.remove(source.id, name, {
      audit: [
        auditEntry(actor, this.deps.clock.now(), 'source.dump.remove', `source:${source.id}`, {
          serverId,
          source: sourceName,
          name,
        }),
      ],
    });
  }

  #sealedAfter({ id, sealedPassword }: StoredDump, password: string | null | undefined): string | null {
    if (password === undefined) return sealedPassword;
    return password === null ? null : this.deps.box.seal(password, placeOfPassword(id));
  }

  async #changeable(actor: Actor, serverId: number, name: string): Promise<BackupSource> {
    actor.requireRole('operator', serverId);
    requireControl(actor, await existingServer(this.deps.servers, actor, serverId), 'source.edit');
    return this.#named(serverId, name);
  }

  async #named(serverId: number, name: string): Promise<BackupSource> {
    const source = (await this.deps.sources.ofServer(serverId)).find((each) => each.name === name);
    if (!source)
      throw new DomainError('source_not_found', `The server has no backup source named "${name}".`);
    return source;
  }
}

/** As callers see it. */
export const withoutPassword = ({ sealedPassword: _sealed, ...dump }: StoredDump): Dump => dump;
