import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SshRemoteHosts } from '../../../../src/adapters/outbound/hosts/ssh/ssh-remote-hosts.ts';
import type { RemoteHost, SshAccess } from '../../../../src/application/ports/fleet/remote-host.ts';
import { checkOf, listed, requestFor, sourceOf, Witness } from '../../../contracts/backup-engine.contract.ts';
import { useHost } from '../../../fleet/use-host.ts';
import { describeWith } from '../../../support/capabilities.ts';
import { expectRefusal } from '../../../support/expect-refusal.ts';
import { LocalFixture } from './local-fixture.ts';

const MIB = 1024 * 1024;
/** An ACL that lets user 1234 read, in the form of linux/posix_acl_xattr.h, and a custom attribute. */
const GIVE = `import os, struct, sys
acl = struct.pack('<I', 2)
for tag, perm, who in ((1, 6, 0xffffffff), (2, 4, 1234), (4, 4, 0xffffffff), (16, 4, 0xffffffff), (32, 0, 0xffffffff)):
    acl += struct.pack('<HHI', tag, perm, who)
os.setxattr(sys.argv[1], 'system.posix_acl_access', acl)
os.setxattr(sys.argv[1], 'user.origin', b'here')`;
const TELL = `import os, sys
for name in sorted(os.listxattr(sys.argv[1])): print(name, os.getxattr(sys.argv[1], name).hex())`;

describeWith(['fleet', 'rsync'], 'a backup of a real host', () => {
  const host = useHost();
  let hosts: SshRemoteHosts;
  let fixture: LocalFixture;
  let root: string;
  let number = 0;

  beforeEach(async () => {
    // a host without power says nothing
    hosts = new SshRemoteHosts({ keepaliveIntervalMs: 500, keepaliveCount: 4 });
    fixture = await LocalFixture.create();
    number += 1;
    root = `/srv/tree-${number}`;
  });
  afterEach(async () => {
    await hosts.closeAll();
    await fixture.close();
  });

  const connect = (changes: Partial<SshAccess> = {}): Promise<RemoteHost> => {
    const { name, address, port, username, privateKey, hostKey } = host();
    const access: SshAccess = {
      kind: 'ssh',
      serverId: 7,
      serverName: name,
      hostname: address,
      port,
      username,
      authentication: { kind: 'key', privateKey },
      hostKey,
      become: 'none',
      jump: null,
      ...changes,
    };
    return hosts.connect(access, { purpose: 'bulk' });
  };

  it('reads through sudo what the login user may not, and names it without sudo', async () => {
    await host().writeFile(`${root}/secret`, 'for root');
    await host().exec('chmod 600 "$1"/secret && chown 1234:4321 "$1"/secret', [root]);
    const source = sourceOf([root]);
    const plain = await connect({ username: 'drover' });
    const refused = await expectRefusal(
      fixture.engine.backup(requestFor(plain, source), new Witness()),
      'backup_failed',
    );
    expect(refused.message).toContain(`${root}/secret`);
    const sudo = await connect({ username: 'drover', become: 'sudo' });
    const made = await fixture.engine.backup(requestFor(sudo, source), new Witness());
    expect(await fixture.read(join(fixture.filesOf(made), root, 'secret'))).toBe('for root');

    await host().exec('rm -r "$1"', [root]);
    const request = { snapshot: listed(made), directory: '/', host: sudo, subpaths: [], overwrite: true };
    expect(await fixture.engine.restore(request, new Witness())).toEqual({ files: 1, bytes: 8 });
    expect(await host().exec('stat -c "%a %u %g" "$1"/secret', [root])).toBe('600 1234 4321\n');
    expect(await host().readFile(`${root}/secret`)).toBe('for root');
  });

  it('keeps ACLs, capabilities and own attributes, and restores them', async () => {
    await host().writeFile(`${root}/file`, 'content');
    await host().writeFile(`${root}/program`, 'x');
    await host().exec('setcap cap_net_raw=ep "$1"/program && python3 -c "$2" "$1"/file', [root, GIVE]);
    const kept = (): Promise<string> =>
      host().exec('getcap "$1"/program; python3 -c "$2" "$1"/file', [root, TELL]);
    const given = await kept();
    expect(given).toContain('cap_net_raw=ep');
    expect(given).toContain('system.posix_acl_access');
    const source = sourceOf([root]);
    const there = await connect();
    const watch = new Witness();
    const made = await fixture.engine.backup(requestFor(there, source), watch);
    expect(watch.text).not.toMatch(/attributes are not kept|going on without/);
    const again = await fixture.engine.backup(requestFor(there, source), watch);
    expect(watch.text).toContain('2 unchanged files are hard-linked');
    for (const snapshot of [made, again]) {
      await host().exec('rm -r "$1"', [root]);
      const order = {
        snapshot: listed(snapshot),
        directory: '/',
        host: there,
        subpaths: [],
        overwrite: true,
      };
      await fixture.engine.restore(order, new Witness());
      expect(await kept()).toBe(given);
    }
  });

  it('backs up and restores without attributes where the tar of the host knows none', async () => {
    await host().writeFile(`${root}/file`, 'content');
    await host().exec('python3 -c "$2" "$1"/file', [root, GIVE]);
    const lacking = `#!/bin/sh
case " $* " in
  *' --version '*) echo 'tar (another)' ;;
  *) exec /usr/bin/tar "$@" ;;
esac
`;
    await host().writeFile('/usr/local/bin/tar', lacking);
    await host().exec('chmod 755 /usr/local/bin/tar');
    const there = await connect();
    const watch = new Witness();
    const made = await fixture.engine.backup(requestFor(there, sourceOf([root])), watch);
    expect(watch.text).toContain('ACLs and extended attributes are not kept');
    const order = { snapshot: listed(made), directory: '/', host: there, subpaths: [], overwrite: true };
    await fixture.engine.restore(order, new Witness());
    // files that the snapshot does not know stay as they are
    expect(await host().exec('python3 -c "$2" "$1"/file', [root, TELL])).toContain('system.posix_acl_access');
    await host().exec('rm /usr/local/bin/tar');
  });

  it('fails when the host loses its power, and goes on when it is back', async () => {
    await host().writeFile(`${root}/large`, randomBytes(48 * MIB));
    const source = sourceOf([root]);
    const { signal, log } = new Witness();
    let isOff: Promise<void> | undefined;
    // about two seconds for the file, so that the power fails during it
    await host().exec('tc qdisc replace dev eth0 root tbf rate 200mbit burst 64kb latency 200ms');
    const progress = (current: string, percent: number | null): void => {
      if (current === 'Transferring' && percent) isOff ??= host().powerOff();
    };
    const running = fixture.engine.backup(requestFor(await connect(), source), { signal, log, progress });
    await expectRefusal(running, 'host_connection_lost');
    await isOff;
    expect(await fixture.engine.published(source)).toEqual([]);
    await host().start();
    const made = await fixture.engine.backup(requestFor(await connect(), source), new Witness());
    expect(made.fileCount).toBe(1);
    await fixture.engine.verify(checkOf(made, fixture.host), new Witness());
  });
});
