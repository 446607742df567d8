import { afterAll, beforeAll, expect, it } from 'vitest';
import { ShellHostFacts } from '../../../../../src/adapters/outbound/hosts/facts/shell-host-facts.ts';
import { SshRemoteHosts } from '../../../../../src/adapters/outbound/hosts/ssh/ssh-remote-hosts.ts';
import { SystemRandomness } from '../../../../../src/adapters/outbound/system/system-randomness.ts';
import type { RemoteHost } from '../../../../../src/application/ports/fleet/remote-host.ts';
import type { Inventory } from '../../../../../src/domain/fleet/inventory.ts';
import { type HostFactsSubject, hostFactsContract } from '../../../../contracts/host-facts.contract.ts';
import { FakeHost } from '../../../../fakes/fake-host.ts';
import { AS_DROVER, accessTo } from '../../../../fleet/access.ts';
import { installDemo, publish } from '../../../../fleet/apt-repo.ts';
import type { FleetHost } from '../../../../fleet/host.ts';
import { useHost } from '../../../../fleet/use-host.ts';
import { describeWith } from '../../../../support/capabilities.ts';

/** All files of the host by size and time, but for apt's own cache of its lists, which any use of apt may write. */
const FINGERPRINT = `find / -xdev -type f -not -path '/var/cache/apt/*.bin' -printf '%p %s %T@\\n' | sort | sha256sum`;

describeWith('fleet', 'ShellHostFacts', () => {
  const fleetHost = useHost();
  const facts = new ShellHostFacts({ randomness: new SystemRandomness() });

  async function subject(host: FleetHost, changes: object): Promise<HostFactsSubject> {
    const hosts = new SshRemoteHosts();
    return {
      facts,
      host: await hosts.connect(accessTo(host, changes)),
      other: new FakeHost('switch').on(/^/, () => '% Unknown command\r\n').session(),
      gone: new FakeHost('gone').unreachable().session(),
      fingerprint: () => host.exec(FINGERPRINT),
      close: () => hosts.closeAll(),
    };
  }

  hostFactsContract('over SSH, as root', () => subject(fleetHost(), {}));
  hostFactsContract('over SSH, as a plain user with sudo', () => subject(fleetHost(), AS_DROVER));
  hostFactsContract('over SSH, as a plain user', () => subject(fleetHost(), { username: 'drover' }));
});

describeWith('fleet', 'The facts of a real host', () => {
  const fleetHost = useHost();
  const hosts = new SshRemoteHosts();
  const facts = new ShellHostFacts({ randomness: new SystemRandomness() });
  let host: RemoteHost;
  const gather = (): Promise<Omit<Inventory, 'at'>> =>
    facts.gather(host, { signal: new AbortController().signal });

  beforeAll(async () => {
    await installDemo(fleetHost());
    host = await hosts.connect(accessTo(fleetHost()));
  });
  afterAll(() => hosts.closeAll());

  it('are what the host says elsewhere', async () => {
    const found = await gather();
    const said = async (script: string): Promise<string> => (await fleetHost().exec(script)).trim();
    expect(found).toMatchObject({
      osId: 'debian',
      osFamily: 'debian',
      osVersion: '12',
      hostname: await said('uname -n'),
      kernel: await said('uname -r'),
      cpuCores: Number(await said('nproc')),
      bootId: await said('cat /proc/sys/kernel/random/boot_id'),
      packagesCount: Number(await said("dpkg-query -W -f '.' | wc -c")),
      containerEngine: null,
      containers: null,
      failedUnits: null,
    });
    expect(found.diskTotalBytes).toBe(1024 * Number(await said('df -Pk / | tail -n 1 | awk "{print \\$2}"')));
  });

  it('take one round trip', async () => {
    const scripts: string[] = [];
    const counting: RemoteHost = {
      run: (command, options) => {
        scripts.push(command.script);
        return host.run(command, options);
      },
      open: () => Promise.reject(new Error('not asked for')),
      release: () => undefined,
    };
    await facts.gather(counting, { signal: new AbortController().signal });
    expect(scripts).toHaveLength(1);
  });

  it('name the updates that the lists of the host know, and none if it has no lists', async () => {
    await publish(fleetHost(), 'v2');
    await fleetHost().exec('apt-get -q update && apt-mark hold demo-app');
    const { updates } = await gather();
    expect(updates).toHaveLength(3);
    expect(updates).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'demo-app', from: '1.0', to: '2.0', held: true }),
        expect.objectContaining({ name: 'demo-lib', to: '1.0+deb12u1', security: true, held: false }),
      ]),
    );
    await fleetHost().exec('mv /var/lib/apt/lists /var/lib/apt/kept && mkdir /var/lib/apt/lists');
    expect((await gather()).updates).toBeNull();
    await fleetHost().exec('rm -r /var/lib/apt/lists && mv /var/lib/apt/kept /var/lib/apt/lists');
  });

  it('list packages again only where something has changed that they are listed by', async () => {
    const signal = new AbortController().signal;
    await fleetHost().exec('apt-get -q update');
    const { packagesStamp, updates } = await gather();
    expect(packagesStamp).toMatch(/^[0-9a-f]{64}$/);
    expect(updates).toHaveLength(3);
    const former = {
      packagesStamp,
      packagesCount: 7,
      updates: [],
      packagesNotes: ['as it was'],
      packageLists: null,
    };
    const spared = async (): Promise<boolean> => {
      const found = await facts.gather(host, { signal, former });
      const { packagesCount, packagesNotes } = found;
      expect(found.updates).toHaveLength(packagesCount === 7 ? 0 : 3);
      return packagesCount === 7 && packagesNotes[0] === 'as it was';
    };
    expect(await spared()).toBe(true);
    await fleetHost().exec('apt-get -q update');
    expect(await spared()).toBe(true);
    const changes = [
      ['apt-mark unhold demo-app', 'apt-mark hold demo-app'],
      ['echo "Package: x" >/etc/apt/preferences.d/x', 'rm /etc/apt/preferences.d/x'],
      ['echo "# x" >/etc/apt/sources.list.d/x.list', 'rm /etc/apt/sources.list.d/x.list'],
      ['echo "APT::X 1;" >/etc/apt/apt.conf.d/x', 'rm /etc/apt/apt.conf.d/x'],
      ['touch /var/lib/dpkg/status', 'true'],
    ] as const;
    for (const [change, back] of changes) {
      await fleetHost().exec(change);
      expect(await spared(), change).toBe(false);
      await fleetHost().exec(back);
    }
    await fleetHost().exec('echo "Dir::Etc::Preferences "/x";" >/etc/apt/apt.conf.d/x');
    expect((await gather()).packagesStamp).toBeNull();
    await fleetHost().exec('rm /etc/apt/apt.conf.d/x');
  });

  it('tell a reboot that a package asked for', async () => {
    expect((await gather()).rebootPending).toBe(false);
    await fleetHost().exec('touch /run/reboot-required');
    expect((await gather()).rebootPending).toBe(true);
  });

  it('hold whatever the names of containers and mounts say', async () => {
    const forged = String.raw`["web\n0 begin reboot\nflag","running","a \u001b[31mred image","Up","p","s","/srv/$(touch /x)","; touch /x"]`;
    await fleetHost().writeFile(
      '/usr/local/bin/docker',
      `#!/bin/sh\ncat <<'END'\n${forged}\nnot json\n${'x'.repeat(9_000)}\nEND\n`,
    );
    await fleetHost().exec('chmod 755 /usr/local/bin/docker; rm -f /run/reboot-required');
    const found = await gather();
    expect(found.rebootPending).toBe(false);
    expect(found.containerEngine).toBe('docker');
    expect(found.containers).toEqual([
      {
        id: null,
        name: 'web 0 begin reboot flag',
        state: 'running',
        running: true,
        image: '',
        status: 'Up',
        project: 'p',
        service: 's',
        path: '/srv/$(touch /x)',
        update: null,
      },
    ]);
    expect((await fleetHost().tryExec('test -e /x')).code).toBe(1);
  });
});
