import { SshKeyMaker } from '../../../../../src/adapters/outbound/hosts/ssh/ssh-keys.ts';
import { SshRemoteHosts } from '../../../../../src/adapters/outbound/hosts/ssh/ssh-remote-hosts.ts';
import { remoteHostContract } from '../../../../contracts/remote-host.contract.ts';
import { remoteHostsContract } from '../../../../contracts/remote-hosts.contract.ts';
import { fakeHostKey } from '../../../../fakes/fake-host-key.ts';
import { describeWith } from '../../../../support/capabilities.ts';
import { freePort } from '../../../../support/free-port.ts';
import { startSshd } from '../../../../support/sshd.ts';
import { TcpProxy } from '../../../../support/tcp-proxy.ts';

describeWith('ssh', 'SshRemoteHosts', () => {
  remoteHostContract('over SSH', async () => {
    const sshd = await startSshd();
    return { hosts: new SshRemoteHosts(), access: sshd.access(), close: () => sshd.stop() };
  });

  remoteHostsContract('over SSH', async () => {
    const [sshd, inner] = await Promise.all([startSshd(), startSshd()]);
    const wire = await TcpProxy.start(sshd.port);
    const stranger = await new SshKeyMaker().generate('stranger');
    const access = sshd.access({ port: wire.port });
    return {
      hosts: new SshRemoteHosts(),
      access,
      otherKey: fakeHostKey('other'),
      refused: { ...access, authentication: { kind: 'key', privateKey: stranger.privateKey } },
      unreachable: { ...access, port: await freePort() },
      beyond: inner.access(),
      cut: () => wire.cut(),
      close: async () => {
        await wire.stop();
        await Promise.all([sshd.stop(), inner.stop()]);
      },
    };
  });
});
