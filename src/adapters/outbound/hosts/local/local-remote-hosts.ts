import type {
  HostAccess,
  HostKey,
  RemoteHost,
  RemoteHosts,
} from '../../../../application/ports/fleet/remote-host.ts';
import { DomainError } from '../../../../domain/base/errors.ts';
import { LocalHost, type LocalHostOptions } from './local-host.ts';
import type { LocalProcess } from './local-process.ts';

const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Runs commands on the machine that the service runs on, as the service's own user. */
export class LocalRemoteHosts implements RemoteHosts {
  readonly #options: LocalHostOptions;
  readonly #running = new Set<LocalProcess>();

  constructor(options: Partial<LocalHostOptions> = {}) {
    this.#options = { path: SYSTEM_PATH, isRoot: process.getuid?.() === 0, ...options };
  }

  async connect(access: HostAccess, options: { signal?: AbortSignal } = {}): Promise<RemoteHost> {
    options.signal?.throwIfAborted();
    if (access.kind !== 'local') throw new TypeError(`"${access.serverName}" is not this machine`);
    return new LocalHost(access, this.#options, this.#running);
  }

  async scanHostKey(access: { readonly serverName: string }): Promise<HostKey> {
    const detail = `"${access.serverName}" is this machine itself: it is reached without SSH and has no host key to confirm.`;
    throw new DomainError('host_unsupported', detail);
  }

  async closeAll(): Promise<void> {
    await Promise.all(Array.from(this.#running, (running) => running.abandon()));
  }
}
