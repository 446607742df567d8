import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writerOf } from '../../../../../src/adapters/outbound/hosts/jail/part-name.ts';
import { SshRemoteHosts } from '../../../../../src/adapters/outbound/hosts/ssh/ssh-remote-hosts.ts';
import type { JailFileSystems, JailFs } from '../../../../../src/application/ports/files/jail-fs.ts';
import { at } from '../../../../contracts/jail-bench.ts';
import { describeWith } from '../../../../support/capabilities.ts';
import { ChildJails } from '../../../../support/child-jails.ts';
import { eventually } from '../../../../support/processes.ts';
import { rounds } from '../../../../support/rounds.ts';
import { type Sshd, startSshd } from '../../../../support/sshd.ts';
import { TcpProxy } from '../../../../support/tcp-proxy.ts';
import { HERE, jailRoot, localJails, shellJails } from './here.ts';

const ROUNDS = rounds(5, 100);
const PIECES = 6;
const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

let root: string;
let remove: () => Promise<void>;
beforeAll(async () => {
  ({ root, remove } = await jailRoot());
});
afterAll(() => remove());

const parts = async (): Promise<string[]> => (await readdir(root)).filter((name) => writerOf(name) !== null);

/** Replaces a file and interrupts at a different moment in each round; returns whether the write still succeeded. */
async function struckWrite(fs: JailFs, round: number, strike: () => Promise<unknown>): Promise<boolean> {
  const former = randomBytes(700_000);
  const pieces = Array.from({ length: PIECES }, () => randomBytes(250_000));
  await writeFile(join(root, 'file'), former);
  const when = round % (PIECES + 1);
  let struck: Promise<unknown> = Promise.resolve();
  async function* content(): AsyncGenerator<Uint8Array> {
    for (const [index, piece] of pieces.entries()) {
      if (index === when) {
        // at first it may not even have started
        if (when > 0) await eventually('the write begins', 60_000, async () => (await parts())[0]);
        struck = strike();
      }
      yield piece;
      await sleep(1);
    }
    // in the middle of putting it in place, or about then
    if (when === PIECES) struck = sleep(Math.random() * 25).then(strike);
  }
  const written = await fs.write(at('file'), content(), { expect: 'any', most: 10_000_000 }).then(
    () => true,
    () => false,
  );
  await struck;
  const found = sha256(await readFile(join(root, 'file')));
  const whole = [sha256(former), sha256(Buffer.concat(pieces))];
  expect(whole).toContain(found);
  if (written) expect(found).toBe(whole[1]);
  return written;
}

/** Leftovers go with the next sweep, or with the next write. */
async function isSwept(
  jails: JailFileSystems,
  access: Parameters<JailFileSystems['open']>[0],
): Promise<void> {
  const fs = await jails.open(access, root);
  await eventually('nothing is left', 60_000, async () =>
    (await fs.sweep(at(''))) === 0 ? true : undefined,
  );
  expect(await parts()).toEqual([]);
}

describe('a service that is killed in the middle of a write', () => {
  it('leaves the previous file or the new one, and its leftovers are swept', async () => {
    let cut = 0;
    let left = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const child = await ChildJails.start();
      const fs = await child.open(HERE, root);
      if (!(await struckWrite(fs, round, () => child.kill()))) cut += 1;
      left += (await parts()).length;
      await isSwept(localJails(), HERE);
    }
    // else nothing was shown
    expect(cut).toBeGreaterThan(ROUNDS / 2);
    expect(left).toBeGreaterThan(ROUNDS / 4);
  });
});

describeWith('ssh', 'a write over SSH', () => {
  let sshd: Sshd;
  let wire: TcpProxy;
  beforeAll(async () => {
    sshd = await startSshd();
    wire = await TcpProxy.start(sshd.port);
  });
  afterAll(async () => {
    await wire.stop();
    await sshd.stop();
  });

  /** Each round has separate connections, from a new service. */
  const strike = async (
    kill: (through: SshRemoteHosts) => Promise<unknown>,
  ): Promise<{ readonly cut: number }> => {
    let cut = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const hosts = new SshRemoteHosts();
      const fs = await shellJails(hosts).open(sshd.access({ port: wire.port }), root);
      if (!(await struckWrite(fs, round, () => kill(hosts)))) cut += 1;
      await hosts.closeAll();
      const next = new SshRemoteHosts();
      await isSwept(shellJails(next), sshd.access());
      await next.closeAll();
    }
    return { cut };
  };

  it('whose connection is cut leaves the previous file or the new one', async () => {
    const { cut } = await strike(async () => wire.cut());
    expect(cut).toBeGreaterThan(ROUNDS / 2);
  });

  it('whose helper is killed leaves the previous file or the new one, and its leftovers are swept', async () => {
    let killed = 0;
    const { cut } = await strike(async () => {
      for (const name of await parts()) {
        const pid = Number(writerOf(name)?.split('.')[2]);
        if (pid > 1) process.kill(pid, 'SIGKILL');
        killed += 1;
      }
    });
    expect(Math.min(cut, killed)).toBeGreaterThan(ROUNDS / 2);
  });
});
