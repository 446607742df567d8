import { totalmem } from 'node:os';
import type { RemoteHost } from '../../../application/ports/fleet/remote-host.ts';
import { DomainError } from '../../../domain/base/errors.ts';
import { type ByteString, toBuffer } from './byte-string.ts';
import { ATTRIBUTES } from './kept-attributes.ts';
import { RsyncComplaints } from './rsync-complaints.ts';
import { RsyncOutput, type RsyncStats } from './rsync-lines.ts';
import { type Outcome, outcomeOf } from './rsync-outcome.ts';
import { runRsync } from './rsync-process.ts';

/** So long nothing may come from the host, in seconds. */
const SILENCE_S = 900;
const KIB = 1024;

/** File attributes that rsync keeps in both directions: all of `-a`, hard links, holes. See `ATTRIBUTES` for more. */
export const KEPT = ['-rlptgoD', '-H', '-S', '--numeric-ids'];

/**
 * `-s`: no argument is seen by a shell on the host. `--files-from`: paths are names, never patterns.
 * `--modify-window=-1`: times are compared in nanoseconds.
 */
export const PLAIN = [
  '-s',
  '--files-from=-',
  '--from0',
  '--modify-window=-1',
  '--no-human-readable',
  '--stats',
];

/** Half of the machine's memory for one rsync, but 4 GiB at the most: enough for tens of millions of files. */
export const memoryLimitKib = (): number =>
  Math.floor(Math.min(Math.max(totalmem() / 2, 512 * KIB * KIB), 4 * KIB * KIB * KIB) / KIB);

export interface PullOrder {
  readonly host: RemoteHost;
  /** Absolute paths on the host. */
  readonly roots: readonly ByteString[];
  /** Whether ACLs and extended attributes are kept: both sides can carry them, and so far the store takes them. */
  readonly attributes: boolean;
  /** Trees to build on. */
  readonly linkDests: readonly string[];
  /** For files in none of them: they may be other snapshots'. */
  readonly destination: string;
  readonly lockFd?: number;
}

export interface PullResult {
  readonly outcome: Outcome;
  readonly stats: RsyncStats;
  readonly complaints: RsyncComplaints;
}

/**
 * Fetches files; `onBytes` gets the progress in bytes of content. If a tree has another version of a file, only
 * differences are transferred. Partial files stay.
 */
export const pull = (
  order: PullOrder,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<PullResult> => run(order, ['--partial', '--info=progress2'], signal, onBytes);

async function run(
  order: PullOrder,
  mode: readonly string[],
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<PullResult> {
  const output = new RsyncOutput(onBytes);
  const complaints = new RsyncComplaints();
  const end = await runRsync({
    host: order.host,
    remoteScript: 'exec rsync "$@"',
    args: [
      ...KEPT,
      ...(order.attributes ? ATTRIBUTES : []),
      ...PLAIN,
      ...mode,
      `--timeout=${SILENCE_S}`,
      ...withoutRoot(),
      ...order.linkDests.map((tree) => `--link-dest=${tree}`),
      '--',
      'drover:/',
      `${order.destination}/`,
    ],
    paths: order.roots.map(toBuffer),
    memoryKib: memoryLimitKib(),
    signal,
    onOutput: output.line,
    onComplaint: complaints.line,
    ...(order.lockFd === undefined ? {} : { lockFd: order.lockFd }),
  });
  const outcome = outcomeOf(end, complaints);
  const stats = output.stats();
  if (outcome === 'full') return { outcome, stats: stats ?? NO_STATS, complaints };
  if (!stats) throw new DomainError('backup_failed', `rsync stopped early: ${complaints.text}.`);
  return { outcome, stats, complaints };
}

/** Without root the service could neither read files that their owner cannot read, nor remove them later. */
const withoutRoot = (): string[] => (process.geteuid?.() === 0 ? [] : ['--chmod=Du+rwx,Fu+r']);

const NO_STATS: RsyncStats = {
  files: 0,
  regularFiles: 0,
  directories: 0,
  created: 0,
  transferredFiles: 0,
  totalBytes: 0,
  transferredBytes: 0,
  literalBytes: 0,
};
