import { HOOK_TIMES } from '../../src/application/backups/hook-runs.ts';
import { SourceHooks } from '../../src/application/backups/source-hooks.ts';
import { FakeClock } from '../fakes/fake-clock.ts';
import { FakeDetachedRuns } from '../fakes/fake-detached-runs.ts';

/** For backups whose sources stop nothing. */
export const noHooks = (): SourceHooks =>
  new SourceHooks({ runs: new FakeDetachedRuns(), clock: new FakeClock(), process: null, times: HOOK_TIMES });
