import type { Actor } from '../domain/actor.ts';
import { auditEntry } from '../domain/audit-entry.ts';
import { type BackupSource, describeSource } from '../domain/backup-source.ts';
import { DomainError } from '../domain/errors.ts';
import type { RetentionPolicy } from '../domain/retention-policy.ts';
import { existingServer } from './get-server.ts';
import type { Clock } from './ports/clock.ts';
import type { ServerStore } from './ports/server-store.ts';
import type { SourceStore } from './ports/source-store.ts';

/** What is backed up of each server. */
export class ManageSources {
  readonly #servers: ServerStore;
  readonly #sources: SourceStore;
  readonly #clock: Clock;

  constructor(deps: { servers: ServerStore; sources: SourceStore; clock: Clock }) {
    this.#servers = deps.servers;
    this.#sources = deps.sources;
    this.#clock = deps.clock;
  }

  /** Throws `server_not_found`, `invalid_input`, `name_taken`. */
  async add(
    actor: Actor,
    serverId: number,
    input: {
      readonly name: string;
      readonly paths: readonly string[];
      readonly excludes?: readonly string[];
      readonly retention?: RetentionPolicy;
    },
  ): Promise<BackupSource> {
    await existingServer(this.#servers, actor, serverId);
    const at = this.#clock.now();
    return this.#sources.add(describeSource({ ...input, serverId, at }), (source) => ({
      audit: [auditEntry(actor, at, 'source.add', `source:${source.id}`, { serverId, ...input })],
    }));
  }

  /** Throws `server_not_found`. */
  async list(actor: Actor, serverId: number): Promise<readonly BackupSource[]> {
    await existingServer(this.#servers, actor, serverId);
    return this.#sources.ofServer(serverId);
  }

  /** Its snapshots stay, and stay listed. Throws `server_not_found`, `source_not_found`. */
  async remove(actor: Actor, serverId: number, name: string): Promise<void> {
    const source = (await this.list(actor, serverId)).find((each) => each.name === name);
    if (!source)
      throw new DomainError('source_not_found', `The server has no backup source named "${name}".`);
    const at = this.#clock.now();
    await this.#sources.remove(source.id, at, {
      audit: [auditEntry(actor, at, 'source.remove', `source:${source.id}`, { serverId, name })],
    });
  }
}
