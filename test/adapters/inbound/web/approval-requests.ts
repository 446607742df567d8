import { RequestChange } from '../../../../src/application/jobs/request-change.ts';
import { HOUR } from '../../../../src/domain/base/instant.ts';
import { type JobResult, requestJob } from '../../../../src/domain/jobs/job.ts';
import { tokenActor } from '../../../support/application-scene.ts';
import { openWebFixture, type WebFixture } from './web-fixture.ts';

/** A fixture with an agent whose jobs need approval. */
export async function openWithAgent(): Promise<WebFixture> {
  const fixture = await openWebFixture();
  await fixture.scene.tokens.add(
    {
      name: 'agent',
      prefix: 'drv_0000',
      scopes: ['read', 'jobs', 'edit'],
      allowedCidrs: [],
      allowedServerIds: null,
      requireApproval: true,
      createdBy: 'user:root',
      createdAt: 0,
      expiresAt: null,
    },
    'a'.repeat(64),
    () => ({}),
  );
  return fixture;
}

/** The agent requests a job. */
export async function ask(
  { scene: { jobs, approvals, clock } }: WebFixture,
  jobType: 'backup' | 'os_patch',
  sourceFilter: string | null = null,
  server = { id: 1, name: 'web' },
) {
  const requester = {
    kind: 'token',
    id: 1,
    name: 'agent',
    address: '203.0.113.5',
    label: 'token:agent',
  } as const;
  const job = await jobs.enqueue(
    requestJob({
      server,
      type: jobType,
      params: { sourceFilter, service: null, osSteps: null, dryRun: false },
      requestedBy: 'token:agent',
      reason: 'CVE-2026-1234 <b>now</b>',
      scheduled: false,
      approval: { requester, expiresAt: clock.now() + 24 * HOUR },
      at: clock.now(),
    }),
    () => ({}),
  );
  const approval = await approvals.ofJob(job.id);
  if (!approval) throw new Error('The job has no request.');
  return { job, at: `/approvals/${approval.id}` };
}

/** The agent requests to switch a feature of the first server off. */
export async function askToSwitchOff({ scene }: WebFixture, flag: 'backup' | 'os_patch') {
  const actor = tokenActor({ id: 1, requireApproval: true });
  const change = { kind: 'set_features', serverId: 1, flags: { [flag]: false } } as const;
  const approval = await new RequestChange(scene).execute(actor, change);
  if (!approval) throw new Error('The change needs no approval.');
  return { approval, at: `/approvals/${approval.id}` };
}

/** All jobs that can run end, with this result. */
export async function finishAll({ scene: { queue, clock } }: WebFixture, result: JobResult): Promise<void> {
  const outcome = { status: 'success', summary: 'Fine.', error: null, result, facts: {} } as const;
  const request = { owner: 'w', leaseMs: 60_000, at: clock.now(), limit: 9, record: () => ({}) };
  for (const claim of await queue.claim(request)) await queue.finish(claim, outcome, clock.now(), () => ({}));
}
