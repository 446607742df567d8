import { afterAll, expect, it } from 'vitest';
import { SshRemoteHosts } from '../../../../../src/adapters/outbound/hosts/ssh/ssh-remote-hosts.ts';
import { ShellHostStates } from '../../../../../src/adapters/outbound/hosts/state/shell-host-states.ts';
import { SystemRandomness } from '../../../../../src/adapters/outbound/system/system-randomness.ts';
import { accessTo } from '../../../../fleet/access.ts';
import { becomeFamily, FAMILY_KITS } from '../../../../fleet/families.ts';
import { useHost } from '../../../../fleet/use-host.ts';
import { describeWith } from '../../../../support/capabilities.ts';
import { managerOf } from '../packages/family-host.ts';

const { signal } = new AbortController();
const FIX = { advisory: 'DEMO-2026-1', cve: 'CVE-2026-1000', version: '1.0-1' };

describeWith(['fleet', 'families'], 'Fixes of a real package manager', () => {
  const fleetHost = useHost();
  const hosts = new SshRemoteHosts();
  const states = new ShellHostStates({ randomness: new SystemRandomness() });
  afterAll(() => hosts.closeAll());

  it.each(['fedora', 'suse'] as const)(
    'are read from what %s fetched, until they are installed',
    async (family) => {
      await fleetHost().reset();
      const kit = FAMILY_KITS[family];
      await becomeFamily(fleetHost(), family);
      await fleetHost().exec(kit.install, ['demo-app', 'demo-lib', 'demo-kernel']);
      const host = await hosts.connect(accessTo(fleetHost()));
      const fixes = async () => (await states.read(host, signal)).fixes;
      await fleetHost().exec(kit.publish, ['v2']);
      await managerOf(family).check(host, { signal, onLine: () => undefined });
      const byPackage = (await fixes())?.toSorted((a, b) => (a.package < b.package ? -1 : 1));
      expect(byPackage).toEqual([
        { ...FIX, package: 'demo-kernel', fixed: '1.1-1' },
        { ...FIX, package: 'demo-lib', fixed: '1.0-2' },
      ]);
      const update = family === 'suse' ? 'zypper -n -q update demo-lib' : 'dnf -y -q upgrade demo-lib';
      await fleetHost().exec(`${update} >/dev/null`);
      expect((await fixes())?.map((each) => each.package)).toEqual(['demo-kernel']);
    },
  );
});
