import { randomBytes } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SshRemoteHosts } from '../../../../src/adapters/outbound/hosts/ssh/ssh-remote-hosts.ts';
import {
  backupEngineContract,
  checkOf,
  listed,
  requestFor,
  sourceOf,
  Witness,
} from '../../../contracts/backup-engine.contract.ts';
import { describeWith } from '../../../support/capabilities.ts';
import { expectRefusal } from '../../../support/expect-refusal.ts';
import { type Sshd, startSshd } from '../../../support/sshd.ts';
import { TcpProxy } from '../../../support/tcp-proxy.ts';
import { fingerprint } from './fingerprint.ts';
import { LocalFixture } from './local-fixture.ts';

const MIB = 1024 * 1024;

describeWith(['rsync', 'ssh'], 'over SSH', () => {
  let sshd: Sshd;
  let hosts: SshRemoteHosts;
  beforeAll(async () => {
    sshd = await startSshd();
    hosts = new SshRemoteHosts();
  });
  afterAll(async () => {
    await hosts.closeAll();
    await sshd.stop();
  });

  backupEngineContract('rsync over SSH', async () => {
    const host = await hosts.connect(sshd.access(), { purpose: 'bulk' });
    return LocalFixture.create({ host });
  });

  it('sends of a large file that changed a little only what differs', async () => {
    const wire = await TcpProxy.start(sshd.port);
    const fixture = await LocalFixture.create({
      host: await hosts.connect(sshd.access({ port: wire.port }), { purpose: 'bulk' }),
    });
    try {
      const root = join(fixture.directory, 'src');
      const content = randomBytes(96 * MIB);
      await fixture.write(join(root, 'large'), content);
      await fixture.write(join(root, 'small'), 'as it was');
      const source = sourceOf([root]);
      const first = await fixture.engine.backup(requestFor(fixture.host, source), new Witness());
      const was = await fingerprint(fixture.filesOf(first));
      randomBytes(1024).copy(content, 40 * MIB);
      await fixture.write(join(root, 'large'), Buffer.concat([content, randomBytes(1024)]));
      const before = wire.received;
      const second = await fixture.engine.backup(requestFor(fixture.host, source), new Witness());
      expect(wire.received - before).toBeLessThan(4 * MIB);
      expect(second.transferredBytes).toBeLessThan(2 * MIB);
      expect(await fingerprint(join(fixture.filesOf(second), root))).toEqual(await fingerprint(root));
      expect(await fingerprint(fixture.filesOf(first))).toEqual(was);
      await fixture.engine.verify(checkOf(second, fixture.host), new Witness());
    } finally {
      await fixture.close();
      await wire.stop();
    }
  });

  it('says that the connection was lost, and goes on from there on a new one', async () => {
    const wire = await TcpProxy.start(sshd.port);
    const fixture = await LocalFixture.create({
      host: await hosts.connect(sshd.access({ port: wire.port }), { purpose: 'bulk' }),
    });
    try {
      const root = join(fixture.directory, 'src');
      await mkdir(root);
      await fixture.write(join(root, 'large'), randomBytes(64 * MIB));
      const source = sourceOf([root]);
      const watch = new Witness();
      wire.cutAfter(16 * MIB);
      const running = fixture.engine.backup(requestFor(fixture.host, source), watch);
      await expectRefusal(running, 'host_connection_lost');
      expect(await fixture.engine.published(source)).toEqual([]);
      const again = await hosts.connect(sshd.access(), { purpose: 'bulk' });
      const made = await fixture.engine.backup(requestFor(again, source), watch);
      expect(await fingerprint(join(fixture.filesOf(made), root))).toEqual(await fingerprint(root));
      const directory = join(fixture.directory, 'back');
      const request = { snapshot: listed(made), directory, host: again, subpaths: [], overwrite: false };
      expect(await fixture.engine.restore(request, watch)).toEqual({ files: 1, bytes: 64 * MIB });
      await rm(directory, { recursive: true });
    } finally {
      await fixture.close();
      await wire.stop();
    }
  });
});
