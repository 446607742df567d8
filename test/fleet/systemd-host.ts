import { spawn } from 'node:child_process';
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  rmdir,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureBaseRoot } from '../../scripts/lib/base-root.mjs';
import { ensureFamilyLayers } from '../../scripts/lib/family-layers.mjs';
import { capture, must, SYSTEM_PATH } from '../../scripts/lib/programs.mjs';
import { freePort } from '../support/free-port.ts';
import { eventually, withLog } from '../support/processes.ts';
import { greets } from '../support/ssh-banner.ts';
import type { Finished } from './host.ts';
import type { HostKey } from './host-record.ts';
import { makeKey, writeCommonLayer, writeIdentityLayer } from './layers.ts';
import { type Bridge, closeBridge, openBridge } from './network.ts';

const INIT = fileURLToPath(new URL('./systemd-host.sh', import.meta.url));
const CGROUPS = '/sys/fs/cgroup';
/** Units that are useless in a container, or would use the network. */
const MASKED = ['systemd-resolved.service', 'apt-daily.timer', 'apt-daily-upgrade.timer'];

/** A host with a real init: units, `systemd-run`, and a reboot that is one. It is reached over SSH only, also from here. */
export class SystemdHost {
  readonly name = 'systemd';
  readonly address: string;
  readonly username = 'root';
  readonly port: number;
  readonly privateKeyFile: string;
  readonly hostKey: HostKey;
  readonly #end: () => Promise<void>;

  constructor(found: {
    address: string;
    port: number;
    privateKeyFile: string;
    hostKey: HostKey;
    end: () => Promise<void>;
  }) {
    this.address = found.address;
    this.port = found.port;
    this.privateKeyFile = found.privateKeyFile;
    this.hostKey = found.hostKey;
    this.#end = found.end;
  }

  async tryExec(script: string, args: readonly string[] = []): Promise<Finished> {
    const quoted = ['bash', '-c', script, 'bash', ...args].map(
      (word) => `'${word.replaceAll("'", "'\\''")}'`,
    );
    const options = ['StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'LogLevel=ERROR'];
    const ssh = [...options.flatMap((each) => ['-o', each]), '-i', this.privateKeyFile];
    const target = ['-p', String(this.port), `root@${this.address}`, quoted.join(' ')];
    const { code, stdout, output } = await capture('ssh', ['-F', 'none', ...ssh, ...target]);
    return { code, stdout, stderr: output };
  }

  async exec(script: string, args: readonly string[] = []): Promise<string> {
    const { code, stdout, stderr } = await this.tryExec(script, args);
    if (code !== 0) throw new Error(`on ${this.name}, code ${code}: ${script}\n${stderr}`);
    return stdout;
  }

  stop(): Promise<void> {
    return this.#end();
  }
}

/** Boots one; three seconds. Needs what `describeWith(['fleet', 'families', 'nspawn'])` requires. */
export async function startSystemdHost(): Promise<SystemdHost> {
  const [base, layers] = [await ensureBaseRoot(), await ensureFamilyLayers()];
  const dir = await mkdtemp(join(tmpdir(), 'drover-systemd-'));
  const cgroup = `drover-${process.pid}`;
  await must('mount', ['-t', 'tmpfs', '-o', 'mode=755', 'drover-systemd', dir]);
  const bridge = await openBridge(dir, false);
  const address = bridge.addressOf(0);
  const end = async (): Promise<void> => {
    await closeBridge(bridge.name);
    await capture('umount', ['--lazy', dir]);
    await rm(dir, { recursive: true, force: true });
    await removeCgroups(cgroup);
  };
  try {
    const [upper, common, identity] = ['upper', 'common', 'identity'].map((part) => join(dir, part));
    if (!upper || !common || !identity) throw new Error('there are three');
    for (const part of [upper, common, identity, join(dir, 'work'), join(dir, 'root')]) await mkdir(part);
    const privateKeyFile = join(dir, 'id_ed25519');
    await makeKey(privateKeyFile, 'drover-systemd');
    await writeCommonLayer(common, await readFile(`${privateKeyFile}.pub`, 'utf8'));
    const hostKey = await writeIdentityLayer(identity, 'systemd');
    await must('tar', ['-C', upper, '-xf', join(layers, 'systemd.tar'), '--no-same-owner']);
    const port = await freePort();
    await setUp(upper, port);
    const child = spawn(
      'setpriv',
      [
        '--pdeathsig',
        'KILL',
        '--',
        'unshare',
        '-m',
        '-p',
        '-f',
        '-u',
        '-i',
        '-n',
        '--kill-child',
        '--mount-proc',
      ].concat(['--propagation', 'private', INIT, dir, [identity, common, base].join(':'), cgroup]),
      { stdio: ['ignore', 'pipe', 'pipe'], env: { PATH: SYSTEM_PATH, LC_ALL: 'C.UTF-8' } },
    );
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        said = (said + chunk.toString()).slice(-4_000);
      });
    }
    const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
    await plugIn(bridge, address, child.pid ?? 0).catch(withLog(() => said));
    await eventually('the host with systemd is up', 60_000, async () => {
      if (child.exitCode !== null) throw new Error('it ended at its start');
      return (await greets(port, address)) || undefined;
    }).catch(withLog(() => said));
    return new SystemdHost({
      address,
      port,
      privateKeyFile,
      hostKey,
      end: async () => {
        child.kill('SIGKILL');
        await ended;
        await end();
      },
    });
  } catch (error) {
    await end();
    throw error;
  }
}

/** A separate network: its ports are not those of the machine, on which other tests run. */
async function plugIn({ name }: Bridge, address: string, pid: number): Promise<void> {
  const here = await readlink('/proc/self/ns/net');
  await eventually('the host has its network', 10_000, async () => {
    const its = await readlink(`/proc/${pid}/ns/net`).catch(() => here);
    return its !== here || undefined;
  });
  const link = `${name}h`;
  await must('ip', ['link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(pid)]);
  await must('ip', ['link', 'set', link, 'master', name, 'up']);
  const inside = ['-t', String(pid), '-n', 'ip'];
  await must('nsenter', [...inside, 'addr', 'add', `${address}/16`, 'dev', 'eth0']);
  for (const each of ['lo', 'eth0']) await must('nsenter', [...inside, 'link', 'set', each, 'up']);
}

async function setUp(upper: string, port: number): Promise<void> {
  const units = join(upper, 'etc/systemd/system');
  await mkdir(join(units, 'multi-user.target.wants'), { recursive: true });
  await symlink('/lib/systemd/system/ssh.service', join(units, 'multi-user.target.wants/ssh.service'));
  await symlink('/lib/systemd/system/multi-user.target', join(units, 'default.target'));
  for (const unit of MASKED) await symlink('/dev/null', join(units, unit));
  // A port of the command line is in the place of the one in the settings.
  await put(join(upper, 'etc/default/ssh'), `SSHD_OPTS="-p ${port}"\n`);
}

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  await chmod(path, 0o644);
}

/** The kernel removes an empty control group only, and the innermost first. */
async function removeCgroups(name: string): Promise<void> {
  const remove = async (path: string): Promise<void> => {
    const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) if (entry.isDirectory()) await remove(join(path, entry.name));
    await rmdir(path).catch(() => undefined);
  };
  for (const hierarchy of await readdir(CGROUPS)) {
    const own = join(CGROUPS, hierarchy, name);
    await eventually(`the control groups of ${name} are empty`, 60_000, async () => {
      await remove(own);
      return (await readdir(own).catch(() => null)) === null ? true : undefined;
    });
  }
}
