import type { Planned } from './comparison.ts';
import { Pace } from './pace.ts';
import type { Need } from './store-space.ts';
import type { Received } from './use-received.ts';

/** What a plan amounts to. */
export interface WorkAhead {
  readonly files: number;
  /** Content to fetch, and whether it has holes; what an earlier run received is part of it. */
  readonly fetchBytes: number;
  readonly holes: boolean;
  /** What is still to come over the wire. */
  readonly filesToCome: number;
  readonly bytesToCome: number;
  /** Links cost nothing but their directories. */
  readonly need: Need;
}

/** `isGnu`: the host's tar leaves holes out. */
export async function workAhead(
  planned: readonly Planned[],
  received: ReadonlyMap<Planned, Received>,
  isGnu: boolean,
  signal: AbortSignal,
): Promise<WorkAhead> {
  const pace = new Pace(signal);
  const need = { bytes: 0, inodes: 0 };
  const ahead = { files: 0, fetchBytes: 0, holes: false, filesToCome: 0, bytesToCome: 0, need };
  for (const each of planned) {
    if (pace.isLong()) await pace.rest();
    const { action, entry } = each;
    if (entry.type === 'file') ahead.files += 1;
    if (entry.type === 'directory') need.inodes += 1;
    else if (action === 'fetch' || action === 'copy' || action === 'make') {
      const { size, allocated } = entry;
      if (action === 'fetch') {
        ahead.fetchBytes += size;
        ahead.holes ||= allocated < size;
        if (received.get(each)?.isFinished) continue;
        ahead.filesToCome += 1;
        ahead.bytesToCome += size;
      }
      need.bytes += isGnu ? Math.min(size, allocated) : size;
      need.inodes += 1;
    }
  }
  return ahead;
}
