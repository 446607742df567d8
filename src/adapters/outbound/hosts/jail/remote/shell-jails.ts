import type { ProtectedPlaces } from '../../../../../application/ports/backups/protected-places.ts';
import type { JailFileSystems, JailFs, JailOptions } from '../../../../../application/ports/files/jail-fs.ts';
import type {
  HostAccess,
  RemoteHost,
  RemoteHosts,
} from '../../../../../application/ports/fleet/remote-host.ts';
import { DomainError } from '../../../../../domain/base/errors.ts';
import { MINUTE } from '../../../../../domain/base/instant.ts';
import { assertJail } from '../../../../../domain/files/jail-directory.ts';
import type { CommitLocks } from '../commit-locks.ts';
import { ShellJailFs } from './shell-jail-fs.ts';
import { keyOf, WarmShells } from './warm-shells.ts';

/** How long it is believed that a directory has nothing of the service's own. */
const TRUST_MS = MINUTE;
const MAX_TRUSTED = 10_000;

export interface ShellJailsDeps {
  readonly hosts: RemoteHosts;
  /** Cryptographically strong. */
  readonly randomBytes: (count: number) => Uint8Array;
  readonly locks: CommitLocks;
  /** The service's own places, if a host is the machine that it runs on. */
  readonly places: ProtectedPlaces;
  readonly now: () => number;
}

/** Jails of hosts that commands run on. */
export class ShellJails implements JailFileSystems {
  readonly #deps: ShellJailsDeps;
  readonly #shells = new WarmShells();
  /** Until when each is. */
  readonly #trusted = new Map<string, number>();

  constructor(deps: ShellJailsDeps) {
    this.#deps = deps;
  }

  async open(access: HostAccess, directory: string, options: JailOptions = {}): Promise<JailFs> {
    assertJail(directory, options);
    const { hosts, randomBytes, locks } = this.#deps;
    const host = await hosts.connect(access, options);
    try {
      await this.#refuseOwn(host, access, directory, options.signal);
    } catch (error) {
      host.release();
      throw error;
    }
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

  /**
   * A shell knows paths, and not what the service has open: over SSH, file tools do not work in a directory that
   * contains something of the service's own.
   */
  async #refuseOwn(
    host: RemoteHost,
    access: HostAccess,
    directory: string,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<void> {
    const { places, now } = this.#deps;
    const key = `${keyOf(access)} ${directory}`;
    if (now() < (this.#trusted.get(key) ?? 0)) return;
    const { inside, below } = await places.survey(host, [directory], { signal });
    const found = inside ?? below[0];
    if (found) {
      throw new DomainError(
        'jail_unusable',
        `The file root ${directory} of ${access.serverName} is on the machine that the service runs on, and has ${found.what} in it or around it. Use the server of the kind "local" for that machine, or another directory.`,
      );
    }
    if (this.#trusted.size >= MAX_TRUSTED) this.#trusted.clear();
    this.#trusted.set(key, now() + TRUST_MS);
  }
}
