import type { Planned } from './comparison.ts';
import { pathBelow } from './file-tree.ts';
import { makeSocket } from './make-socket.ts';
import type { SourceOrder } from './pull-order.ts';
import { deviceNumbers } from './tree-content.ts';
import { memberOf, type TreeWriters } from './tree-writer.ts';

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
