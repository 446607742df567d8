import { backupEngineContract } from '../../contracts/backup-engine.contract.ts';
import { protectedPlacesContract } from '../../contracts/protected-places.contract.ts';
import { hostileHere, snapshotBrowserContract } from '../../contracts/snapshot-browser.contract.ts';
import { describeWith } from '../../support/capabilities.ts';
import { LocalWorld } from './local-world.ts';

describeWith('rsync', 'on this machine', () => {
  backupEngineContract('rsync from and to this machine', () => LocalWorld.create());
  protectedPlacesContract('rsync', () => LocalWorld.create());
  snapshotBrowserContract('rsync store on this machine', () => LocalWorld.create(), hostileHere);
});
