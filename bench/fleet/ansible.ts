import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findProgram } from '../../scripts/lib/programs.mjs';
import type { FleetHost } from '../../test/fleet/host.ts';
import { type Measured, processorTimeOf } from './measured.ts';

const run = promisify(execFile);

/** As its documentation says to make it fast: one connection a host that stays, pipelining, no search for Python. */
const settings = (dir: string): string => `[defaults]
inventory = ${join(dir, 'hosts')}
forks = 32
gathering = explicit
interpreter_python = /usr/bin/python3
local_tmp = ${join(dir, 'tmp')}
retry_files_enabled = False
[ssh_connection]
pipelining = True
control_path_dir = ${join(dir, 'cp')}
ssh_args = -F none -o ControlMaster=auto -o ControlPersist=600s -o UserKnownHostsFile=${join(dir, 'known_hosts')}
`;

/** Facts, and what an upgrade would change by the package lists as they are. */
const UPDATES = `- hosts: all
  gather_facts: true
  tasks:
    - command: apt-get -s -q dist-upgrade
      changed_when: false
      register: pending
    - assert:
        that: "'Inst demo-lib' in pending.stdout"
        quiet: true
`;

/** The same with fresh package lists: like an update check of Drover. */
const CHECK = UPDATES.replace(
  '  tasks:\n',
  '  tasks:\n    - command: apt-get -q update\n      changed_when: false\n',
);

/** Ansible of Debian's packages, on hosts of the test fleet. */
export class Ansible {
  readonly #dir: string;

  private constructor(dir: string) {
    this.#dir = dir;
  }

  /** Installs it if it is missing and this is root on Debian. Control sockets need a short path. */
  static async prepare(hosts: readonly FleetHost[]): Promise<Ansible> {
    if (!findProgram('ansible')) {
      const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
      const options = ['-q', '-y', '-o', 'DPkg::Lock::Timeout=300', '--no-install-recommends'];
      await run('apt-get', ['install', ...options, 'ansible-core'], { env });
    }
    const dir = await mkdtemp('/tmp/drover-ans-');
    await writeFile(join(dir, 'ansible.cfg'), settings(dir));
    const lines = hosts.map(
      (host) =>
        `${host.name} ansible_host=${host.address} ansible_user=root ansible_ssh_private_key_file=${host.privateKeyFile}`,
    );
    await writeFile(join(dir, 'hosts'), `${lines.join('\n')}\n`);
    await writeFile(join(dir, 'known_hosts'), `${hosts.map((host) => host.hostKeyLine).join('\n')}\n`);
    await writeFile(join(dir, 'updates.yml'), UPDATES);
    await writeFile(join(dir, 'check.yml'), CHECK);
    return new Ansible(dir);
  }

  async version(): Promise<string> {
    return (await run('ansible', ['--version'])).stdout.split('\n')[0] ?? '';
  }

  facts(hosts: readonly FleetHost[]): Promise<Measured> {
    return this.#time('ansible', ['all', '--limit', namesOf(hosts), '-m', 'ansible.builtin.setup']);
  }

  updates(hosts: readonly FleetHost[]): Promise<Measured> {
    return this.#play('updates.yml', hosts);
  }

  check(hosts: readonly FleetHost[]): Promise<Measured> {
    return this.#play('check.yml', hosts);
  }

  #play(file: string, hosts: readonly FleetHost[]): Promise<Measured> {
    return this.#time('ansible-playbook', [join(this.#dir, file), '--limit', namesOf(hosts)]);
  }

  async stop(hosts: readonly FleetHost[]): Promise<void> {
    // The masters of the connections that stay end when their host goes; until then they hold the directory.
    await Promise.all(hosts.map((host) => host.killConnections()));
    await rm(this.#dir, { recursive: true, force: true });
  }

  /** Of the command, its children, and the masters of its connections, which stay. */
  async #time(program: string, args: readonly string[]): Promise<Measured> {
    const timed = 'TIMEFORMAT="%R %U %S"; time "$@" 2>&1 >"$ANSIBLE_OUT"';
    const env = {
      ...process.env,
      ANSIBLE_CONFIG: join(this.#dir, 'ansible.cfg'),
      ANSIBLE_OUT: join(this.#dir, 'out'),
      LC_ALL: 'C.UTF-8',
    };
    const mastersUsed = processorTimeOf(`ssh: ${this.#dir}/cp`);
    const child = spawn('bash', ['-c', timed, 'time', program, ...args], {
      env,
      stdio: ['ignore', 'inherit', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    const times = (said.trim().split('\n').at(-1) ?? '').split(' ');
    const [wall = 0, user = 0, system = 0] = times.map(Number);
    const masters = processorTimeOf(`ssh: ${this.#dir}/cp`) - mastersUsed;
    if (code === 0) return { wall, cpu: user + system + masters };
    const printed = await readFile(env.ANSIBLE_OUT, 'utf8').catch(() => '');
    throw new Error(`${program} ended with ${String(code)}: ${said.slice(-1_000)}${printed.slice(0, 2_000)}`);
  }
}

const namesOf = (hosts: readonly FleetHost[]): string => hosts.map(({ name }) => name).join(',');
