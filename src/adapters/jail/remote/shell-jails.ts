import type { JailFileSystems, JailFs, JailOptions } from '../../../application/ports/jail-fs.ts';
import type { HostAccess, RemoteHosts } from '../../../application/ports/remote-host.ts';
import { assertJail } from '../../../domain/jail-directory.ts';
import type { CommitLocks } from '../commit-locks.ts';
import { ShellJailFs } from './shell-jail-fs.ts';
import { WarmShells } from './warm-shells.ts';

export interface ShellJailsDeps {
  readonly hosts: RemoteHosts;
  /** Cryptographically strong. */
  readonly randomBytes: (count: number) => Uint8Array;
  readonly locks: CommitLocks;
}

/** Jails of hosts that commands run on. */
export class ShellJails implements JailFileSystems {
  readonly #deps: ShellJailsDeps;
  readonly #shells = new WarmShells();

  constructor(deps: ShellJailsDeps) {
    this.#deps = deps;
  }

  async open(access: HostAccess, directory: string, options: JailOptions = {}): Promise<JailFs> {
    assertJail(directory, options);
    const { hosts, randomBytes, locks } = this.#deps;
    const host = await hosts.connect(access, options);
    return new ShellJailFs({
      host,
      ask: this.#shells.of(access, host, options),
      serverId: access.serverId,
      serverName: access.serverName,
      directory,
      newMark: () => Buffer.from(randomBytes(16)).toString('hex'),
      locks,
      signal: options.signal,
    });
  }
}
