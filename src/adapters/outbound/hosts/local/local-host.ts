import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { promisify } from 'node:util';
import type {
  CommandResult,
  HostCommand,
  HostProcess,
  LocalAccess,
  RemoteHost,
  RunOptions,
} from '../../../../application/ports/fleet/remote-host.ts';
import { assertCommand } from '../shell/command-limits.ts';
import { runToEnd } from '../shell/run-to-end.ts';
import { sudoRefusal } from '../shell/sudo-refusal.ts';
import { whenAborted } from '../shell/when-aborted.ts';
import { LocalProcess, type SignalGroup } from './local-process.ts';

export interface LocalHostOptions {
  /** Search path for programs, as in PATH. */
  readonly path: string;
  /** Whether the service runs as root, without sudo. */
  readonly isRoot: boolean;
}

const runFile = promisify(execFile);

/** The machine itself. Commands get a small environment made here: the service's own may hold secrets. */
export class LocalHost implements RemoteHost {
  readonly #access: LocalAccess;
  readonly #options: LocalHostOptions;
  readonly #running: Set<LocalProcess>;

  constructor(access: LocalAccess, options: LocalHostOptions, running: Set<LocalProcess>) {
    this.#access = access;
    this.#options = options;
    this.#running = running;
  }

  async run(command: HostCommand, options: RunOptions = {}): Promise<CommandResult> {
    return runToEnd(this.#access.serverName, (...args) => this.open(...args), command, options);
  }

  async open(command: HostCommand, { signal }: Pick<RunOptions, 'signal'> = {}): Promise<HostProcess> {
    assertCommand(command);
    signal?.throwIfAborted();
    const started = await this.#start(command);
    this.#running.add(started);
    const forgetSignal = whenAborted(signal, () => started.kill());
    const forget = (): void => {
      this.#running.delete(started);
      forgetSignal();
    };
    started.exit.finally(forget).catch(() => undefined);
    if (command.stdin !== undefined && command.stdin.length > 0) started.stdin.write(command.stdin);
    return started;
  }

  release(): void {
    // nothing is held
  }

  async #start(command: HostCommand): Promise<LocalProcess> {
    const shell = ['-c', command.script, 'drover', ...(command.args ?? [])];
    const { homedir } = login();
    const place = { env: this.#environment(), cwd: existsSync(homedir) ? homedir : '/' };
    const sudo = command.asRoot === true && this.#access.become === 'sudo' && !this.#options.isRoot;
    if (!sudo) return LocalProcess.start('sh', shell, { ...place, signalGroup: signalGroup });
    await this.#assertSudo();
    // sudo resets the environment, so it is set again behind it
    const asRoot = ['-n', '--', 'env', 'LC_ALL=C', `PATH=${this.#options.path}`, 'sh', ...shell];
    return LocalProcess.start('sudo', asRoot, { ...place, signalGroup: this.#signalGroupAsRoot });
  }

  /**
   * An unprivileged user may not signal root's processes. The shell's own kill, since programs disagree on `--
   * -GROUP`.
   */
  readonly #signalGroupAsRoot: SignalGroup = async (groupId, signal) => {
    const script = 'kill "-$1" "-$2"';
    const args = ['-n', '--', 'sh', '-c', script, 'drover', signal.slice(3), String(groupId)];
    await runFile('sudo', args, { env: this.#environment() });
  };

  /** Checked beforehand, because sudo's own exit code 1 cannot be distinguished from a command's. */
  async #assertSudo(): Promise<void> {
    try {
      await runFile('sudo', ['-n', '--', 'true'], { env: this.#environment() });
    } catch (error) {
      const said = error instanceof Error ? error.message : '';
      throw sudoRefusal(this.#access.serverName, login().username, said);
    }
  }

  #environment(): Record<string, string> {
    const { homedir, username } = login();
    return {
      PATH: this.#options.path,
      HOME: homedir,
      USER: username,
      LOGNAME: username,
      LANG: 'C',
      LC_ALL: 'C',
      TMPDIR: tmpdir(),
    };
  }
}

/** A container may run the service as a user id without a name and a home directory. */
function login(): { readonly homedir: string; readonly username: string } {
  try {
    return userInfo();
  } catch {
    return { homedir: '/', username: String(process.getuid?.() ?? 'nobody') };
  }
}

const signalGroup: SignalGroup = (groupId, signal) => {
  process.kill(-groupId, signal);
};
