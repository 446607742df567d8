import { describe, expect, it } from 'vitest';
import { RoutingRemoteHosts } from '../../../../src/adapters/outbound/hosts/routing-remote-hosts.ts';
import { FakeRemoteHosts } from '../../../fakes/fake-remote-hosts.ts';

describe('RoutingRemoteHosts', () => {
  it('sends each access to the hosts of its kind', async () => {
    const ssh = new FakeRemoteHosts();
    const local = new FakeRemoteHosts();
    const web1 = ssh.host('web1').on('where', () => 'ssh');
    local.host('self').on('where', () => 'local');
    const hosts = new RoutingRemoteHosts({ ssh, local });
    const accesses = [
      web1.access(),
      { kind: 'local', serverId: 2, serverName: 'self', become: 'none' },
    ] as const;
    const answers = accesses.map(async (access) => {
      const result = await (await hosts.connect(access)).run({ script: 'where' });
      return result.stdout.toString();
    });
    expect(await Promise.all(answers)).toEqual(['ssh', 'local']);
    expect(await hosts.scanHostKey(web1.access())).toEqual(web1.hostKey);
  });

  it('closes all of them', async () => {
    const ssh = new FakeRemoteHosts();
    const local = new FakeRemoteHosts();
    const hosts = new RoutingRemoteHosts({ ssh, local });
    const hanging = [ssh, local].map(async (each) => {
      const host = await each.connect(
        each
          .host('x')
          .on('hang', () => new Promise<void>(() => undefined))
          .access(),
      );
      return (await host.open({ script: 'hang' })).exit;
    });
    await new Promise((resolve) => setImmediate(resolve));
    await hosts.closeAll();
    const ends = await Promise.allSettled(hanging);
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});
