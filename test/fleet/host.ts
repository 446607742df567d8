import { must } from '../../scripts/lib/programs.mjs';
import { eventually } from '../support/processes.ts';
import { greets } from '../support/ssh-banner.ts';
import type { HostKey, HostRecord } from './host-record.ts';
import { findHostProcess, powerOff } from './power.ts';
import { starter } from './starter.ts';

const HOST_ENVIRONMENT = ['PATH=/usr/sbin:/usr/bin:/sbin:/bin', 'HOME=/root', 'LC_ALL=C.UTF-8'];

export interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** How a host is switched on again, by the process that owns the fleet. */
export interface PowerSwitch {
  on(host: HostRecord): Promise<void>;
  reset(host: HostRecord): Promise<void>;
}

/**
 * A real host: with its root file system, processes, network card, users, sshd. `exec` and the file helpers set up
 * and check things directly; the product uses SSH only.
 */
export class FleetHost {
  readonly name: string;
  readonly address: string;
  readonly port = 22;
  /** `drover` (shell /bin/sh, sudo without a password) is there too, with the same key. */
  readonly username = 'root';
  readonly privateKey: string;
  readonly privateKeyFile: string;
  readonly hostKey: HostKey;
  /** As in a known_hosts file. */
  readonly hostKeyLine: string;

  readonly #record: HostRecord;
  readonly #power: PowerSwitch;

  constructor(record: HostRecord, power: PowerSwitch) {
    this.name = record.name;
    this.address = record.address;
    this.privateKey = record.privateKey;
    this.privateKeyFile = record.privateKeyFile;
    this.hostKey = record.hostKey;
    this.hostKeyLine = `${record.address} ${record.hostKey.algorithm} ${record.hostKey.blob}`;
    this.#record = record;
    this.#power = power;
  }

  get record(): HostRecord {
    return this.#record;
  }

  /** Runs a bash script as root and gives its stdout; a failure throws with its stderr. */
  async exec(script: string, args: readonly string[] = []): Promise<string> {
    const { code, stdout, stderr } = await this.tryExec(script, args);
    if (code !== 0) throw new Error(`on ${this.name}, code ${code}: ${stderr}\nafter: ${script}`);
    return stdout;
  }

  async tryExec(script: string, args: readonly string[] = [], input?: string | Buffer): Promise<Finished> {
    const { code, stdout, stderr } = await this.#enter(script, args, input);
    return { code, stdout: stdout.toString(), stderr };
  }

  /** The same with bytes as they are. */
  runBytes(
    script: string,
    args: readonly string[],
    input?: string | Buffer,
  ): Promise<{ readonly code: number; readonly stdout: Buffer; readonly stderr: string }> {
    return this.#enter(script, args, input);
  }

  async readFile(path: string): Promise<string> {
    return (await this.readBytes(path)).toString();
  }

  async readBytes(path: string): Promise<Buffer> {
    const { code, stdout, stderr } = await this.#enter('cat -- "$1"', [path]);
    if (code !== 0) throw new Error(`on ${this.name}: ${stderr}`);
    return stdout;
  }

  /** The host's root directory as a path for this process. Links on the way are followed from this machine's root. */
  async rootFromHere(): Promise<string> {
    const found = await findHostProcess(this.#record);
    if (!found) throw new Error(`host ${this.name} is off`);
    return `/proc/${found.pid}/root`;
  }

  /** Makes the directories above it too. */
  async writeFile(path: string, content: string | Buffer): Promise<void> {
    const script = 'mkdir -p -- "$(dirname -- "$1")" && cat >"$1"';
    const { code, stderr } = await this.tryExec(script, [path], content);
    if (code !== 0) throw new Error(`on ${this.name}: ${stderr}`);
  }

  /** A black hole: packets to and from the host vanish. */
  async cut(): Promise<void> {
    await must('ip', ['link', 'set', this.#record.link, 'down']);
  }

  /** Returns once sshd answers: the kernel may take seconds to forward packets again. */
  async heal(): Promise<void> {
    await must('ip', ['link', 'set', this.#record.link, 'up']);
    await eventually(`sshd of ${this.name} answers`, 60_000, () => greets(this.port, this.address));
  }

  /** A power failure. The disk keeps its content. */
  async powerOff(): Promise<void> {
    await powerOff(this.#record);
  }

  /** After powerOff: a new boot, with another boot id; returns once sshd answers. */
  async start(): Promise<void> {
    await this.#power.on(this.#record);
  }

  /** A new machine with the old name, address and host key: all changes on its disk are gone. */
  async reset(): Promise<void> {
    await this.#power.reset(this.#record);
  }

  /** Ends all SSH connections, from the host's side. Their processes may live on. */
  async killConnections(): Promise<void> {
    // The listener is pid 1, which cannot be killed from inside.
    await this.tryExec("pkill -KILL -f '^sshd: '");
  }

  /** Mounts a file system of that size at `path`; the files below it are hidden until a reset. */
  async fillDisk(path: string, sizeBytes: number): Promise<void> {
    await this.exec('mkdir -p -- "$1" && mount -t tmpfs -o "size=$2,mode=755" small "$1"', [
      path,
      String(sizeBytes),
    ]);
  }

  async #enter(
    script: string,
    args: readonly string[],
    input?: string | Buffer,
  ): Promise<{ code: number; stdout: Buffer; stderr: string }> {
    const found = await findHostProcess(this.#record);
    if (!found) throw new Error(`host ${this.name} is off`);
    const enter = ['-t', String(found.pid), '--mount', '--pid', '--uts', '--ipc', '--net', '--root', '--wd'];
    const command = ['env', '-i', ...HOST_ENVIRONMENT, 'bash', '-c', script, 'bash', ...args];
    const { code, stdout, stderr } = await starter.run('nsenter', [...enter, '--', ...command], input ?? '');
    return { code, stdout, stderr: stderr.toString() };
  }
}
