import type { Readable } from 'node:stream';
import type {
  CommandResult,
  HostCommand,
  HostProcess,
  RunOptions,
} from '../../../../application/ports/fleet/remote-host.ts';
import { DomainError } from '../../../../domain/base/errors.ts';
import { limitedSignal } from './when-aborted.ts';

const DEFAULT_TIMEOUT_MS = 60_000;
const DEFAULT_MAX_OUTPUT_BYTES = 1024 * 1024;

type Open = (command: HostCommand, options: { signal: AbortSignal }) => Promise<HostProcess>;

/**
 * `RemoteHost.run` in terms of `RemoteHost.open`: the same for every kind of host. `open` must end the command when
 * its signal is aborted and settle `exit` soon after, even if the host no longer answers.
 */
export async function runToEnd(
  serverName: string,
  open: Open,
  command: HostCommand,
  options: RunOptions = {},
): Promise<CommandResult> {
  const { signal, timeoutMs = DEFAULT_TIMEOUT_MS, maxOutputBytes = DEFAULT_MAX_OUTPUT_BYTES } = options;
  signal?.throwIfAborted();
  const ending = limitedSignal(signal, timeoutMs, () => timedOut(serverName, timeoutMs));
  try {
    const started = await open(command, { signal: ending.signal });
    started.stdin.end();
    const stdout = keep(started.stdout, maxOutputBytes);
    const stderr = keep(started.stderr, maxOutputBytes);
    const exit = await started.exit;
    ending.signal.throwIfAborted();
    return {
      ...exit,
      stdout: stdout.content(),
      stderr: stderr.content(),
      truncated: stdout.truncated() || stderr.truncated(),
    };
  } catch (error) {
    // a connection that is lost while a command is being ended is irrelevant to the caller
    ending.signal.throwIfAborted();
    throw error;
  } finally {
    ending.release();
  }
}

const timedOut = (serverName: string, timeoutMs: number): DomainError =>
  new DomainError(
    'host_timeout',
    `A command on "${serverName}" did not end within ${timeoutMs / 1000} s; it was ended.`,
  );

/** Reads a stream to its end and keeps its start. */
function keep(stream: Readable, maxBytes: number): { content: () => Buffer; truncated: () => boolean } {
  const chunks: Buffer[] = [];
  let kept = 0;
  let truncated = false;
  stream.on('data', (chunk: Buffer) => {
    const room = maxBytes - kept;
    if (chunk.length > room) truncated = true;
    if (room <= 0) return;
    const part = chunk.subarray(0, room);
    chunks.push(part);
    kept += part.length;
  });
  // the command's `exit` has its result; a stream that breaks is part of that
  stream.on('error', () => undefined);
  return { content: () => Buffer.concat(chunks), truncated: () => truncated };
}
