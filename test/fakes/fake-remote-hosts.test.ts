import { describe, expect, it } from 'vitest';
import { remoteHostContract } from '../contracts/remote-host.contract.ts';
import { remoteHostsContract } from '../contracts/remote-hosts.contract.ts';
import { teachContract } from './contract-handlers.ts';
import { FakeRemoteHosts } from './fake-remote-hosts.ts';

remoteHostContract('fake', async () => {
  const hosts = new FakeRemoteHosts();
  return { hosts, access: teachContract(hosts.host('web1')).access(), close: async () => undefined };
});

remoteHostsContract('fake', async () => {
  const hosts = new FakeRemoteHosts();
  const web1 = teachContract(hosts.host('web1')).refuseLogin('nobody');
  hosts.host('down').unreachable();
  return {
    hosts,
    access: web1.access(),
    otherKey: hosts.host('other').hostKey,
    refused: web1.access({ username: 'nobody' }),
    unreachable: hosts.host('down').access(),
    beyond: teachContract(hosts.host('inner')).access(),
    cut: () => web1.cut(),
    close: async () => undefined,
  };
});

describe('FakeRemoteHosts', () => {
  it('records what hosts were asked to run', async () => {
    const hosts = new FakeRemoteHosts();
    const web1 = hosts.host('web1').on(/^uname/, () => 'Linux\n');
    const host = await hosts.connect(web1.access(), { purpose: 'bulk' });
    const result = await host.run({ script: 'uname -s', args: ['x'], stdin: 'in', asRoot: true });
    expect(result.stdout.toString()).toBe('Linux\n');
    expect(web1.commands).toEqual([
      { script: 'uname -s', args: ['x'], asRoot: true, stdin: Buffer.from('in') },
    ]);
    expect(hosts.connects).toEqual([{ serverName: 'web1', purpose: 'bulk' }]);
  });

  it('fails loudly on an unexpected command', async () => {
    const hosts = new FakeRemoteHosts();
    const host = await hosts.connect(hosts.host('web1').access());
    await expect(host.run({ script: 'reboot' })).rejects.toThrow(/no handler for: reboot/);
  });

  it('passes on what a handler throws', async () => {
    const hosts = new FakeRemoteHosts();
    const web1 = hosts.host('web1').on('x', () => {
      throw new TypeError('a fault in a handler');
    });
    await expect((await hosts.connect(web1.access())).run({ script: 'x' })).rejects.toThrow(TypeError);
  });
});
