import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DirectorySpace } from '../../../../src/adapters/outbound/backup/directory-space.ts';
import { storeSpaceContract } from '../../../contracts/store-space.contract.ts';
import { FakeStoreSpace } from '../../../fakes/fake-store-space.ts';
import { atEnd } from '../../../support/at-end.ts';

async function directory(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'drover-space-'));
  atEnd(() => rm(made, { recursive: true }));
  return made;
}

storeSpaceContract(
  'a directory',
  async (isThere) => new DirectorySpace(isThere ? await directory() : join(await directory(), 'backups')),
);
storeSpaceContract('in memory', async () => new FakeStoreSpace());

test('A directory whose parent is missing has no known space', async () => {
  expect(await new DirectorySpace(join(await directory(), 'a', 'b')).now()).toBeNull();
});
