import type {
  HostAccess,
  HostKey,
  RemoteHost,
  RemoteHosts,
  SshAccess,
} from '../../../application/ports/fleet/remote-host.ts';

/** One `RemoteHosts` over one for each kind of access. */
export class RoutingRemoteHosts implements RemoteHosts {
  readonly #byKind: Record<HostAccess['kind'], RemoteHosts>;

  constructor(byKind: Record<HostAccess['kind'], RemoteHosts>) {
    this.#byKind = byKind;
  }

  connect(...[access, options]: Parameters<RemoteHosts['connect']>): Promise<RemoteHost> {
    return this.#byKind[access.kind].connect(access, options);
  }

  scanHostKey(access: Omit<SshAccess, 'hostKey' | 'authentication'>): Promise<HostKey> {
    return this.#byKind[access.kind].scanHostKey(access);
  }

  async closeAll(): Promise<void> {
    await Promise.all(Object.values(this.#byKind).map((hosts) => hosts.closeAll()));
  }
}
