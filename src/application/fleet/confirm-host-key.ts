import type { Actor } from '../../domain/access/actor.ts';
import { DomainError, InvalidInput } from '../../domain/base/errors.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import { requireControl } from '../../domain/fleet/own-machine.ts';
import type { PinnedHostKey, Server, ServerAddress } from '../../domain/fleet/server.ts';
import { describeServer, type ServerDescription } from '../../domain/fleet/server-description.ts';
import { UseCase } from '../base/use-case.ts';
import { existingServer } from './get-server.ts';
import type { HostOpener } from './host-opener.ts';

/** No server has this id. */
const UNKNOWN = 0;

/** Asks a host for its key, so that a user can compare it. Stores nothing. */
export class ScanHostKey extends UseCase<'hosts' | 'servers', { readonly opener: HostOpener }> {
  /** For operators. Throws `server_not_found`, `host_unreachable`; `invalid_input` for a server that is not reached over SSH. */
  async execute(actor: Actor, serverId: number): Promise<PinnedHostKey> {
    actor.requireRole('operator', serverId);
    const server = await existingServer(this.deps.servers, actor, serverId);
    if (server.address.connection !== 'ssh') {
      throw new InvalidInput([
        { path: '/server_id', message: `${server.name} is not reached over SSH; it has no host key.` },
      ]);
    }
    return this.#scan(serverId, server.name, server.address);
  }

  /**
   * For a server that is not in the fleet yet, with all checks that adding it makes: nothing is added before its key is
   * confirmed. For operators. Throws as `RegisterServer` does, and `host_unreachable`.
   */
  async beforeAdding(actor: Actor, description: ServerDescription): Promise<PinnedHostKey> {
    actor.requireRole('operator');
    const server = describeServer(description);
    requireControl(actor, { id: null, ...server }, 'server.add');
    if (await this.deps.servers.findByName(server.name)) {
      throw new DomainError(
        'name_taken',
        `A server named "${server.name}" already exists; choose a different name.`,
      );
    }
    return this.#scan(null, server.name, server.address);
  }

  async #scan(serverId: number | null, serverName: string, address: ServerAddress): Promise<PinnedHostKey> {
    const { hostname, sshPort, sshUsername, become, jumpServerId } = address;
    return this.deps.hosts.scanHostKey({
      kind: 'ssh',
      serverId: serverId ?? UNKNOWN,
      serverName,
      hostname,
      port: sshPort,
      username: sshUsername,
      become,
      jump: await this.deps.opener.jumpOf(serverName, jumpServerId),
    });
  }
}

/** Pins the key that a user has compared. Drover then connects only to a host with this key. */
export class ConfirmHostKey extends UseCase<'servers' | 'clock'> {
  /** For operators. Throws `server_not_found`. */
  async execute(actor: Actor, serverId: number, hostKey: PinnedHostKey): Promise<Server> {
    actor.requireRole('operator', serverId);
    const before = await existingServer(this.deps.servers, actor, serverId);
    const now = this.deps.clock.now();
    return this.deps.servers.change(serverId, { address: { hostKey } }, now, () => ({
      audit: [
        auditEntry(actor, now, 'server.confirm_host_key', `server:${serverId}`, {
          fingerprint: hostKey.fingerprint,
          replaces: before.address.hostKey?.fingerprint ?? null,
        }),
      ],
    }));
  }
}
