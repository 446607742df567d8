import { once } from 'node:events';
import { chmodSync, closeSync, constants, lchownSync, openSync, renameSync } from 'node:fs';
import { createServer } from 'node:net';
import { DomainError } from '../../../domain/base/errors.ts';
import type { Planned } from './comparison.ts';
import { pathBelow } from './file-tree.ts';
import { runTool } from './local-program.ts';
import type { SourceOrder } from './pull-order.ts';
import type { Surveyed } from './surveyed.ts';
import { deviceNumbers } from './tree-content.ts';
import { memberOf, type TreeWriters } from './tree-writer.ts';

const DRAFT = '.drover-socket';

/** A socket without a listener, which tar neither stores nor makes. It is bound beside its place under a short name. */
async function makeSocket(place: Buffer, entry: Surveyed, signal: AbortSignal): Promise<void> {
  const { mode, uid, gid, mtimeNs } = entry.facts;
  const parent = place.subarray(0, place.lastIndexOf('/'));
  const directory = openSync(parent, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  // a path of a socket has at most 107 bytes
  const draft = `/proc/${process.pid}/fd/${directory}/${DRAFT}`;
  const server = createServer();
  try {
    server.listen(draft);
    await once(server, 'listening', { signal });
    if (process.geteuid?.() === 0) lchownSync(draft, uid, gid);
    chmodSync(draft, process.geteuid?.() === 0 ? mode : mode | 0o400);
    const seconds = mtimeNs / 1_000_000_000n;
    const time = `@${seconds}.${String(mtimeNs % 1_000_000_000n).padStart(9, '0')}`;
    const { exitCode, stderr } = await runTool('touch', ['-c', '-h', '-d', time, '--', draft], { signal });
    if (exitCode !== 0) throw new DomainError('backup_failed', `A socket could not be kept: ${stderr}`);
    renameSync(draft, place);
  } finally {
    server.close();
    closeSync(directory);
  }
}

/** Makes links, FIFOs, sockets and devices of a plan. */
export async function makeSpecialFiles(
  writer: TreeWriters,
  made: readonly Planned[],
  {
    order,
    files,
    signal,
  }: { readonly order: SourceOrder; readonly files: string; readonly signal: AbortSignal },
): Promise<void> {
  const isRoot = process.geteuid?.() === 0;
  const isDevice = ({ entry }: Planned): boolean => entry.type.endsWith('-device');
  const devices = made.filter(isDevice);
  const numbers =
    devices.length > 0 && isRoot
      ? await deviceNumbers(
          order.host,
          devices.map(({ path }) => path),
          signal,
        )
      : [];
  for (const each of made) {
    const { entry } = each;
    const device = isDevice(each) ? numbers[devices.indexOf(each)] : undefined;
    if (isDevice(each) && !device) each.action = 'gone';
    else if (entry.type === 'socket') await makeSocket(pathBelow(files, entry.path), entry, signal);
    else if (entry.type === 'symlink' && entry.target !== undefined) {
      await writer.plain().header({ ...memberOf(entry, 'symlink'), target: entry.target });
    } else if (entry.type === 'fifo') await writer.plain().header(memberOf(entry, 'fifo'));
    else if (device && (entry.type === 'character-device' || entry.type === 'block-device')) {
      await writer.plain().header({ ...memberOf(entry, entry.type), device });
    }
  }
}
