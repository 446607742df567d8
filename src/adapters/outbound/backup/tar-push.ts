import { spawn } from 'node:child_process';
import type { RemoteHost } from '../../../application/ports/fleet/remote-host.ts';
import { DomainError } from '../../../domain/base/errors.ts';
import { type ByteString, display, toBuffer } from './byte-string.ts';
import { TOOL_ENVIRONMENT } from './local-program.ts';
import { isDirectory, type ManifestEntry } from './manifest-entry.ts';

/** The only sign of an interrupted write. */
const FULL = /: (?:No space left on device|Disk quota exceeded|Wrote only \d+ of \d+ bytes)$/m;
const MAX_SAID = 16 * 1024;
const MAX_LINES = 5;
const TIMEOUT_MS = 15 * 60_000;

/** "$1": the directory, "$2": `gnu` for GNU tar; then its options. */
export const UNPACK = `
cd -- "$1" || exit 43
kind=$2
shift 2
[ "$kind" = gnu ] || exec tar -x -p -f - "$@"
exec tar -x -p "$@" -f -
`;
/**
 * Removes what tar would not replace: of each path on standard input, prefixed with "d" for a directory and "f" for
 * anything else. A directory that is not empty stays.
 */
const CLEAR = `
cd -- "$1" || exit 43
exec xargs -0 sh -c '
for each do
  path=\${each#?}
  case $each in
  d*) if [ -L "$path" ] || { [ -e "$path" ] && [ ! -d "$path" ]; }; then rm -f -- "$path"; fi ;;
  *) if [ -d "$path" ] && [ ! -L "$path" ]; then rmdir -- "$path" 2>/dev/null; fi ;;
  esac
done
exit 0' drover
`;
/**
 * Archives the paths on standard input here. A tar without support for NUL-separated lists gets names as arguments.
 */
const PACK = `
kind=$1
shift
[ "$kind" = gnu ] || exec xargs -0 tar -c -f - --
exec tar -c -f - "$@" --null -T -
`;

export interface TarPush {
  readonly host: RemoteHost;
  /** The files of the snapshot, here. */
  readonly from: string;
  /** Below which directory of the host; it is there. */
  readonly directory: string;
  /** In walk order, directories too; without sockets, which no archive has. */
  readonly entries: AsyncIterable<ManifestEntry> | Iterable<ManifestEntry>;
  readonly overwrite: boolean;
  readonly attributes: boolean;
  /** Whether both tars are GNU tar. */
  readonly isGnuHere: boolean;
  readonly isGnu: boolean;
  readonly signal: AbortSignal;
  readonly onBytes: (bytes: number) => void;
}

/** Sends files of a snapshot to a host as an archive. Returns the messages of both tars. Throws `disk_full`. */
export async function pushAsTar(order: TarPush): Promise<readonly string[]> {
  const { host, directory, signal } = order;
  const names = await namesOf(order.entries);
  if (order.overwrite) await clearTheWay(host, directory, names, signal);
  let said = await carry(
    order,
    names.map(({ name }) => name),
  );
  const again = order.isGnuHere && !order.isGnu ? names.filter((each) => each.isDirectory).toReversed() : [];
  // a tar that is not GNU's makes some links last of all, which changes the times of their directories
  if (again.length > 0 && !FULL.test(said)) {
    said += await carry(
      { ...order, onBytes: () => undefined },
      again.map(({ name }) => name),
    );
  }
  signal.throwIfAborted();
  if (FULL.test(said)) {
    throw new DomainError(
      'disk_full',
      `The disk of "${directory}" on the host is full: free some space there and restore again.`,
    );
  }
  return said
    .split('\n')
    .filter((line) => line !== '')
    .slice(0, MAX_LINES)
    .map((line) => display(line.slice(0, 400) as ByteString));
}

/** Archives these names here and unpacks them on the host. Returns the messages of both tars. */
async function carry(order: TarPush, names: readonly Buffer[]): Promise<string> {
  const { host, directory, signal, onBytes } = order;
  const process = await host.open(
    { script: UNPACK, args: [directory, order.isGnu ? 'gnu' : 'any', ...unpackOptions(order)], asRoot: true },
    { signal },
  );
  let said = '';
  const hear = (chunk: Buffer): void => {
    if (said.length < MAX_SAID) said += chunk.toString('latin1');
  };
  const packer = spawn('sh', ['-c', PACK, 'drover', order.isGnuHere ? 'gnu' : 'any', ...packOptions(order)], {
    cwd: order.from,
    env: TOOL_ENVIRONMENT,
    stdio: ['pipe', 'pipe', 'pipe'],
    signal,
    killSignal: 'SIGKILL',
  });
  const packed = new Promise<void>((resolve) => {
    packer.once('close', () => resolve());
    packer.once('error', () => undefined);
  });
  packer.stderr.on('data', hear);
  process.stderr.on('data', hear);
  process.stdout.resume();
  process.stdin.on('error', () => packer.kill());
  packer.stdin.on('error', () => undefined);
  let bytes = 0;
  packer.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    onBytes(bytes);
  });
  packer.stdout.pipe(process.stdin);
  packer.stdin.end(Buffer.concat(names));
  try {
    await process.exit;
    packer.kill();
    await packed;
  } finally {
    packer.kill();
    process.kill();
  }
  return said;
}

/** GNU tar reads formats that busybox does not: times to the nanosecond, holes and attributes. */
function packOptions({ isGnuHere, isGnu, attributes }: TarPush): string[] {
  if (!isGnuHere) return [];
  return [
    ...(isGnu ? ['--format=posix', '--pax-option=delete=atime,delete=ctime', '--sparse'] : ['--format=gnu']),
    ...(attributes
      ? ['--xattrs', '--xattrs-include=user.*', '--xattrs-include=security.capability', '--acls']
      : []),
    '--numeric-owner',
    '--no-recursion',
    '--no-unquote',
  ];
}

function unpackOptions({ isGnu, attributes }: TarPush): string[] {
  const ownsItsStore = process.geteuid?.() === 0;
  if (!isGnu) return ownsItsStore ? [] : ['-o'];
  return [
    '-P',
    '--numeric-owner',
    ...(ownsItsStore ? [] : ['--no-same-owner']),
    ...(attributes ? ['--xattrs', '--xattrs-include=*', '--acls'] : []),
    '--warning=no-timestamp',
  ];
}

interface Name {
  readonly name: Buffer;
  readonly isDirectory: boolean;
}

async function namesOf(
  entries: AsyncIterable<ManifestEntry> | Iterable<ManifestEntry>,
): Promise<readonly Name[]> {
  const names: Name[] = [];
  for await (const entry of entries) {
    names.push({ name: toBuffer(`./${entry.path}\0` as ByteString), isDirectory: isDirectory(entry) });
  }
  return names;
}

async function clearTheWay(
  host: RemoteHost,
  directory: string,
  names: readonly Name[],
  signal: AbortSignal,
): Promise<void> {
  if (names.length === 0) return;
  const stdin = Buffer.concat(
    names.flatMap(({ name, isDirectory: isOne }) => [Buffer.from(isOne ? 'd' : 'f'), name]),
  );
  await host.run(
    { script: CLEAR, args: [directory], stdin, asRoot: true },
    { signal, timeoutMs: TIMEOUT_MS },
  );
}
