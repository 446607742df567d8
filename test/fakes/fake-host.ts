import { setTimeout as sleep } from 'node:timers/promises';
import { assertCommand } from '../../src/adapters/outbound/hosts/shell/command-limits.ts';
import { runToEnd } from '../../src/adapters/outbound/hosts/shell/run-to-end.ts';
import type {
  HostCommand,
  HostKey,
  HostProcess,
  RemoteHost,
  RunOptions,
  SshAccess,
} from '../../src/application/ports/fleet/remote-host.ts';
import { DomainError } from '../../src/domain/base/errors.ts';
import { fakeHostKey } from './fake-host-key.ts';
import { type FakeHandler, FakeProcess } from './fake-process.ts';

export type CommandMatcher = string | RegExp | ((command: HostCommand) => boolean);

/** A host's commands, in order of arrival. */
export interface RecordedCommand {
  readonly script: string;
  readonly args: readonly string[];
  readonly asRoot: boolean;
  /** The content of `command.stdin`. */
  readonly stdin: Buffer;
}

/** A host whose commands are functions. */
export class FakeHost {
  readonly serverName: string;
  readonly commands: RecordedCommand[] = [];
  /** The presented key; replace it to simulate a reinstalled host, or an impostor. */
  hostKey: HostKey;
  readonly #handlers: Array<{ matcher: CommandMatcher; handler: FakeHandler }> = [];
  readonly #running = new Set<FakeProcess>();
  #unreachable: string | null = null;
  readonly #refused = new Set<string>();
  #delayMs = 0;

  constructor(serverName: string) {
    this.serverName = serverName;
    this.hostKey = fakeHostKey(serverName);
  }

  /**
   * Answers matching commands: the exact script, a pattern in it, or a function's decision. The latest match wins.
   */
  on(matcher: CommandMatcher, handler: FakeHandler): this {
    this.#handlers.unshift({ matcher, handler });
    return this;
  }

  /** From now on nothing can connect, and running commands are cut. */
  unreachable(detail = `"${this.serverName}" is down.`): this {
    this.#unreachable = detail;
    this.cut();
    return this;
  }

  reachable(): this {
    this.#unreachable = null;
    return this;
  }

  /** From now on this user may not log in. */
  refuseLogin(username: string): this {
    this.#refused.add(username);
    return this;
  }

  allowLogin(username: string): this {
    this.#refused.delete(username);
    return this;
  }

  /** Every command starts this late. */
  slow(delayMs: number): this {
    this.#delayMs = delayMs;
    return this;
  }

  /** Breaks the connections of everything that runs. */
  cut(): void {
    for (const process of this.#running) process.cut();
  }

  /** How many commands run now. */
  get running(): number {
    return this.#running.size;
  }

  /** Access to this host with the key that it presents now. */
  access(changes: Partial<SshAccess> = {}): SshAccess {
    return {
      kind: 'ssh',
      serverId: 1,
      serverName: this.serverName,
      hostname: `${this.serverName}.test`,
      port: 22,
      username: 'root',
      authentication: { kind: 'key', privateKey: 'a key in a test' },
      hostKey: this.hostKey,
      become: 'none',
      jump: null,
      ...changes,
    };
  }

  assertReachable(): void {
    if (this.#unreachable !== null) throw new DomainError('host_unreachable', this.#unreachable);
  }

  /** Throws the errors of a real host and `RemoteHosts` for this access. */
  admit(access: SshAccess): void {
    this.assertReachable();
    if (!access.hostKey)
      throw new DomainError('host_key_unknown', `Nobody has confirmed ${this.hostKey.fingerprint}.`);
    if (access.hostKey.blob !== this.hostKey.blob) {
      throw new DomainError(
        'host_key_mismatch',
        `"${this.serverName}" presents ${this.hostKey.fingerprint}.`,
      );
    }
    if (this.#refused.has(access.username)) {
      throw new DomainError('host_auth_failed', `"${this.serverName}" refuses user "${access.username}".`);
    }
  }

  session(connecting?: AbortSignal): RemoteHost {
    connecting?.throwIfAborted();
    const open = (command: HostCommand, options: Pick<RunOptions, 'signal'> = {}): Promise<HostProcess> =>
      this.#open(command, options.signal);
    return {
      open,
      run: (command, options) => runToEnd(this.serverName, open, command, options),
      release: () => undefined,
    };
  }

  async #open(command: HostCommand, signal: AbortSignal | undefined): Promise<HostProcess> {
    assertCommand(command);
    signal?.throwIfAborted();
    this.assertReachable();
    if (this.#delayMs > 0) {
      await sleep(this.#delayMs, undefined, signal ? { signal } : {}).catch(() => signal?.throwIfAborted());
    }
    const handler = this.#handlerOf(command);
    const stdin = Buffer.from(command.stdin ?? '');
    const { script, args = [], asRoot = false } = command;
    this.commands.push({ script, args, asRoot, stdin });
    const process = new FakeProcess(this.serverName, command, handler);
    this.#running.add(process);
    const forget = (): boolean => this.#running.delete(process);
    process.exit.finally(forget).catch(() => undefined);
    process.start(stdin, signal);
    return process;
  }

  #handlerOf(command: HostCommand): FakeHandler {
    const found = this.#handlers.find(({ matcher }) => {
      if (typeof matcher === 'function') return matcher(command);
      return typeof matcher === 'string' ? command.script === matcher : matcher.test(command.script);
    });
    if (found) return found.handler;
    throw new Error(`FakeHost "${this.serverName}" has no handler for: ${command.script}`);
  }
}
