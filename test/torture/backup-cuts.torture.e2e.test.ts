import { randomBytes, randomInt } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SshRemoteHosts } from '../../src/adapters/outbound/hosts/ssh/ssh-remote-hosts.ts';
import { isDomainError } from '../../src/domain/base/errors.ts';
import { fingerprint } from '../adapters/outbound/backup/fingerprint.ts';
import { LocalWorld } from '../adapters/outbound/backup/local-world.ts';
import { checkOf, listed, requestFor, sourceOf, Witness } from '../contracts/backup-engine.contract.ts';
import { describeWith } from '../support/capabilities.ts';
import { rounds } from '../support/rounds.ts';
import { type Sshd, startSshd } from '../support/sshd.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';

const MIB = 1024 * 1024;
const CUTS = rounds(4, 60);

describeWith('ssh', 'a backup over a connection that is cut', () => {
  let sshd: Sshd;
  let wire: TcpProxy;
  let hosts: SshRemoteHosts;
  let world: LocalWorld;

  beforeAll(async () => {
    sshd = await startSshd();
    wire = await TcpProxy.start(sshd.port);
    hosts = new SshRemoteHosts();
    const host = await hosts.connect(sshd.access(), { purpose: 'bulk' });
    world = await LocalWorld.create({ host });
  });
  afterAll(async () => {
    await hosts.closeAll();
    await world.close();
    await wire.stop();
    await sshd.stop();
  });

  it(`${CUTS} times at any byte, lists no half snapshot, and the next one is whole`, async () => {
    const root = join(world.directory, 'src');
    const source = sourceOf([root]);
    const snapshots = join(world.root, '7', String(source.id), 'snapshots');
    for (let index = 0; index < 300; index += 1)
      await world.write(join(root, `d${index % 9}/f${index}`), randomBytes(randomInt(8_000)));
    let cut = 0;
    for (let round = 0; cut < CUTS; round += 1) {
      await world.write(join(root, `d${round % 9}/f${randomInt(300)}`), randomBytes(randomInt(8_000)));
      await world.write(join(root, 'large'), randomBytes(6 * MIB));
      const far = await hosts.connect(sshd.access({ port: wire.port }), { purpose: 'bulk' });
      // in the listing, or in the transfer
      wire.cutAfter(randomInt(round % 3 === 0 ? 60_000 : 6 * MIB));
      const ended = await world.engine.backup(requestFor(far, source), new Witness()).catch((error) => error);
      if (isDomainError(ended, 'host_connection_lost')) cut += 1;
      else expect(ended).not.toBeInstanceOf(Error);
      wire.cut();
      const published = await world.engine.published(source);
      expect(published.map(({ name }) => name)).toEqual((await readdir(snapshots)).sort());
      const made = await world.engine.backup(requestFor(world.host, source), new Witness());
      expect(await fingerprint(join(world.filesOf(made), root))).toEqual(await fingerprint(root));
      await world.engine.verify(checkOf(made, world.host), new Witness());
      for (const old of (await world.engine.published(source)).slice(0, -2))
        await world.engine.remove(listed(old));
    }
    expect(cut).toBe(CUTS);
  }, 3_600_000);
});
