import type { Randomness } from '../../../../application/ports/base/randomness.ts';
import type { HostStates } from '../../../../application/ports/fleet/host-states.ts';
import type { RemoteHost } from '../../../../application/ports/fleet/remote-host.ts';
import { SECOND } from '../../../../domain/base/instant.ts';
import type { HostState } from '../../../../domain/fleet/host-state.ts';
import { readSections, SECTIONS_PRELUDE } from '../shell/marked-sections.ts';
import { INSTALLED, readInstalled } from './installed-packages.ts';
import { MOUNTS, PORTS, readMounts, readPorts } from './mounts-and-ports.ts';
import { readUnits, UNITS } from './unit-states.ts';
import { readKeys, readUsers, USERS } from './users-and-keys.ts';

const SCRIPT = `${SECTIONS_PRELUDE}${INSTALLED}${UNITS}${MOUNTS}${PORTS}${USERS}
states() {
  mounts
  ports
  users
  units
  installed
}
at_once states
exit 0
`;

/** A host that does not answer holds up its inventory for no longer. */
const LIMITS = { timeoutMs: 30 * SECOND, maxOutputBytes: 8 * 1024 * 1024 };

/** Reads a host's state with one constant script, as root if the server allows it. */
export class ShellHostStates implements HostStates {
  readonly #randomness: Randomness;

  constructor({ randomness }: { randomness: Randomness }) {
    this.#randomness = randomness;
  }

  async read(host: RemoteHost, signal: AbortSignal): Promise<Omit<HostState, 'container'>> {
    const mark = Buffer.from(this.#randomness.bytes(16)).toString('hex');
    const { stdout } = await host.run({ script: SCRIPT, args: [mark], asRoot: true }, { signal, ...LIMITS });
    const sections = readSections(stdout.toString('utf8'), mark);
    return {
      package: readInstalled(sections),
      unit: readUnits(sections),
      mount: readMounts(sections),
      port: readPorts(sections),
      user: readUsers(sections),
      key: readKeys(sections),
    };
  }
}
