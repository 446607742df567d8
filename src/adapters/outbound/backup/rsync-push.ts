import type { RemoteHost } from '../../../application/ports/fleet/remote-host.ts';
import { DomainError } from '../../../domain/base/errors.ts';
import { type ByteString, toBuffer } from './byte-string.ts';
import { ATTRIBUTES } from './kept-attributes.ts';
import { KEPT, memoryLimitKib, PLAIN } from './pull.ts';
import { RsyncComplaints } from './rsync-complaints.ts';
import { RsyncOutput } from './rsync-lines.ts';
import { outcomeOf } from './rsync-outcome.ts';
import { runRsync } from './rsync-process.ts';

export interface PushOrder {
  readonly host: RemoteHost;
  /** The files of the snapshot, here. */
  readonly from: string;
  /** Below which directory of the host; it is there. */
  readonly directory: string;
  /** What to send of the snapshot, with all contents. */
  readonly paths: readonly ByteString[];
  readonly overwrite: boolean;
  /** Restores ACLs and extended attributes, and removes those that the snapshot does not have. */
  readonly attributes: boolean;
  readonly signal: AbortSignal;
  readonly onBytes: (bytes: number) => void;
}

/** Sends files of a snapshot to a host. Throws `disk_full`, `host_tool_missing`, `backup_failed`; the rest is in the complaints. */
export async function push(
  order: PushOrder,
): Promise<{ readonly complaints: RsyncComplaints; readonly isComplete: boolean }> {
  const output = new RsyncOutput(order.onBytes);
  const complaints = new RsyncComplaints();
  const end = await runRsync({
    host: order.host,
    // the directory is no argument of rsync, which would take "*" in it as a wildcard
    remoteScript: 'cd -- "$1" || exit 43; shift; exec rsync "$@"',
    remoteArgs: [order.directory],
    args: [
      ...KEPT,
      ...(order.attributes ? ATTRIBUTES : []),
      ...(ownsItsStore() ? [] : ['--no-owner', '--no-group']),
      ...PLAIN,
      '--info=progress2',
      // a file of the same size and time may still be another
      ...(order.overwrite ? ['--checksum'] : []),
      '--',
      `${order.from}/`,
      'drover:./',
    ],
    // with a slash in front, no name passes for a comment
    paths: order.paths.map((path) => Buffer.concat([Buffer.from('/'), toBuffer(path)])),
    memoryKib: memoryLimitKib(),
    signal: order.signal,
    onOutput: output.line,
    onComplaint: complaints.line,
  });
  const outcome = outcomeOf(end, complaints);
  if (outcome === 'full') {
    throw new DomainError(
      'disk_full',
      `The disk of "${order.directory}" on the host is full (${complaints.text}): free some space there and restore again.`,
    );
  }
  return { complaints, isComplete: outcome === 'complete' };
}

/** Without root, owners in the store are the service's own and mean nothing. */
const ownsItsStore = (): boolean => process.geteuid?.() === 0;
