import type { Doors } from '../adapters/inbound/http/doors.ts';
import { newSnapshot } from './stores-subject.ts';

/** Two snapshots of the first server, with the ids 1 and 2. */
export async function addSnapshots({ stores, alpha }: Doors): Promise<void> {
  const [source] = await stores.sources.ofServer(alpha.id);
  if (!source) throw new Error('no source');
  await stores.snapshots.add(newSnapshot(source, 's1'));
  await stores.snapshots.add(newSnapshot(source, 's2'));
}
