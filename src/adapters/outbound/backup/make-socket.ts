import { once } from 'node:events';
import { chmodSync, closeSync, constants, lchownSync, openSync, renameSync } from 'node:fs';
import { createServer } from 'node:net';
import { DomainError } from '../../../domain/base/errors.ts';
import { runTool } from './local-program.ts';
import type { Surveyed } from './surveyed.ts';

const DRAFT = '.drover-socket';

/** A socket without a listener, which tar neither stores nor makes. It is bound beside its place under a short name. */
export async function makeSocket(place: Buffer, entry: Surveyed, signal: AbortSignal): Promise<void> {
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
