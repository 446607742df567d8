// Compares the engine with rsync in place, rsync --link-dest and restic on the same files, in one run: node --import tsx bench/backup.ts
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { TreeBackupEngine } from '../src/adapters/backup/tree-backup-engine.ts';
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
    env: { ...process.env, RESTIC_PASSWORD: 'bench' },
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
  await new TreeBackupEngine({ root }).backup({ host, source, jobId: 1, startedAt: Date.now() }, watch);
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
const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;

type Peer = () => Promise<Measured>;

/** One round each, taking turns, so that what else the machine does hits all of them. */
async function medians(
  peers: Readonly<Record<string, Peer>>,
  rounds: number,
  before: () => Promise<void>,
): Promise<Record<string, Measured>> {
  const all = new Map<string, Measured[]>();
  for (let turn = 0; turn < rounds; turn += 1) {
    await before();
    for (const [name, peer] of Object.entries(peers)) {
      const known = all.get(name) ?? [];
      all.set(name, [...known, await peer()]);
    }
  }
  return Object.fromEntries(
    [...all].map(([name, list]) => [
      name,
      { wall: median(list.map(({ wall }) => wall)), cpu: median(list.map(({ cpu }) => cpu)) },
    ]),
  );
}

async function compare(): Promise<void> {
  needs({ programs: ['rsync', 'restic', '/usr/sbin/sshd'] });
  const rounds = Number(process.env['BENCH_ROUNDS'] ?? 5);
  const rows: Row[] = [];
  const base = await mkdtemp(join(tmpdir(), 'drover-bench-'));
  const sshd = await startSshd();
  const start: Measured[] = [];
  let number = 0;
  const fresh = (what: string): string => {
    number += 1;
    return join(base, `${what}-${number}`);
  };
  try {
    const { many, one } = await makeFiles(base);
    // times must be older than two seconds to be trusted
    await sleep(3_000);
    const access: HostAccess = sshd.access();
    const ssh = `ssh -p ${sshd.port} -i ${sshd.privateKeyFile} -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR`;
    for (let turn = 0; turn < 3; turn += 1)
      start.push(await time(process.execPath, ['--import', 'tsx', SELF, base, '']));
    const starting = median(start.map(({ wall }) => wall));
    const startingCpu = median(start.map(({ cpu }) => cpu));
    const engine = async (store: string, from: string): Promise<Measured> => {
      const { wall, cpu } = await ours(access, store, from);
      return { wall: wall - starting, cpu: cpu - startingCpu };
    };
    const rsync = (from: string, to: string, linkDest?: string): Promise<Measured> =>
      time('rsync', [
        '-aHS',
        '--numeric-ids',
        '-e',
        ssh,
        ...(linkDest ? [`--link-dest=${linkDest}`] : []),
        `127.0.0.1:${from}/`,
        `${to}/`,
      ]);
    const restic = (repository: string, from: string): Promise<Measured> =>
      time('restic', ['-q', '-r', repository, 'backup', from]);
    const makeRepository = async (): Promise<string> => {
      const repository = fresh('restic');
      await time('restic', ['-q', '-r', repository, 'init']);
      return repository;
    };
    const row = async (
      what: string,
      peers: Readonly<Record<string, Peer>>,
      before: () => Promise<void> = async () => undefined,
    ): Promise<void> => {
      const found = await medians(peers, rounds, before);
      const mine = found['engine'] ?? { wall: 0, cpu: 0 };
      const columns = Object.entries(found).flatMap(([name, { wall }]) => [
        [`${name} s`, round(wall)],
        ...(name === 'engine' ? [] : [[`of ${name}`, round(mine.wall / wall)]]),
      ]);
      rows.push({
        what,
        ...Object.fromEntries(columns),
        'engine cpu s': round(mine.cpu),
        'rsync cpu s': round(found['rsync']?.cpu ?? 0),
      });
    };
    const gone: string[] = [];
    const drop = async (): Promise<void> => {
      for (const place of gone.splice(0)) await rm(place, { recursive: true, force: true });
    };
    const once = (what: string): string => {
      const place = fresh(what);
      gone.push(place);
      return place;
    };
    await row(
      `20,000 files, first, over SSH`,
      {
        engine: () => engine(once('store'), many),
        rsync: () => rsync(many, once('plain')),
        restic: async () => restic(await makeRepository(), many),
      },
      drop,
    );
    await row(
      '1 GB in one file, over SSH',
      {
        engine: () => engine(once('store'), one),
        rsync: () => rsync(one, once('plain')),
      },
      drop,
    );
    await drop();
    const store = fresh('store');
    const plain = fresh('plain');
    const repository = await makeRepository();
    let linked = fresh('linked');
    await engine(store, many);
    await rsync(many, plain);
    await rsync(many, linked);
    await restic(repository, many);
    const peers: Record<string, Peer> = {
      engine: () => engine(store, many),
      rsync: () => rsync(many, plain),
      '--link-dest': async () => {
        const next = fresh('linked');
        const taken = await rsync(many, next, linked);
        linked = next;
        return taken;
      },
      restic: () => restic(repository, many),
    };
    await row('20,000 files, unchanged, over SSH', peers);
    await row('20,000 files, 1 % changed, over SSH', peers, async () => {
      for (let index = 0; index < MANY; index += 100) {
        await writeFile(join(many, `d${index % 200}`, `f${index}`), randomBytes(1_000 + (index % 3_000)));
      }
      await sleep(3_000);
    });
    report('backup', rows, { 'seconds that our start takes, taken off': round(starting), rounds });
  } finally {
    await sshd.stop();
    await rm(base, { recursive: true });
  }
}

const [root, path] = process.argv.slice(2);
if (root === undefined) await compare();
else await backUp(root, path ?? '');
