import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { RemoteHost } from '../../../application/ports/fleet/remote-host.ts';
import type { ByteString } from './byte-string.ts';
import { carriesAttributes } from './kept-attributes.ts';
import { TOOL_ENVIRONMENT } from './local-program.ts';
import type { ManifestEntry } from './manifest-entry.ts';
import { push } from './rsync-push.ts';
import { pushAsTar } from './tar-push.ts';
import { hasGnuTar } from './tree-writer.ts';

/** Transfers files to a host: rsync if both sides have it, which sends only differences; else tar. */
export interface Carrier {
  readonly name: 'rsync' | 'tar';
  /** Whether it can carry ACLs and extended attributes, between these two. */
  readonly attributes: boolean;
  /** No archive has them. */
  readonly sockets: boolean;
  readonly isGnuHere: boolean;
  readonly isGnu: boolean;
}

const ASK = `rsync --version 2>/dev/null; printf '\\0'; tar --version 2>/dev/null`;

export async function carrierTo(host: RemoteHost, signal: AbortSignal): Promise<Carrier> {
  const [{ stdout }, rsyncHere, isGnuHere] = await Promise.all([
    host.run({ script: ASK, asRoot: true }, { signal }),
    promisify(execFile)('rsync', ['--version'], { env: TOOL_ENVIRONMENT }).then(
      (said) => said.stdout,
      () => '',
    ),
    hasGnuTar(),
  ]);
  const [rsyncThere = '', tarThere = ''] = stdout.toString('latin1').split('\0');
  const isGnu = tarThere.includes('GNU tar');
  const isRoot = process.geteuid?.() === 0;
  const both = { isGnuHere, isGnu };
  if (rsyncHere !== '' && rsyncThere.includes('rsync')) {
    const attributes = isRoot && carriesAttributes(rsyncHere) && carriesAttributes(rsyncThere);
    return { name: 'rsync', attributes, sockets: true, ...both };
  }
  return { name: 'tar', attributes: isRoot && isGnuHere && isGnu, sockets: false, ...both };
}

export interface SendOrder {
  readonly host: RemoteHost;
  readonly carrier: Carrier;
  readonly from: string;
  readonly directory: string;
  /** What to send, with all contents. */
  readonly paths: readonly ByteString[];
  /** The same, each path of it. */
  readonly entries: AsyncIterable<ManifestEntry> | Iterable<ManifestEntry>;
  readonly overwrite: boolean;
  readonly attributes: boolean;
  readonly signal: AbortSignal;
  readonly onBytes: (bytes: number) => void;
}

/** Sends files to a host. Returns its complaints, or `null` if there are none. Throws `disk_full`, `backup_failed`. */
export async function sendFiles(order: SendOrder): Promise<string | null> {
  if (order.carrier.name === 'tar') {
    const { isGnu, isGnuHere } = order.carrier;
    const lines = await pushAsTar({ ...order, isGnu, isGnuHere });
    return lines.length === 0 ? null : lines.join('; ');
  }
  const { complaints, isComplete } = await push(order);
  return isComplete && complaints.faultCount === 0 ? null : complaints.text;
}
