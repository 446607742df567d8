import { backupEngineContract } from '../../contracts/backup-engine.contract.ts';
import { describeWith } from '../../support/capabilities.ts';
import { LocalWorld } from './local-world.ts';

describeWith('rsync', 'on this machine', () => {
  backupEngineContract('rsync from and to this machine', () => LocalWorld.create());
});
