import { detachedRunsContract } from '../contracts/detached-runs.contract.ts';
import { FakeDetachedRuns } from './fake-detached-runs.ts';
import { FakeHost } from './fake-host.ts';

detachedRunsContract('in memory', async () => {
  const runs = new FakeDetachedRuns();
  return {
    runs,
    host: new FakeHost('web-1').session(),
    command: (id) => Promise.resolve({ id, script: 'exit 0' }),
    says: async (id, text) => runs.says(id, text),
    ends: async (id, exitCode, result) => runs.ends(id, exitCode, result),
    close: () => Promise.resolve(),
  };
});
