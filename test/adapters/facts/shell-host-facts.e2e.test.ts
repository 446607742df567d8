import { afterAll, describe, expect, it } from 'vitest';
import { ShellHostFacts } from '../../../src/adapters/facts/shell-host-facts.ts';
import { LocalRemoteHosts } from '../../../src/adapters/local/local-remote-hosts.ts';
import { SystemRandomness } from '../../../src/adapters/system/system-randomness.ts';
import type { LocalAccess, RemoteHost } from '../../../src/application/ports/remote-host.ts';
import type { Inventory } from '../../../src/domain/inventory.ts';
import { POSIX_SHELLS } from '../../support/posix-shells.ts';

const ACCESS: LocalAccess = { kind: 'local', serverId: 1, serverName: 'here', become: 'none' };

/** The machine with another `sh`. */
const withShell = (host: RemoteHost, shell: readonly string[]): RemoteHost => ({
  ...host,
  run: ({ script, args = [] }, options) =>
    host.run({ script: 'exec "$@"', args: [...shell, '-c', script, 'drover', ...args] }, options),
});

const lasting = ({
  cpuLoad: _load,
  uptimeSeconds: _uptime,
  memoryUsedBytes: _memory,
  ...found
}: Omit<Inventory, 'at'>) => ({
  ...found,
  diskUsedBytes: null,
  disks: found.disks.map(({ mount, filesystem, totalBytes }) => ({ mount, filesystem, totalBytes })),
});

describe('The facts of this machine', () => {
  const hosts = new LocalRemoteHosts();
  const facts = new ShellHostFacts({ randomness: new SystemRandomness() });
  const { signal } = new AbortController();
  afterAll(() => hosts.closeAll());

  it('are the same with every shell', async () => {
    const host = await hosts.connect(ACCESS);
    const expected = lasting(await facts.gather(host, { signal }));
    expect(expected.osType).toBe('linux');
    for (const shell of POSIX_SHELLS) {
      const found = await facts.gather(withShell(host, shell), { signal });
      expect(lasting(found), shell.join(' ')).toEqual(expected);
    }
  });
});
