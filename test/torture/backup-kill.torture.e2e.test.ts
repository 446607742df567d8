import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { BackupSource } from '../../src/domain/backups/backup-source.ts';
import { fingerprint } from '../adapters/outbound/backup/fingerprint.ts';
import { LocalFixture } from '../adapters/outbound/backup/local-fixture.ts';
import { checkOf, listed, requestFor, sourceOf, Witness } from '../contracts/backup-engine.contract.ts';
import { bundled } from '../support/bundled.ts';
import { describeWith } from '../support/capabilities.ts';
import { eventually } from '../support/processes.ts';
import { rounds } from '../support/rounds.ts';

const PROCESS = await bundled(new URL('../adapters/outbound/backup/backup-process.ts', import.meta.url));
const MIB = 1024 * 1024;

describeWith('rsync', 'a service that is killed in the middle of a backup', () => {
  let fixture: LocalFixture;
  let root: string;
  let source: BackupSource;
  const verified = new Set<string>();

  beforeAll(async () => {
    fixture = await LocalFixture.create();
    root = join(fixture.directory, 'src');
    source = sourceOf([root]);
    for (let index = 0; index < 400; index += 1) {
      await fixture.write(join(root, `d${index % 7}`, `f${index}`), randomBytes(randomInt(20_000)));
    }
  });
  afterAll(() => fixture.close());

  const backupProcess = (of: BackupSource): ChildProcessByStdio<null, Readable, null> => {
    const args = [PROCESS, fixture.root, JSON.stringify(of)];
    return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  };

  /** Starts a backup in another process, and kills that at a random moment. */
  const killedBackup = async (alsoRsync: boolean, withinMs: number): Promise<boolean> => {
    const child = backupProcess(source);
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    const gone = once(child, 'exit');
    await once(child.stdout, 'data');
    await Promise.race([gone, sleep(randomInt(withinMs))]);
    const mine = alsoRsync ? await processesAt(fixture.root) : [];
    kill(child);
    for (const pid of mine) killPid(pid);
    await gone;
    return output.includes('done');
  };

  /** Every listed one is complete; each is checked once. */
  const expectWhole = async (): Promise<void> => {
    const published = await fixture.engine.published(source);
    // a kill may come before the directory is made
    const there = await readdir(join(fixture.root, '7', String(source.id), 'snapshots')).catch(
      (): string[] => [],
    );
    expect(published.map(({ name }) => name)).toEqual(there.sort());
    for (const snapshot of published) {
      if (verified.has(snapshot.name)) continue;
      await fixture.engine.verify(checkOf(snapshot, fixture.host), new Witness());
      verified.add(snapshot.name);
    }
  };

  it('never leaves half a snapshot on the list, and the next backup succeeds', async () => {
    let interrupted = 0;
    for (let round = 0; round < rounds(6, 120); round += 1) {
      await fixture.write(join(root, `d${round % 7}`, `f${randomInt(400)}`), randomBytes(randomInt(20_000)));
      await fixture.write(join(root, 'large'), randomBytes(24 * MIB));
      const isDone = await killedBackup(round % 3 === 2, round % 2 === 0 ? 80 : 1_200);
      if (!isDone) interrupted += 1;
      await expectWhole();
      if (round % 3 === 0) continue;
      const made = await fixture.engine.backup(requestFor(fixture.host, source), new Witness());
      expect(await fingerprint(join(fixture.filesOf(made), root))).toEqual(await fingerprint(root));
      await expectWhole();
      for (const old of (await fixture.engine.published(source)).slice(0, -3))
        await fixture.engine.remove(listed(old));
    }
    expect(interrupted).toBeGreaterThan(0);
  }, 1_800_000);

  it('goes on in the middle of a large file, even when tar was killed with it', async () => {
    const large = join(fixture.directory, 'large');
    await fixture.write(join(large, 'file'), randomBytes(200 * MIB));
    const one = sourceOf([large]);
    const child = backupProcess(one);
    const gone = once(child, 'exit');
    const receiving = join(fixture.root, '7', String(one.id), 'partial/files', large);
    await eventually(
      'a quarter is received',
      60_000,
      async () => (await sizeIn(receiving)) > 50 * MIB || undefined,
      2,
    );
    const mine = await processesAt(fixture.root);
    kill(child);
    for (const pid of mine) killPid(pid);
    await gone;
    expect(await fixture.engine.published(one)).toEqual([]);
    const made = await fixture.engine.backup(requestFor(fixture.host, one), new Witness());
    expect(made.totalBytes).toBe(200 * MIB);
    expect(made.transferredBytes).toBeLessThan(151 * MIB);
    expect(await fingerprint(join(fixture.filesOf(made), large))).toEqual(await fingerprint(large));
  });
});

async function sizeIn(directory: string): Promise<number> {
  const names = await readdir(directory).catch((): string[] => []);
  const sizes = names.map(
    async (name) => (await stat(join(directory, name)).catch(() => ({ size: 0 }))).size,
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

function kill(child: ChildProcess): void {
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
}

function killPid(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it has ended normally
  }
}

/** Processes that name a directory of this test in their arguments. */
async function processesAt(directory: string): Promise<readonly number[]> {
  const found: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const command = await readFile(`/proc/${name}/cmdline`, 'latin1').catch(() => '');
    if (command.includes(directory)) found.push(Number(name));
  }
  return found;
}
