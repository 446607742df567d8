import type { ApiFixture } from '../adapters/inbound/http/api-fixture.ts';
import { newSnapshot } from './stores-subject.ts';

/** Two snapshots of the first server, with the ids 1 and 2. */
export async function addSnapshots({ stores, alpha }: ApiFixture): Promise<void> {
  const [source] = await stores.sources.ofServer(alpha.id);
  if (!source) throw new Error('no source');
  await stores.snapshots.add(newSnapshot(source, 's1'));
  await stores.snapshots.add(newSnapshot(source, 's2'));
}
