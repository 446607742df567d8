// Compares the rsync engine with plain rsync on the same files, in one run: node --import tsx bench/backup.ts
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RsyncBackupEngine } from '../src/adapters/backup/rsync-backup-engine.ts';
import { LocalRemoteHosts } from '../src/adapters/local/local-remote-hosts.ts';
import { SshRemoteHosts } from '../src/adapters/ssh/ssh-remote-hosts.ts';
import type { HostAccess, RemoteHost } from '../src/application/ports/remote-host.ts';
import { describeSource } from '../src/domain/backup-source.ts';
import { startSshd } from '../test/support/sshd.ts';
import { needs } from './lib/needs.ts';
import { type Row, report } from './lib/report.ts';

const SELF = fileURLToPath(import.meta.url);
const MANY = 20_000;
const GIB = 1_000_000_000;

interface Measured {
  readonly wall: number;
  readonly cpu: number;
}

/** Seconds on the clock, and of processor time of the command and all that it started. */
function time(program: string, args: readonly string[], input = ''): Promise<Measured> {
  const timed = 'TIMEFORMAT="%R %U %S"; time "$@" >/dev/null';
  const child = spawn('bash', ['-c', timed, 'time', program, ...args], {
    stdio: ['pipe', 'inherit', 'pipe'],
  });
  child.stdin.end(input);
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  return new Promise((resolve, reject) => {
    child.on('close', (code) => {
      const [wall = 0, user = 0, system = 0] = (said.trim().split('\n').at(-1) ?? '').split(' ').map(Number);
      if (code === 0) resolve({ wall, cpu: user + system });
      else reject(new Error(said));
    });
  });
}

/** One backup in a process of its own; its start is measured apart and taken off. */
const ours = (access: HostAccess, root: string, path: string): Promise<Measured> =>
  time(process.execPath, ['--import', 'tsx', SELF, root, path], JSON.stringify(access));

async function backUp(root: string, path: string): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  if (path === '') return;
  const access = JSON.parse(Buffer.concat(chunks).toString()) as HostAccess;
  const hosts = access.kind === 'local' ? new LocalRemoteHosts() : new SshRemoteHosts();
  const host: RemoteHost = await hosts.connect(access, { purpose: 'bulk' });
  const watch = {
    signal: new AbortController().signal,
    log: () => undefined,
    progress: () => undefined,
  };
  const described = describeSource({ serverId: 1, name: 'bench', paths: [path], at: 0 });
  const source = { ...described, id: 1, lastSuccessAt: null };
  await new RsyncBackupEngine({ root }).backup({ host, source, jobId: 1, startedAt: Date.now() }, watch);
  host.release();
  await hosts.closeAll();
}

async function makeFiles(base: string): Promise<{ many: string; one: string }> {
  const many = join(base, 'many');
  for (let index = 0; index < MANY; index += 1) {
    const directory = join(many, `d${index % 200}`);
    if (index < 200) await mkdir(directory, { recursive: true });
    await writeFile(join(directory, `f${index}`), randomBytes(1_000 + (index % 3_000)));
  }
  const one = join(base, 'one');
  await mkdir(one);
  const file = await open(join(one, 'file'), 'w');
  for (let written = 0; written < GIB; written += 10_000_000) await file.write(randomBytes(10_000_000));
  await file.close();
  return { many, one };
}

const round = (value: number): number => Math.round(value * 100) / 100;

async function compare(): Promise<void> {
  needs({ programs: ['rsync', '/usr/sbin/sshd'] });
  const rows: Row[] = [];
  const base = await mkdtemp(join(tmpdir(), 'drover-bench-'));
  const sshd = await startSshd();
  try {
    const { many, one } = await makeFiles(base);
    const local: HostAccess = { kind: 'local', serverId: 1, serverName: 'here', become: 'none' };
    const shell = `sh -c 'shift; exec "$@"' sh`;
    const ssh = `ssh -p ${sshd.port} -i ${sshd.privateKeyFile} -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR`;
    const start = await time(process.execPath, ['--import', 'tsx', SELF, base, '']);
    const rsync = (remote: string, from: string, to: string, linkDest?: string): Promise<Measured> =>
      time('rsync', [
        '-aHS',
        '--numeric-ids',
        '-e',
        remote,
        ...(linkDest ? [`--link-dest=${linkDest}`] : []),
        `127.0.0.1:${from}/`,
        `${to}/`,
      ]);
    const row = async (
      what: string,
      engine: Promise<Measured>,
      peer: () => Promise<Measured>,
    ): Promise<void> => {
      const { wall, cpu } = await engine;
      const mine = { wall: wall - start.wall, cpu: cpu - start.cpu };
      const plain = await peer();
      rows.push({
        what,
        'engine s': round(mine.wall),
        'rsync s': round(plain.wall),
        'of rsync': round(mine.wall / plain.wall),
        'engine cpu s': round(mine.cpu),
        'rsync cpu s': round(plain.cpu),
      });
    };
    for (const [how, access, remote] of [
      ['local', local, shell],
      ['over SSH', sshd.access(), ssh],
    ] as const) {
      const store = join(base, `store-${how}`);
      const plain = join(base, `plain-${how}`.replace(' ', '-'));
      await mkdir(plain);
      await row(`20,000 files, first, ${how}`, ours(access, `${store}-many`, many), () =>
        rsync(remote, many, `${plain}/1`),
      );
      await row(`20,000 files, unchanged, ${how}`, ours(access, `${store}-many`, many), () =>
        rsync(remote, many, `${plain}/2`, `${plain}/1`),
      );
      await row(`1 GB in one file, ${how}`, ours(access, `${store}-one`, one), () =>
        rsync(remote, one, `${plain}/3`),
      );
      await rm(plain, { recursive: true });
    }
    report('backup', rows, { 'seconds that our start takes, taken off': round(start.wall) });
  } finally {
    await sshd.stop();
    await rm(base, { recursive: true });
  }
}

const [root, path] = process.argv.slice(2);
if (root === undefined) await compare();
else await backUp(root, path ?? '');
