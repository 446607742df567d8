import { backupDumpsContract } from '../contracts/backup-dumps.contract.ts';
import { type BackupSubject, backupEngineContract } from '../contracts/backup-engine.contract.ts';
import { snapshotBrowserContract } from '../contracts/snapshot-browser.contract.ts';
import { FakeBackupEngine } from './fake-backup-engine.ts';
import { FakeRemoteHosts } from './fake-remote-hosts.ts';

const makeSubject = async (): Promise<BackupSubject> => {
  const engine = new FakeBackupEngine();
  return {
    engine,
    host: new FakeRemoteHosts().host('web1').session(),
    directory: '/srv/test',
    write: async (path, content) => void engine.files.set(path, content),
    remove: async (path) => void engine.files.delete(path),
    read: async (path) => engine.files.get(path) ?? null,
    transferred: (bytes) => bytes,
    damage: async (snapshot, path, content) => engine.damage(snapshot, path, content),
    close: async () => undefined,
  };
};

backupEngineContract('in memory', makeSubject);
backupDumpsContract('in memory', makeSubject);
snapshotBrowserContract('in memory', makeSubject);
