import type {
  CommandResult,
  HostCommand,
  HostProcess,
  RemoteHost,
  RunOptions,
  SshAccess,
} from '../../../../application/ports/fleet/remote-host.ts';
import { DomainError } from '../../../../domain/base/errors.ts';
import { assertCommand } from '../shell/command-limits.ts';
import { lastLine } from '../shell/host-lines.ts';
import { runToEnd } from '../shell/run-to-end.ts';
import { sudoRefusal } from '../shell/sudo-refusal.ts';
import { whenAborted } from '../shell/when-aborted.ts';
import { commandLine } from './command-line.ts';
import { nameOf } from './connect-errors.ts';
import type { ConnectionPool } from './connection-pool.ts';
import { ChannelNotOpened } from './ssh-connection.ts';
import { SshProcess } from './ssh-process.ts';
import { settlesWithin, unlessAborted } from './waiting.ts';

/** How long a caller who aborts waits for the command to end. */
const ENDING_MS = 8_000;

/** A host behind a pool of connections, which it looks up each time: an empty pool is removed. */
export class SshHost implements RemoteHost {
  readonly #access: SshAccess;
  readonly #pool: () => ConnectionPool;
  readonly #startTimeoutMs: number;

  constructor(access: SshAccess, pool: () => ConnectionPool, startTimeoutMs: number) {
    this.#access = access;
    this.#pool = pool;
    this.#startTimeoutMs = startTimeoutMs;
  }

  async run(command: HostCommand, options: RunOptions = {}): Promise<CommandResult> {
    return runToEnd(this.#access.serverName, (...args) => this.open(...args), command, options);
  }

  async open(command: HostCommand, { signal }: Pick<RunOptions, 'signal'> = {}): Promise<HostProcess> {
    assertCommand(command);
    const sudo =
      command.asRoot === true && this.#access.become === 'sudo' && this.#access.username !== 'root';
    const process = await this.#started(commandLine(command, { sudo }), sudo, signal);
    void process.gone.then(whenAborted(signal, () => process.kill()));
    if (command.stdin !== undefined && command.stdin.length > 0) process.stdin.write(command.stdin);
    return process;
  }

  release(): void {
    // commands hold places on connections, and idle connections close automatically
  }

  async #started(line: string, sudo: boolean, signal: AbortSignal | undefined): Promise<SshProcess> {
    const opening = this.#exec(line, sudo, signal);
    try {
      const process = await unlessAborted(opening, signal);
      await unlessAborted(this.#untilStarted(process, sudo), signal);
      return process;
    } catch (error) {
      if (signal?.aborted) {
        const ending = opening.then(async (process) => {
          process.kill();
          await process.gone;
        });
        // an unanswered exec may take as long as detecting a dead host
        ending.catch(() => undefined);
        await settlesWithin(ending, ENDING_MS);
      }
      throw error;
    }
  }

  async #exec(line: string, sudo: boolean, signal: AbortSignal | undefined): Promise<SshProcess> {
    const pool = this.#pool();
    const { opened, lease } = await pool.exec(line, signal).catch((error: unknown) => {
      throw error instanceof ChannelNotOpened ? this.#noSession(error) : error;
    });
    const { connection } = lease;
    const process = new SshProcess(opened, {
      name: connection.name,
      gone: connection.gone,
      lost: () => connection.lost,
      endGroup: (group) => connection.endGroup(group, { sudo }),
      distrust: () => pool.retire(connection),
    });
    void process.gone.then(() => lease.release());
    return process;
  }

  async #untilStarted(process: SshProcess, sudo: boolean): Promise<void> {
    if (!(await settlesWithin(process.started, this.#startTimeoutMs))) {
      process.kill();
      const detail = `The login shell of user "${this.#access.username}" on ${nameOf(this.#access)} did not start a command within ${this.#startTimeoutMs / 1000} s: check its start-up files.`;
      throw new DomainError('host_timeout', detail);
    }
    await process.started.catch(async () => {
      await settlesWithin(process.gone, ENDING_MS);
      throw process.lost ?? this.#notStarted(process, sudo);
    });
  }

  #notStarted(process: SshProcess, sudo: boolean): DomainError {
    const { serverName, username } = this.#access;
    if (sudo) return sudoRefusal(serverName, username, process.stderr.noise);
    const said = [process.stdout, process.stderr]
      .map(({ noise }) => lastLine(noise).slice(0, 300))
      .filter(Boolean);
    const detail = `The login shell of user "${username}" on ${nameOf(this.#access)} does not run commands (it said: ${said.join('; ') || 'nothing'}): give that user a shell and no forced command.`;
    return new DomainError('host_unsupported', detail);
  }

  #noSession(error: ChannelNotOpened): DomainError {
    const detail = `${nameOf(this.#access)} did not open a session (${error.message}): check MaxSessions and the limits of user "${this.#access.username}" there.`;
    return new DomainError('host_unsupported', detail);
  }
}
