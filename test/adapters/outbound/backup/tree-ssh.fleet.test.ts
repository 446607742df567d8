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
import { LocalWorld } from './local-world.ts';

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
    return LocalWorld.create({ host });
  });

  it('sends of a large file that changed a little only what differs', async () => {
    const wire = await TcpProxy.start(sshd.port);
    const world = await LocalWorld.create({
      host: await hosts.connect(sshd.access({ port: wire.port }), { purpose: 'bulk' }),
    });
    try {
      const root = join(world.directory, 'src');
      const content = randomBytes(96 * MIB);
      await world.write(join(root, 'large'), content);
      await world.write(join(root, 'small'), 'as it was');
      const source = sourceOf([root]);
      const first = await world.engine.backup(requestFor(world.host, source), new Witness());
      const was = await fingerprint(world.filesOf(first));
      randomBytes(1024).copy(content, 40 * MIB);
      await world.write(join(root, 'large'), Buffer.concat([content, randomBytes(1024)]));
      const before = wire.received;
      const second = await world.engine.backup(requestFor(world.host, source), new Witness());
      expect(wire.received - before).toBeLessThan(4 * MIB);
      expect(second.transferredBytes).toBeLessThan(2 * MIB);
      expect(await fingerprint(join(world.filesOf(second), root))).toEqual(await fingerprint(root));
      expect(await fingerprint(world.filesOf(first))).toEqual(was);
      await world.engine.verify(checkOf(second, world.host), new Witness());
    } finally {
      await world.close();
      await wire.stop();
    }
  });

  it('says that the connection was lost, and goes on from there on a new one', async () => {
    const wire = await TcpProxy.start(sshd.port);
    const world = await LocalWorld.create({
      host: await hosts.connect(sshd.access({ port: wire.port }), { purpose: 'bulk' }),
    });
    try {
      const root = join(world.directory, 'src');
      await mkdir(root);
      await world.write(join(root, 'large'), randomBytes(64 * MIB));
      const source = sourceOf([root]);
      const watch = new Witness();
      wire.cutAfter(16 * MIB);
      const running = world.engine.backup(requestFor(world.host, source), watch);
      await expectRefusal(running, 'host_connection_lost');
      expect(await world.engine.published(source)).toEqual([]);
      const again = await hosts.connect(sshd.access(), { purpose: 'bulk' });
      const made = await world.engine.backup(requestFor(again, source), watch);
      expect(await fingerprint(join(world.filesOf(made), root))).toEqual(await fingerprint(root));
      const directory = join(world.directory, 'back');
      const request = { snapshot: listed(made), directory, host: again, subpaths: [], overwrite: false };
      expect(await world.engine.restore(request, watch)).toEqual({ files: 1, bytes: 64 * MIB });
      await rm(directory, { recursive: true });
    } finally {
      await world.close();
      await wire.stop();
    }
  });
});
