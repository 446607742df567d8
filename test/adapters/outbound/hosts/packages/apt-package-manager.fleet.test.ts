import { expect, it } from 'vitest';
import { APT_ARCHITECTURES } from '../../../../../src/adapters/outbound/hosts/packages/apt/apt-listing.ts';
import { SshRemoteHosts } from '../../../../../src/adapters/outbound/hosts/ssh/ssh-remote-hosts.ts';
import { packageManagerContract } from '../../../../contracts/package-manager.contract.ts';
import { AS_DROVER, accessTo } from '../../../../fleet/access.ts';
import { useHosts } from '../../../../fleet/use-host.ts';
import { describeWith } from '../../../../support/capabilities.ts';
import { aptSubject } from './apt-host.ts';

describeWith('fleet', 'AptPackageManager', () => {
  const fleetHosts = useHosts(1);

  for (const [who, changes] of [
    ['as root', {}],
    ['as a plain user with sudo', AS_DROVER],
  ] as const) {
    packageManagerContract(`apt over SSH, ${who}`, async () => {
      const [fleetHost] = fleetHosts();
      if (!fleetHost) throw new Error('no host');
      const hosts = new SshRemoteHosts();
      return aptSubject(fleetHost, hosts, await hosts.connect(accessTo(fleetHost, changes)));
    });
  }

  it.each([
    ['without others', '', /^ -o APT::Architectures::=\w+$/],
    ['with another', 'dpkg --add-architecture s390x', /^ -o APT::Architectures::=\w+ -o .*=s390x$/],
    ['whose settings name some', `echo 'APT::Architectures "armhf";' >/etc/apt/apt.conf.d/98arch`, /^$/],
  ])('tells apt of the architectures that it knows itself, on a host %s', async (_, arrange, told) => {
    const [fleetHost] = fleetHosts();
    const [options = '', withThem, without] =
      (
        await fleetHost?.exec(`${arrange}
        ${APT_ARCHITECTURES}
        known() { apt-config "$@" dump | grep ^APT::Architectures:: | tr '\\n' ' '; }
        apt_know_architectures
        printf '%s\\n%s\\n%s\\n' "$apt_architectures" "$(known $apt_architectures)" "$(known)"`)
      )?.split('\n') ?? [];
    expect(options).toMatch(told);
    expect(withThem).toBe(without);
    expect(withThem).toMatch(/\w/);
  });
});
