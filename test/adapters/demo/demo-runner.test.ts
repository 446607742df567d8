import { expect, test } from 'vitest';
import { DemoRunner } from '../../../src/adapters/demo/demo-runner.ts';
import { NodeDigest } from '../../../src/adapters/outbound/system/node-digest.ts';
import type { JobContext } from '../../../src/application/jobs/runner.ts';
import { FakeClock } from '../../fakes/fake-clock.ts';
import { fakeInventory } from '../../fakes/fake-host-facts.ts';

test('plans a reboot of the demo with the current uptime and whether one is pending', async () => {
  const clock = new FakeClock();
  const inventory = fakeInventory({ rebootPending: true, uptimeSeconds: 121 * 86_400 });
  const runner = new DemoRunner(
    {
      inventories: { find: async () => ({ ...inventory, at: clock.now() }), save: async () => {} },
      clock,
      digest: new NodeDigest(),
      paceMs: 0,
    },
    [],
  );
  const context = {
    job: { id: 7, serverId: 1, jobType: 'host_reboot', params: { dryRun: true } },
    server: { id: 1 },
    signal: new AbortController().signal,
    detached: { marker: null, mark: async () => {}, log: () => {} },
    progress: () => {},
    openHost: async () => ({}),
  } as unknown as JobContext;
  const { result } = await runner.plan(context);
  expect(result).toMatchObject({
    plan_id: 7,
    changes: [expect.anything()],
    reboot_pending: true,
    uptime_seconds: 121 * 86_400,
  });
});
