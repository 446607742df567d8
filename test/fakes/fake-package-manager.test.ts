import { SystemClock } from '../../src/adapters/outbound/system/system-clock.ts';
import { DomainError } from '../../src/domain/base/errors.ts';
import {
  type PackageManagerSubject,
  PRINT_FIRST,
  packageManagerContract,
} from '../contracts/package-manager.contract.ts';
import { FakeHost } from './fake-host.ts';
import { type FakePackage, FakePackageManager } from './fake-package-manager.ts';

const V1: readonly FakePackage[] = ['demo-app', 'demo-lib', 'demo-kernel'].map((name) => ({
  name,
  version: '1.0',
}));
const V2: readonly FakePackage[] = [
  { name: 'demo-app', version: '2.0' },
  { name: 'demo-lib', version: '1.0+deb12u1', security: true },
  { name: 'demo-kernel', version: '1.1', security: true },
];

packageManagerContract('fake', async () => {
  let state = new FakePackageManager({ clock: new SystemClock() });
  const gone = new FakeHost('gone').session();
  const delegate = (lockWaitMs: number): PackageManagerSubject['manager'] => ({
    family: 'debian',
    check: (host, options) => {
      state.failure = host === gone ? new DomainError('host_unreachable', 'It is gone.') : null;
      state.lockWaitMs = lockWaitMs;
      return state.check(host, options);
    },
    plan: (host, options) => {
      state.failure = host === gone ? new DomainError('host_unreachable', 'It is gone.') : null;
      return state.plan(host, options);
    },
    patch: (options) => state.patch(options),
    canDowngrade: true,
    planDowngrade: (host, options) => state.planDowngrade(host, options),
    downgrade: (options) => state.downgrade(options),
    recovery: (runId) => state.recovery(runId),
    outcome: (ended) => state.outcome(ended),
  });
  const offer = (packages: readonly FakePackage[]): void => {
    const [main] = state.sources;
    if (main) main.packages = packages;
  };
  return {
    manager: delegate(300_000),
    versions: { old: '1.0', app: '2.0', lib: '1.0+deb12u1', kernel: '1.1' },
    knowsSecurity: true,
    impatient: delegate(500),
    host: new FakeHost('here').on(PRINT_FIRST, ({ args }) => `${args[0]}, ${args.length}`).session(),
    gone,
    reset: async () => {
      state = new FakePackageManager({ clock: new SystemClock() });
      for (const { name, version } of V1) state.installed.set(name, version);
      offer(V1);
    },
    publish: async () => offer(V2),
    hold: async (name) => void state.held.add(name),
    askForReboot: async () => {
      state.rebootPending = true;
    },
    addDeadSource: async () => void state.sources.push({ name: 'dead', packages: [], works: false }),
    killSources: async () => {
      for (const source of state.sources) source.works = false;
    },
    addStalledSource: async () =>
      void state.sources.push({ name: 'stalled', packages: [], works: true, stalled: true }),
    isRunning: async () => false,
    lock: async () => {
      state.lockedBy = 'another program';
      return async () => {
        state.lockedBy = null;
      };
    },
    installed: async () => JSON.stringify([...state.installed]),
    close: async () => undefined,
  };
});
