// Files in a file root next to plain fs and plain SFTP, on the same files in the same run.
import { randomBytes } from 'node:crypto';
import { lstat, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { Client, type SFTPWrapper } from 'ssh2';
import { SshRemoteHosts } from '../src/adapters/outbound/hosts/ssh/ssh-remote-hosts.ts';
import { JailPath } from '../src/domain/files/jail-path.ts';
import { HERE, jailRoot, localJails, shellJails } from '../test/adapters/outbound/hosts/jail/here.ts';
import { type Sshd, startSshd } from '../test/support/sshd.ts';
import { needs } from './lib/needs.ts';
import { type Row, report } from './lib/report.ts';

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 300);
const ENTRIES = 500;
const BYTES = 256 * 1024;

const { root, remove } = await jailRoot();
await mkdir(`${root}/many`);
for (let each = 0; each < ENTRIES; each += 1) await writeFile(`${root}/many/file-${each}`, '');
await writeFile(`${root}/file`, randomBytes(BYTES));
const many = JailPath.parse('many');
const file = JailPath.parse('file');
const range = { offset: 0, length: BYTES };

async function connect(server: Sshd): Promise<{ client: Client; sftp: SFTPWrapper }> {
  const { port, privateKey } = server;
  const client = new Client();
  await new Promise<void>((resolve, reject) => {
    client.once('ready', resolve).once('error', reject);
    client.connect({ host: '127.0.0.1', port, username: server.access().username, privateKey });
  });
  return { client, sftp: await callback<SFTPWrapper>((done) => client.sftp(done)) };
}

const callback = <T>(call: (done: (error: unknown, value: T) => void) => void): Promise<T> =>
  new Promise((resolve, reject) => {
    call((error, value) => (error ? reject(error) : resolve(value)));
  });

needs({ programs: ['/usr/sbin/sshd'] });
const sshd = await startSshd(['Subsystem sftp internal-sftp']);
const hosts = new SshRemoteHosts();
const { client, sftp } = await connect(sshd);
const local = await localJails().open(HERE, root);
const ssh = await shellJails(hosts).open(sshd.access(), root);

/** The compared operations, ours first; the peer's connection and SFTP session are warm, too. */
const cases: Readonly<Record<string, readonly [() => Promise<unknown>, () => Promise<unknown>]>> = {
  'list 500, local': [
    () => local.list(many, ENTRIES),
    async () => {
      const names = await readdir(`${root}/many`);
      return Promise.all(names.map((name) => lstat(`${root}/many/${name}`)));
    },
  ],
  'read 256 KiB, local': [() => local.read(file, range), () => readFile(`${root}/file`)],
  'list 500, over SSH': [
    () => ssh.list(many, ENTRIES),
    () => callback((done) => sftp.readdir(`${root}/many`, done)),
  ],
  'read 256 KiB, over SSH': [
    () => ssh.read(file, range),
    () => callback((done) => sftp.readFile(`${root}/file`, done)),
  ],
};

async function time(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

const median = (all: number[]): number => all.sort((one, other) => one - other)[all.length >> 1] ?? 0;
const shown = (ms: number): number => Number(ms.toFixed(3));

const rows: Row[] = [];
try {
  for (const [what, [ours, plain]] of Object.entries(cases)) {
    const mine: number[] = [];
    const peer: number[] = [];
    // in turn, so that both meet the same machine
    for (let round = 0; round < ROUNDS; round += 1) {
      mine.push(await time(ours));
      peer.push(await time(plain));
    }
    const [one, other] = [median(mine), median(peer)];
    rows.push({
      what,
      'jail, ms': shown(one),
      'plain fs or SFTP, ms': shown(other),
      'of plain': shown(one / other),
      'of plain, best': shown(Math.min(...mine) / Math.min(...peer)),
    });
  }
} finally {
  client.end();
  await hosts.closeAll();
  await sshd.stop();
  await remove();
}
report('jail', rows, { rounds: ROUNDS });
