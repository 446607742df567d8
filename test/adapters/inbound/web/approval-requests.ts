import { HOUR } from '../../../../src/domain/base/instant.ts';
import { type JobResult, requestJob } from '../../../../src/domain/jobs/job.ts';
import { type House, openHouse } from './house.ts';

/** A house with an agent whose jobs need approval. */
export async function openWithAgent(): Promise<House> {
  const house = await openHouse();
  await house.scene.tokens.add(
    {
      name: 'agent',
      prefix: 'drv_0000',
      scopes: ['read', 'jobs'],
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
  return house;
}

/** The agent requests a job. */
export async function ask(
  { scene: { jobs, approvals, clock } }: House,
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

/** All jobs that can run end, with this result. */
export async function finishAll({ scene: { jobs, clock } }: House, result: JobResult): Promise<void> {
  const outcome = { status: 'success', summary: 'Fine.', error: null, result, facts: {} } as const;
  const request = { owner: 'w', leaseMs: 60_000, at: clock.now(), limit: 9, record: () => ({}) };
  for (const claim of await jobs.claim(request)) await jobs.finish(claim, outcome, clock.now(), () => ({}));
}
