import { symlink } from 'node:fs/promises';
import { describe } from 'vitest';
import { ShellLiveFiles } from '../../../../src/adapters/outbound/backup/shell-live-files.ts';
import { backupDumpsContract } from '../../../contracts/backup-dumps.contract.ts';
import { backupEngineContract } from '../../../contracts/backup-engine.contract.ts';
import { type LiveFilesSubject, liveFilesContract } from '../../../contracts/live-files.contract.ts';
import { protectedPlacesContract } from '../../../contracts/protected-places.contract.ts';
import { hostileHere, snapshotBrowserContract } from '../../../contracts/snapshot-browser.contract.ts';
import { describeWith } from '../../../support/capabilities.ts';
import { LocalFixture } from './local-fixture.ts';

const liveHere = async (options?: { readonly busybox: boolean }): Promise<LiveFilesSubject> => {
  const fixture = await LocalFixture.create(options);
  return {
    liveFiles: new ShellLiveFiles(),
    host: fixture.host,
    directory: fixture.directory,
    write: (path, content) => fixture.write(path, content),
    link: (path, target) => symlink(target, path),
    close: () => fixture.close(),
  };
};

describe('on this machine', () => {
  backupEngineContract('plain trees from and to this machine', () => LocalFixture.create());
  backupDumpsContract('plain trees from and to this machine', () => LocalFixture.create());
  protectedPlacesContract('plain trees', () => LocalFixture.create());
  snapshotBrowserContract('plain trees on this machine', () => LocalFixture.create(), hostileHere);
  liveFilesContract('this machine', liveHere);
});

describeWith('busybox', 'on a host with busybox and nothing else', () => {
  backupEngineContract('plain trees from and to busybox', () => LocalFixture.create({ busybox: true }));
  backupDumpsContract('plain trees from and to busybox', () => LocalFixture.create({ busybox: true }));
  liveFilesContract('busybox', () => liveHere({ busybox: true }));
});
