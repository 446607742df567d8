import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ShellHostFacts } from '../../../../../src/adapters/outbound/hosts/facts/shell-host-facts.ts';
import { LocalRemoteHosts } from '../../../../../src/adapters/outbound/hosts/local/local-remote-hosts.ts';
import { SystemRandomness } from '../../../../../src/adapters/outbound/system/system-randomness.ts';
import type { LocalAccess, RemoteHost } from '../../../../../src/application/ports/fleet/remote-host.ts';
import type { Inventory } from '../../../../../src/domain/fleet/inventory.ts';
import { POSIX_SHELLS } from '../../../../support/posix-shells.ts';

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
  activity,
  ...found
}: Omit<Inventory, 'at'>) => ({
  ...found,
  // Counters grow from one reading to the next: which of them are known lasts.
  activity: Object.entries(activity ?? {}).map(([name, value]) => [name, value === null]),
  diskUsedBytes: null,
  disks: found.disks.map(({ mount, filesystem, totalBytes }) => ({ mount, filesystem, totalBytes })),
});

/** Making a plan of this machine's own updates takes apt seconds, each time. */
const APT = `#!/bin/sh
echo '0 upgraded, 0 newly installed, 0 to remove and 0 not upgraded.'
`;
const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

describe('The facts of this machine', () => {
  let programs: string;
  let hosts: LocalRemoteHosts;
  const facts = new ShellHostFacts({ randomness: new SystemRandomness() });
  const { signal } = new AbortController();

  beforeAll(async () => {
    programs = await mkdtemp(join(tmpdir(), 'drover-programs-'));
    await writeFile(join(programs, 'apt-get'), APT, { mode: 0o755 });
    hosts = new LocalRemoteHosts({ path: `${programs}:${SYSTEM_PATH}` });
  });
  afterAll(async () => {
    await hosts.closeAll();
    await rm(programs, { recursive: true });
  });

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
