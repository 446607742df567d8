import { describe } from 'vitest';
import { backupDumpsContract } from '../../../contracts/backup-dumps.contract.ts';
import { backupEngineContract } from '../../../contracts/backup-engine.contract.ts';
import { protectedPlacesContract } from '../../../contracts/protected-places.contract.ts';
import { hostileHere, snapshotBrowserContract } from '../../../contracts/snapshot-browser.contract.ts';
import { describeWith } from '../../../support/capabilities.ts';
import { LocalWorld } from './local-world.ts';

describe('on this machine', () => {
  backupEngineContract('plain trees from and to this machine', () => LocalWorld.create());
  backupDumpsContract('plain trees from and to this machine', () => LocalWorld.create());
  protectedPlacesContract('plain trees', () => LocalWorld.create());
  snapshotBrowserContract('plain trees on this machine', () => LocalWorld.create(), hostileHere);
});

describeWith('busybox', 'on a host with busybox and nothing else', () => {
  backupEngineContract('plain trees from and to busybox', () => LocalWorld.create({ busybox: true }));
  backupDumpsContract('plain trees from and to busybox', () => LocalWorld.create({ busybox: true }));
});
