import type {
  HostAccess,
  HostKey,
  RemoteHost,
  RemoteHosts,
  SshAccess,
} from '../../src/application/ports/fleet/remote-host.ts';
import { DomainError } from '../../src/domain/base/errors.ts';
import { FakeHost } from './fake-host.ts';

/**
 * Hosts in memory. Each behaves as its handlers say: `hosts.host('web1').on('uname -r', () => '6.1.0\n')`. Undeclared
 * hosts do not resolve; a command that no handler matches fails the test.
 */
export class FakeRemoteHosts implements RemoteHosts {
  readonly #hosts = new Map<string, FakeHost>();
  /** Every connect that was asked for, in order. */
  readonly connects: Array<{ readonly serverName: string; readonly purpose: 'commands' | 'bulk' }> = [];

  /** The host of this name, made when first asked for. */
  host(serverName: string): FakeHost {
    const known = this.#hosts.get(serverName);
    if (known) return known;
    const made = new FakeHost(serverName);
    this.#hosts.set(serverName, made);
    return made;
  }

  async connect(
    access: HostAccess,
    options: { signal?: AbortSignal; purpose?: 'commands' | 'bulk' } = {},
  ): Promise<RemoteHost> {
    options.signal?.throwIfAborted();
    this.connects.push({ serverName: access.serverName, purpose: options.purpose ?? 'commands' });
    if (access.kind === 'local') return this.host(access.serverName).session(options.signal);
    if (access.jump) (await this.connect(access.jump, options)).release();
    const host = this.#declared(access);
    host.admit(access);
    return host.session(options.signal);
  }

  async scanHostKey(access: Omit<SshAccess, 'hostKey' | 'authentication'>): Promise<HostKey> {
    if (access.jump) (await this.connect(access.jump)).release();
    const host = this.#declared(access);
    host.assertReachable();
    return host.hostKey;
  }

  async closeAll(): Promise<void> {
    for (const host of this.#hosts.values()) host.cut();
  }

  #declared(access: { readonly serverName: string; readonly hostname: string }): FakeHost {
    const host = this.#hosts.get(access.serverName);
    if (host) return host;
    throw new DomainError('host_unreachable', `"${access.serverName}": ${access.hostname} does not resolve.`);
  }
}
