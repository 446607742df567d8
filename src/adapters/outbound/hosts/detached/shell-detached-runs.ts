import type {
  CommandResult,
  HostCommand,
  RemoteHost,
} from '../../../../application/ports/fleet/remote-host.ts';
import type {
  DetachedCommand,
  DetachedRuns,
  RunPart,
  RunState,
} from '../../../../application/ports/jobs/detached-runs.ts';
import { DomainError } from '../../../../domain/base/errors.ts';
import { firstLines } from '../shell/host-lines.ts';
import { ASK_TO_STOP, FORGET, READ, RENEW, RESULT, START, TERMINATE, WATCHER } from './scripts.ts';

const ID = /^[a-z0-9][a-z0-9-]{0,63}$/;
const MAX_BYTES = 64 * 1024;
const MAX_RESULT_BYTES = 1024 * 1024;
const TURN_MS = 200;
/** A command's own duration on a slow host, besides its waiting. */
const PATIENCE_MS = 30_000;
const NO_DIRECTORY = 71;
const NO_SETSID = 72;
const STILL_RUNS = 73;

/** Detached runs with POSIX shell and /proc: under systemd as units, elsewhere in sessions. */
export class ShellDetachedRuns implements DetachedRuns {
  async start(host: RemoteHost, { id, script, args = [] }: DetachedCommand): Promise<void> {
    checkId(id);
    const watcher = Buffer.from(WATCHER);
    const { exitCode, stderr } = await this.#run(host, {
      script: START,
      args: [id, String(watcher.length), ...args],
      stdin: Buffer.concat([watcher, Buffer.from(script)]),
    });
    if (exitCode === NO_SETSID) {
      throw new DomainError(
        'host_tool_missing',
        'The host lacks setsid (package util-linux), without which long work would end with the connection.',
      );
    }
    if (exitCode !== 0) throw failed('could not start detached work', exitCode, stderr);
  }

  async read(...[host, id, offset, { waitMs, signal }]: Parameters<DetachedRuns['read']>): Promise<RunPart> {
    checkId(id);
    const turns = Math.ceil(waitMs / TURN_MS);
    const { exitCode, stdout, stderr } = await host.run(
      { script: READ, args: [id, String(offset), String(turns), String(MAX_BYTES)], asRoot: true },
      { timeoutMs: waitMs + PATIENCE_MS, signal },
    );
    const header = exitCode === 0 ? stdout.indexOf(0x0a) : -1;
    if (header < 0) throw failed('could not read the state of detached work', exitCode, stderr);
    const [kind = '', code = '', size = ''] = stdout.subarray(0, header).toString('latin1').split(' ');
    const content = stdout.subarray(header + 1);
    if (content.length !== Number(size)) {
      throw new DomainError('host_connection_lost', 'The host sent less of a log than it had announced.');
    }
    return { content, next: offset + content.length, state: stateOf(kind, code) };
  }

  async result(host: RemoteHost, id: string): Promise<string> {
    checkId(id);
    const { exitCode, stdout, stderr } = await host.run(
      { script: RESULT, args: [id, String(MAX_RESULT_BYTES)], asRoot: true },
      { timeoutMs: PATIENCE_MS, maxOutputBytes: MAX_RESULT_BYTES },
    );
    if (exitCode !== 0) throw failed('could not read the output of detached work', exitCode, stderr);
    return stdout.toString('utf8');
  }

  async askToStop(host: RemoteHost, id: string): Promise<void> {
    checkId(id);
    const { exitCode, stderr } = await this.#run(host, { script: ASK_TO_STOP, args: [id] });
    if (exitCode !== 0) throw failed('could not ask the detached work to end', exitCode, stderr);
  }

  async renew(host: RemoteHost, id: string): Promise<void> {
    checkId(id);
    const { exitCode, stderr } = await this.#run(host, { script: RENEW, args: [id] });
    if (exitCode !== 0) throw failed('could not renew the lease of the detached work', exitCode, stderr);
  }

  async terminate(host: RemoteHost, id: string): Promise<boolean> {
    checkId(id);
    const { exitCode, stdout, stderr } = await this.#run(host, { script: TERMINATE, args: [id] });
    if (exitCode !== 0) throw failed('could not end the detached work', exitCode, stderr);
    return stdout.toString('latin1').trim() === 'sent';
  }

  async forget(host: RemoteHost, id: string): Promise<void> {
    checkId(id);
    const { exitCode, stderr } = await this.#run(host, { script: FORGET, args: [id] });
    if (exitCode === STILL_RUNS) {
      throw new DomainError('host_command_failed', 'The work continues; its files are removed when it ends.');
    }
    if (exitCode !== 0) throw failed('could not remove the files of the detached work', exitCode, stderr);
  }

  #run(host: RemoteHost, command: HostCommand): Promise<CommandResult> {
    return host.run({ ...command, asRoot: true }, { timeoutMs: PATIENCE_MS });
  }
}

function checkId(id: string): void {
  if (!ID.test(id))
    throw new DomainError(
      'invalid_input',
      'A run is named by lower-case letters, digits and "-", 64 at most.',
    );
}

function stateOf(kind: string, code: string): RunState {
  switch (kind) {
    case 'ended':
      // An empty exit file (a full disk) only shows that the run is over.
      return /^\d{1,3}$/.test(code) ? { kind, exitCode: Number(code) } : { kind: 'died' };
    case 'running':
    case 'died':
    case 'interrupted':
    case 'not_started':
    case 'unknown':
      return { kind };
    default:
      throw new DomainError('host_unsupported', 'The host did not report the state of its work correctly.');
  }
}

function failed(what: string, exitCode: number | null, stderr: Buffer): DomainError {
  const [first = ''] = firstLines(stderr.toString('utf8').trimStart(), 1);
  const said = first.slice(0, 200);
  const where = exitCode === NO_DIRECTORY ? ' in the home directory' : '';
  return new DomainError('host_command_failed', `The host ${what}${where}${said ? `: ${said}` : ''}.`);
}
