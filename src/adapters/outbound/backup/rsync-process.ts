import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessExit, RemoteHost } from '../../../application/ports/fleet/remote-host.ts';
import { TOOL_ENVIRONMENT } from './local-program.ts';
import { RsyncCarrier } from './rsync-carrier.ts';
import { readLines } from './rsync-lines.ts';

/**
 * What rsync starts in place of ssh. It passes rsync's two streams to the service over descriptor 3 and sends over 4
 * the command for the host (a count, then the NUL-terminated arguments), then waits there for its exit code. rsync
 * splits this value at blanks except inside single quotes, so the script contains none.
 */
const REMOTE_SHELL = `sh -c '
printf "%s\\0" "$#" "$@" >&4
exec 6<&0 </dev/null
cat <&6 >&3 &
cat <&3
read -r code <&4
kill $! 2>/dev/null
wait
exit "\${code:-255}"
' drover`;

/** Bounds the address space (KiB): a host that lists files without end must not take all memory of the service's machine. */
const LIMITED = 'ulimit -v "$1" 2>/dev/null; shift; exec rsync "$@"';
const DATA = 3;
const CONTROL = 4;
/** After SIGTERM rsync saves partial files; this is its limit. */
const GRACE_MS = 5_000;
const POLL_MS = 10;

export interface RsyncRun {
  /** rsync's arguments, without the remote shell. The host is called `drover` in them. */
  readonly args: readonly string[];
  readonly host: RemoteHost;
  /** Run on the host with `remoteArgs` and rsync's own arguments behind them; it ends in `exec rsync "$@"`. */
  readonly remoteScript: string;
  readonly remoteArgs?: readonly string[];
  /** For `--files-from=- --from0`. */
  readonly paths: readonly Buffer[];
  /** A descriptor for rsync to inherit, so that the lock on it lives as long as rsync does. */
  readonly lockFd?: number;
  readonly memoryKib: number;
  readonly signal: AbortSignal;
  /** Lines of rsync's own output, bounded in length. */
  readonly onOutput: (line: string) => void;
  /** Lines of complaint, ours and the host's. */
  readonly onComplaint: (line: string) => void;
}

export interface RsyncEnd {
  /** rsync's code here; `null` when a signal ended it. */
  readonly exitCode: number | null;
  /** How the host's side ended; `null` when it never started. */
  readonly remote: ProcessExit | null;
}

/**
 * Runs rsync here against rsync on the host; when it returns or throws, none of its processes is left. Throws the
 * signal's reason, or what the host's connection ended with.
 */
export async function runRsync(run: RsyncRun): Promise<RsyncEnd> {
  run.signal.throwIfAborted();
  const child = spawn('sh', ['-c', LIMITED, 'drover', String(run.memoryKib), '--blocking-io', ...run.args], {
    env: { ...TOOL_ENVIRONMENT, RSYNC_RSH: REMOTE_SHELL },
    // a separate process group: its helpers end with it, and the service handles a terminal's Ctrl-C
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe', 'pipe', ...(run.lockFd === undefined ? [] : [run.lockFd])],
  });
  const ended = once(child, 'exit').then(([code]: unknown[]) => (typeof code === 'number' ? code : null));
  const stop = (): void => void endSoon(child, ended);
  run.signal.addEventListener('abort', stop, { once: true });
  const carrier = new RsyncCarrier(run, duplex(child, DATA), duplex(child, CONTROL));
  const output = Promise.all([
    readLines(duplex(child, 1), run.onOutput),
    readLines(duplex(child, 2), run.onComplaint),
  ]);
  try {
    const names = duplex(child, 0);
    names.on('error', () => undefined);
    names.end(Buffer.concat(run.paths.flatMap((path) => [path, Buffer.alloc(1)])));
    const exitCode = await ended;
    await carrier.finish();
    await groupGone(child);
    await output;
    run.signal.throwIfAborted();
    if (carrier.failure !== undefined) throw carrier.failure;
    return { exitCode, remote: carrier.remote };
  } finally {
    run.signal.removeEventListener('abort', stop);
  }
}

const duplex = (child: ChildProcess, index: number): Duplex => child.stdio[index] as Duplex;

async function endSoon(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  child.kill('SIGTERM');
  const inTime = new AbortController();
  await Promise.race([
    ended.finally(() => inTime.abort()),
    sleep(GRACE_MS, undefined, { signal: inTime.signal }).catch(() => undefined),
  ]);
  if (child.exitCode === null && child.signalCode === null) signalGroup(child, 'SIGKILL');
}

/** rsync forks, and its other half may outlive it for a moment. */
async function groupGone(child: ChildProcess): Promise<void> {
  for (let waited = 0; signalGroup(child, 0); waited += POLL_MS) {
    if (waited >= GRACE_MS) {
      signalGroup(child, 'SIGKILL');
      return;
    }
    await sleep(POLL_MS);
  }
}

/** False if the group is empty. */
function signalGroup(child: ChildProcess, signal: 'SIGKILL' | 0): boolean {
  try {
    return child.pid !== undefined && process.kill(-child.pid, signal);
  } catch {
    return false;
  }
}
