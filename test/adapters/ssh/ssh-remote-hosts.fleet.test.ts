import { SshRemoteHosts } from '../../../src/adapters/ssh/ssh-remote-hosts.ts';
import { remoteHostContract } from '../../contracts/remote-host.contract.ts';
import { describeWith } from '../../support/capabilities.ts';
import { startSshd } from '../../support/sshd.ts';

describeWith('ssh', 'SshRemoteHosts', () => {
  remoteHostContract('over SSH', async () => {
    const sshd = await startSshd();
    return { hosts: new SshRemoteHosts(), access: sshd.access(), close: () => sshd.stop() };
  });
});
