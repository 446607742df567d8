import type { Actor } from '../../domain/access/actor.ts';
import { InvalidInput } from '../../domain/base/errors.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import type { PinnedHostKey, Server } from '../../domain/fleet/server.ts';
import type { Clock } from '../ports/base/clock.ts';
import type { RemoteHosts } from '../ports/fleet/remote-host.ts';
import type { ServerStore } from '../ports/fleet/server-store.ts';
import { existingServer } from './get-server.ts';
import type { HostOpener } from './host-opener.ts';

interface ScanHostKeyDeps {
  readonly hosts: RemoteHosts;
  readonly opener: HostOpener;
  readonly servers: ServerStore;
}

/** Asks a host for the key that it presents, so that a person can compare it. Nothing is stored. */
export class ScanHostKey {
  readonly #deps: ScanHostKeyDeps;

  constructor(deps: ScanHostKeyDeps) {
    this.#deps = deps;
  }

  /** For operators. Throws `server_not_found`, `host_unreachable`; `invalid_input` for a server that is not reached over SSH. */
  async execute(actor: Actor, serverId: number): Promise<PinnedHostKey> {
    actor.requireRole('operator');
    const server = await existingServer(this.#deps.servers, actor, serverId);
    const { connection, hostname, sshPort, sshUsername, become, jumpServerId } = server.address;
    if (connection !== 'ssh') {
      throw new InvalidInput([
        { path: '/server_id', message: `${server.name} is not reached over SSH; it has no host key.` },
      ]);
    }
    return this.#deps.hosts.scanHostKey({
      kind: 'ssh',
      serverId,
      serverName: server.name,
      hostname,
      port: sshPort,
      username: sshUsername,
      become,
      jump: await this.#deps.opener.jumpOf(server.name, jumpServerId),
    });
  }
}

interface ConfirmHostKeyDeps {
  readonly servers: ServerStore;
  readonly clock: Clock;
}

/** Pins the key that a person has compared. From then on the service talks to no other. */
export class ConfirmHostKey {
  readonly #deps: ConfirmHostKeyDeps;

  constructor(deps: ConfirmHostKeyDeps) {
    this.#deps = deps;
  }

  /** For operators. Throws `server_not_found`. */
  async execute(actor: Actor, serverId: number, hostKey: PinnedHostKey): Promise<Server> {
    actor.requireRole('operator');
    const before = await existingServer(this.#deps.servers, actor, serverId);
    const now = this.#deps.clock.now();
    return this.#deps.servers.change(serverId, { address: { hostKey } }, now, () => ({
      audit: [
        auditEntry(actor, now, 'server.confirm_host_key', `server:${serverId}`, {
          fingerprint: hostKey.fingerprint,
          replaces: before.address.hostKey?.fingerprint ?? null,
        }),
      ],
    }));
  }
}
