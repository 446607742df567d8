import { liveFilesContract } from '../contracts/live-files.contract.ts';
import { FakeLiveFiles } from './fake-live-files.ts';
import { FakeRemoteHosts } from './fake-remote-hosts.ts';

liveFilesContract('in memory', async () => {
  const files = new Map<string, string>();
  return {
    liveFiles: new FakeLiveFiles(files, Date.now),
    host: new FakeRemoteHosts().host('web1').session(),
    directory: '/srv/test',
    write: async (path, content) => void files.set(path, content),
    close: async () => undefined,
  };
});
