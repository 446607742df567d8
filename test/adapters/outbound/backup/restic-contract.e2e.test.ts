import { backupEngineContract } from '../../../contracts/backup-engine.contract.ts';
import { protectedPlacesContract } from '../../../contracts/protected-places.contract.ts';
import { hostileHere, snapshotBrowserContract } from '../../../contracts/snapshot-browser.contract.ts';
import { describeWith } from '../../../support/capabilities.ts';
import { ResticFixture } from './restic-fixture.ts';

describeWith('restic', 'on this machine', () => {
  backupEngineContract('restic with a repository on the disk', () => ResticFixture.create());
  protectedPlacesContract('restic', () => ResticFixture.create());
  snapshotBrowserContract('restic, a repository on the disk', () => ResticFixture.create(), hostileHere);
});
