import type { Actor } from '../../domain/access/actor.ts';
import { repositoryNotFound } from '../../domain/backups/backup-repository.ts';
import {
  type BackupSource,
  changeSource,
  describeSource,
  type SourceChange,
  sourceNotFound,
} from '../../domain/backups/backup-source.ts';
import type { BackupHook } from '../../domain/backups/hook.ts';
import type { RetentionPolicy } from '../../domain/backups/retention-policy.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import { requireControl } from '../../domain/fleet/own-machine.ts';
import { UseCase } from '../base/use-case.ts';
import { existingServer } from '../fleet/get-server.ts';
import { visibleIds } from '../fleet/list-servers.ts';

/**
 * Manages the backup sources of servers. Changes are for operators; on the service's own machine, for users who
 * control it.
 */
export class ManageSources extends UseCase<'servers' | 'sources' | 'repositories' | 'clock'> {
  /** In the service's own store, or in the repository of that name. Throws `server_not_found`, `repository_not_found`, `invalid_input`, `name_taken`. */
  async add(
    actor: Actor,
    serverId: number,
    input: {
      readonly name: string;
      readonly paths: readonly string[];
      readonly excludes?: readonly string[];
      readonly retention?: RetentionPolicy;
      readonly compareContentEvery?: number;
      readonly hooks?: readonly BackupHook[];
      readonly repository?: string | undefined;
    },
  ): Promise<BackupSource> {
    actor.requireRole('operator', serverId);
    requireControl(actor, await existingServer(this.deps.servers, actor, serverId), 'source.add');
    const at = this.deps.clock.now();
    const repositoryId = await this.#repositoryNamed(input.repository);
    return this.deps.sources.add(describeSource({ ...input, repositoryId, serverId, at }), (source) => ({
      audit: [auditEntry(actor, at, 'source.add', `source:${source.id}`, { serverId, ...input })],
    }));
  }

  /** Throws `server_not_found`. */
  async list(actor: Actor, serverId: number): Promise<readonly BackupSource[]> {
    await existingServer(this.deps.servers, actor, serverId);
    return this.deps.sources.ofServer(serverId);
  }

  /** Names of sources on the servers that the caller may see, the most frequent first. */
  async names(actor: Actor, limit: number): Promise<readonly string[]> {
    actor.require('read');
    return this.deps.sources.names(visibleIds(actor), limit);
  }

  /** Its snapshots stay as they are. Throws `server_not_found`, `source_not_found`, `empty_change`, `invalid_input`. */
  async edit(actor: Actor, serverId: number, name: string, change: SourceChange): Promise<BackupSource> {
    actor.requireRole('operator', serverId);
    requireControl(actor, await existingServer(this.deps.servers, actor, serverId), 'source.edit');
    const source = await this.#named(actor, serverId, name);
    const after = changeSource(source, change);
    return this.deps.sources.change(source.id, after, {
      audit: [
        auditEntry(actor, this.deps.clock.now(), 'source.edit', `source:${source.id}`, {
          serverId,
          name,
          ...change,
        }),
      ],
    });
  }

  /** Its snapshots stay, and stay listed. Throws `server_not_found`, `source_not_found`. */
  async remove(actor: Actor, serverId: number, name: string): Promise<void> {
    actor.requireRole('operator', serverId);
    requireControl(actor, await existingServer(this.deps.servers, actor, serverId), 'source.remove');
    const source = await this.#named(actor, serverId, name);
    const at = this.deps.clock.now();
    await this.deps.sources.remove(source.id, at, {
      audit: [auditEntry(actor, at, 'source.remove', `source:${source.id}`, { serverId, name })],
    });
  }

  async #named(actor: Actor, serverId: number, name: string): Promise<BackupSource> {
    const source = (await this.list(actor, serverId)).find((each) => each.name === name);
    if (!source) throw sourceNotFound(name);
    return source;
  }

  async #repositoryNamed(name: string | undefined): Promise<number | null> {
    if (name === undefined) return null;
    const found = await this.deps.repositories.findByName(name);
    if (!found) throw repositoryNotFound(name);
    return found.id;
  }
}
