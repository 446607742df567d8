import { DomainError } from '../../domain/base/errors.ts';
import { shellCommand } from '../../domain/base/shell-command.ts';
import type { Server } from '../../domain/fleet/server.ts';
import { UseCase } from '../base/use-case.ts';
import type { HostAccess, HostAuthentication, RemoteHost, SshAccess } from '../ports/fleet/remote-host.ts';
import type { ContactLog } from './contact-log.ts';

/** A jump through a jump through a jump is enough; more is a mistake. */
export const MAX_JUMPS = 4;

/** Connects to a server for as long as the work takes. */
export async function withHost<T>(
  opener: Pick<HostOpener, 'open'>,
  server: Server,
  options: Parameters<HostOpener['open']>[1],
  work: (host: RemoteHost) => Promise<T>,
): Promise<T> {
  const host = await opener.open(server, options);
  try {
    return await work(host);
  } finally {
    host.release();
  }
}

/** Connects to a server: decrypts its key, follows its jump servers, and connects. */
export class HostOpener extends UseCase<
  'hosts' | 'servers' | 'keys' | 'box' | 'agentSocket',
  { readonly contacts: Pick<ContactLog, 'succeeded' | 'failed'> }
> {
  /**
   * Throws as `RemoteHosts.connect`, and `key_not_found` or `host_auth_failed` if there is no credential to log in
   * with.
   */
  async open(
    server: Server,
    options: { signal?: AbortSignal; purpose?: 'commands' | 'bulk' } = {},
  ): Promise<RemoteHost> {
    const access = await this.accessTo(server);
    let host: RemoteHost;
    try {
      host = await this.deps.hosts.connect(access, options);
    } catch (error) {
      // Aborted by Drover: that says nothing about the host.
      if (!options.signal?.aborted) await this.deps.contacts.failed(server, error);
      throw error;
    }
    await this.deps.contacts.succeeded(server);
    return host;
  }

  async accessTo(server: Server): Promise<HostAccess> {
    if (server.address.connection === 'local') {
      return {
        kind: 'local',
        serverId: server.id,
        serverName: server.name,
        become: server.address.become,
      };
    }
    return this.#sshAccess(server, 0);
  }

  async #sshAccess(server: Server, depth: number): Promise<SshAccess> {
    const { hostname, sshPort, sshUsername, hostKey, become } = server.address;
    return {
      kind: 'ssh',
      serverId: server.id,
      serverName: server.name,
      hostname,
      port: sshPort,
      username: sshUsername,
      authentication: await this.#authentication(server),
      hostKey,
      become,
      jump: await this.jumpOf(server.name, server.address.jumpServerId, depth),
    };
  }

  /** The connection to a jump server, or `null` if there is none. */
  async jumpOf(serverName: string, jumpServerId: number | null, depth = 0): Promise<SshAccess | null> {
    if (jumpServerId === null) return null;
    if (depth >= MAX_JUMPS) {
      throw new DomainError(
        'host_unreachable',
        `${serverName} is reached through more than ${MAX_JUMPS} jump servers, or through itself. Correct its jump server.`,
      );
    }
    const jump = await this.deps.servers.find(jumpServerId);
    if (!jump) {
      throw new DomainError(
        'host_unreachable',
        `The jump server of ${serverName} (id ${jumpServerId}) no longer exists.`,
      );
    }
    // Jumping through the machine itself is the same as not jumping.
    return jump.address.connection === 'local' ? null : this.#sshAccess(jump, depth + 1);
  }

  async #authentication(server: Server): Promise<HostAuthentication> {
    const keyId = server.address.sshKeyId;
    if (keyId !== null) {
      const key = await this.deps.keys.find(keyId);
      if (!key)
        throw new DomainError(
          'key_not_found',
          `The SSH key of ${server.name} (id ${keyId}) no longer exists.`,
        );
      const place = { table: 'ssh_keys', column: 'private_key', row: key.id };
      return { kind: 'key', privateKey: this.deps.box.open(key.sealedPrivateKey, place) };
    }
    if (this.deps.agentSocket !== null) return { kind: 'agent', socket: this.deps.agentSocket };
    throw new DomainError(
      'host_auth_failed',
      `${server.name} has no SSH key, and Drover has no SSH agent; set a key with \`${shellCommand`drover server edit ${server.id} --key NAME`}\`.`,
    );
  }
}
