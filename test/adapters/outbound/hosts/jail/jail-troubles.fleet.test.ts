import { afterAll, describe } from 'vitest';
import { SshRemoteHosts } from '../../../../../src/adapters/outbound/hosts/ssh/ssh-remote-hosts.ts';
import { jailTroubles } from '../../../../contracts/jail-troubles.contract.ts';
import { accessTo } from '../../../../fleet/access.ts';
import { useHost } from '../../../../fleet/use-host.ts';
import { describeWith } from '../../../../support/capabilities.ts';
import { ChildJails } from '../../../../support/child-jails.ts';
import { runHere, runOn } from '../../../../support/jail-fixture.ts';
import { HERE, jailRoot, shellJails } from './here.ts';

describeWith('fleet', 'jails over SSH on a troubled file system', () => {
  const host = useHost();
  const hosts = new SshRemoteHosts();
  afterAll(() => hosts.closeAll());

  jailTroubles(async () => {
    const root = '/srv/troubled';
    await host().exec('mkdir "$1"', [root]);
    return { root, run: runOn(host(), 'root'), fs: await shellJails(hosts).open(accessTo(host()), root) };
  });
});

describeWith('root', 'jails of this machine on a troubled file system', () => {
  const close: Array<() => Promise<unknown>> = [];
  afterAll(async () => {
    for (const each of close) await each();
  });

  describe('by descriptors', () => {
    jailTroubles(async () => {
      const { root, remove } = await jailRoot();
      // the mount is visible to that process alone, and ends with it
      const jails = await ChildJails.start({ through: ['unshare', '--mount', '--propagation', 'private'] });
      close.push(() => jails.kill(), remove);
      const within = 'exec nsenter -t "$1" --mount -- bash -c "$2" bash "${@:3}"';
      const run: typeof runHere = (script, args, input) =>
        runHere(within, [String(jails.pid), script, ...args], input);
      return { root, run, fs: await jails.open(HERE, root) };
    });
  });
});
