import { type IncomingMessage, request } from 'node:http';
import { Duplex } from 'node:stream';
import type { HostProcess, RemoteHost } from '../../../../application/ports/fleet/remote-host.ts';
import { DomainError } from '../../../../domain/base/errors.ts';
import { SECOND } from '../../../../domain/base/instant.ts';
import { hostJson } from '../shell/host-lines.ts';
import { plainText } from '../shell/host-text.ts';
import { limitedSignal } from '../shell/when-aborted.ts';

/**
 * Connects standard input and output to the engine's API: what the client itself uses to reach an engine over SSH.
 */
const DIAL = String.raw`export LC_ALL=C PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin"
command -v docker >/dev/null || exit 127
exec docker system dial-stdio`;

/** A digest with its platforms. */
const MAX_BYTES = 1024 * 1024;
const MAX_REPORTED = 4_096;

export interface ApiAnswer {
  readonly status: number;
  readonly body: unknown;
}

/**
 * The HTTP API of docker on a host, over a command there: no port, no program other than docker. Throws
 * `host_tool_missing` if docker is missing, `host_command_failed` if it does not answer, `host_timeout`.
 */
export async function askEngine(
  host: RemoteHost,
  path: string,
  options: {
    readonly signal: AbortSignal;
    readonly headers?: Readonly<Record<string, string>>;
    readonly timeoutMs?: number;
  },
): Promise<ApiAnswer> {
  const timeoutMs = options.timeoutMs ?? 60 * SECOND;
  const { signal, release: letGo } = limitedSignal(options.signal, timeoutMs, () => tooLong(timeoutMs));
  let dialled: HostProcess | null = null;
  try {
    dialled = await host.open({ script: DIAL, asRoot: true }, { signal });
    return await Promise.race([exchange(dialled, path, options.headers ?? {}), endOf(dialled)]);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    letGo();
    dialled?.kill();
  }
}

function exchange(
  { stdin, stdout }: HostProcess,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<ApiAnswer> {
  return new Promise((resolve, reject) => {
    const createConnection = () => {
      const line = Duplex.from({ readable: stdout, writable: stdin });
      // How the command ended says more than that its stream broke; see endOf.
      return line.on('error', () => undefined);
    };
    const asked = request({ path, headers: { Host: 'docker', ...headers }, createConnection }, (answer) => {
      bodyOf(answer).then((body) => resolve({ status: answer.statusCode ?? 0, body }), reject);
    });
    asked.on('error', () => undefined);
    asked.end();
  });
}

async function bodyOf(answer: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw unanswered(`its answer is larger than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  const body = hostJson(Buffer.concat(chunks).toString('utf8'), MAX_BYTES);
  if (body === undefined) throw unanswered('its answer is not JSON');
  return body;
}

/** Never resolves: a command that ends before there is an answer is a failure. */
async function endOf(dialled: HostProcess): Promise<never> {
  let said = '';
  dialled.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString('utf8')).slice(0, MAX_REPORTED);
  });
  dialled.stderr.on('error', () => undefined);
  const { exitCode } = await dialled.exit;
  if (exitCode === 127) throw new DomainError('host_tool_missing', 'The host no longer has Docker.');
  // An answer that came just before the end is still being read.
  await new Promise((resolve) => setTimeout(resolve, SECOND));
  throw unanswered(plainText(said, 300) ?? `its client exited with code ${exitCode}`);
}

const unanswered = (why: string): DomainError =>
  new DomainError(
    'host_command_failed',
    `The container engine of the host does not answer: ${why}. Check that it runs (systemctl status docker), and that the account can use it.`,
  );

const tooLong = (ms: number): DomainError =>
  new DomainError('host_timeout', `The container engine of the host did not answer within ${ms / SECOND} s.`);
