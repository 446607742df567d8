import { randomBytes, randomInt } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SshRemoteHosts } from '../../src/adapters/outbound/hosts/ssh/ssh-remote-hosts.ts';
import { isDomainError } from '../../src/domain/base/errors.ts';
import { fingerprint } from '../adapters/outbound/backup/fingerprint.ts';
import { LocalFixture } from '../adapters/outbound/backup/local-fixture.ts';
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
  let fixture: LocalFixture;

  beforeAll(async () => {
    sshd = await startSshd();
    wire = await TcpProxy.start(sshd.port);
    hosts = new SshRemoteHosts();
    const host = await hosts.connect(sshd.access(), { purpose: 'bulk' });
    fixture = await LocalFixture.create({ host });
  });
  afterAll(async () => {
    await hosts.closeAll();
    await fixture.close();
    await wire.stop();
    await sshd.stop();
  });

  it(`${CUTS} times at any byte, lists no half snapshot, and the next one is whole`, async () => {
    const root = join(fixture.directory, 'src');
    const source = sourceOf([root]);
    const snapshots = join(fixture.root, '7', String(source.id), 'snapshots');
    for (let index = 0; index < 300; index += 1)
      await fixture.write(join(root, `d${index % 9}/f${index}`), randomBytes(randomInt(8_000)));
    let cut = 0;
    for (let round = 0; cut < CUTS; round += 1) {
      await fixture.write(join(root, `d${round % 9}/f${randomInt(300)}`), randomBytes(randomInt(8_000)));
      await fixture.write(join(root, 'large'), randomBytes(6 * MIB));
      const far = await hosts.connect(sshd.access({ port: wire.port }), { purpose: 'bulk' });
      // in the listing, or in the transfer
      wire.cutAfter(randomInt(round % 3 === 0 ? 60_000 : 6 * MIB));
      const ended = await fixture.engine
        .backup(requestFor(far, source), new Witness())
        .catch((error) => error);
      if (isDomainError(ended, 'host_connection_lost')) cut += 1;
      else expect(ended).not.toBeInstanceOf(Error);
      wire.cut();
      const published = await fixture.engine.published(source);
      expect(published.map(({ name }) => name)).toEqual((await readdir(snapshots)).sort());
      const made = await fixture.engine.backup(requestFor(fixture.host, source), new Witness());
      expect(await fingerprint(join(fixture.filesOf(made), root))).toEqual(await fingerprint(root));
      await fixture.engine.verify(checkOf(made, fixture.host), new Witness());
      for (const old of (await fixture.engine.published(source)).slice(0, -2))
        await fixture.engine.remove(listed(old));
    }
    expect(cut).toBe(CUTS);
  }, 3_600_000);
});
