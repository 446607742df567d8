import type { HostProcess, RemoteHost } from '../../../application/ports/fleet/remote-host.ts';
import { DomainError } from '../../../domain/base/errors.ts';
import { lastLine } from '../hosts/shell/host-lines.ts';
import { readLines } from './rsync-lines.ts';

/**
 * Keeps a directory for as long as its standard input is open, then removes it: that is closed even if the process is
 * killed. Leftovers of a power failure are swept by the next one. The home directory comes from the user database,
 * since sudo may leave HOME as it was.
 */
const KEEP = `umask 077
trap '' HUP PIPE
home=$(getent passwd "$(id -u)" 2>/dev/null | cut -d: -f6)
[ -n "$home" ] || home=$HOME
base=\${1:-$home/.drover/scratch}
mkdir -p -- "$base" || exit 43
find "$base" -mindepth 1 -maxdepth 1 -mtime +1 -exec rm -rf -- {} + 2>/dev/null
dir=$(mktemp -d "$base/verify.XXXXXX") || exit 43
printf '%s\\n' "$dir"
cat >/dev/null
tries=0
while ! rm -rf -- "$dir" 2>/dev/null && [ "$tries" -lt 30 ]; do tries=$((tries + 1)); sleep 1; done
[ ! -e "$dir" ]`;

/** Prints how many KiB may be written there. */
const FREE = 'exec df -Pk -- "$1"';
const REMOVE = 'exec rm -rf -- "$1"';
const TIMEOUT_MS = 60_000;
const REMOVE_TIMEOUT_MS = 15 * 60_000;

/** A temporary directory of a host, removed when the service goes away. */
export class Scratch {
  readonly host: RemoteHost;
  readonly directory: string;
  readonly #keeper: HostProcess;
  readonly #signal: AbortSignal;

  private constructor(host: RemoteHost, directory: string, keeper: HostProcess, signal: AbortSignal) {
    this.host = host;
    this.directory = directory;
    this.#keeper = keeper;
    this.#signal = signal;
  }

  /** `base`: below which directory; by default one in the home of the account. Throws `host_command_failed`. */
  static async open(host: RemoteHost, signal: AbortSignal, base = ''): Promise<Scratch> {
    // it does not end with the signal: it has to clean up first
    const keeper = await host.open({ script: KEEP, args: [base], asRoot: true });
    keeper.stdin.on('error', () => undefined);
    keeper.exit.catch(() => undefined);
    let said = '';
    void readLines(keeper.stderr, (line) => {
      said = line.slice(0, 300);
    });
    const directory = await firstLine(keeper);
    if (directory !== null) return new Scratch(host, directory, keeper, signal);
    throw new DomainError(
      'host_command_failed',
      `No scratch directory could be created: ${said || 'unknown reason'}.`,
    );
  }

  /** Bytes that may be written there. */
  async free(): Promise<number> {
    const command = { script: FREE, args: [this.directory], asRoot: true };
    const { stdout, exitCode } = await this.host.run(command, {
      timeoutMs: TIMEOUT_MS,
      signal: this.#signal,
    });
    const kib = Number(lastLine(stdout.toString('utf8')).split(/\s+/)[3]);
    if (exitCode === 0 && Number.isFinite(kib)) return kib * 1024;
    throw new DomainError(
      'host_command_failed',
      `The host does not report how much space "${this.directory}" has.`,
    );
  }

  async remove(directory: string): Promise<void> {
    const command = { script: REMOVE, args: [directory], asRoot: true };
    await this.host.run(command, { timeoutMs: REMOVE_TIMEOUT_MS });
  }

  /** Removes the directory with all contents. Never throws: the keeper exits automatically. */
  async close(): Promise<void> {
    this.#keeper.stdin.end();
    await this.#keeper.exit.catch(() => undefined);
  }
}

/** Its first line; `null` if it ends without one. */
function firstLine({ stdout, exit }: HostProcess): Promise<string | null> {
  return new Promise((resolve) => {
    let text = '';
    stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
      const end = text.indexOf('\n');
      if (end >= 0) resolve(text.slice(0, end));
    });
    stdout.once('close', () => resolve(null));
    exit.then(
      () => resolve(null),
      () => resolve(null),
    );
  });
}
