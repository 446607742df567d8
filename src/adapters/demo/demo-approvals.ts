import { Actor } from '../../domain/access/actor.ts';
import { requesterOf } from '../../domain/access/requester.ts';
import { callsAt } from '../../domain/access/token-calls.ts';
import { DAY, type Instant, MINUTE, SECOND } from '../../domain/base/instant.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import type { Server } from '../../domain/fleet/server.ts';
import { planRequester } from '../../domain/jobs/approval.ts';
import { requestJob } from '../../domain/jobs/job.ts';
import type { DemoJobs } from './demo-jobs.ts';
import { ANN, type DemoPorts } from './demo-ports.ts';

/** An agent's request for updates, not decided yet. */
export async function askedByAgent(
  ports: DemoPorts,
  {
    servers,
    jobs,
    now,
  }: { readonly servers: readonly Server[]; readonly jobs: DemoJobs; readonly now: Instant },
): Promise<void> {
  const token = await ports.tokens.add(
    {
      name: 'mcp-patcher',
      prefix: 'drv_demonstr',
      scopes: ['read', 'jobs'],
      allowedCidrs: [],
      allowedServerIds: null,
      requireApproval: true,
      createdBy: ANN.label,
      createdAt: now - 12 * DAY,
      expiresAt: now + 5 * DAY,
    },
    '0'.repeat(64),
    () => ({}),
  );
  const agent = new Actor({
    kind: 'token',
    id: token.id,
    name: token.name,
    address: '198.51.100.20',
    capabilities: new Set(['read', 'jobs']),
    features: null,
    serverIds: null,
    requireApproval: true,
  });
  await ports.tokens.touch(token.id, now - 2 * DAY, callsAt(now - 2 * DAY, 184));
  const wanted = servers.filter(({ facts }) => (facts.securityUpdatesCount ?? 0) > 0).slice(0, 3);
  for (const [index, server] of wanted.entries()) {
    const at = now - (wanted.length - index + 1) * 7 * MINUTE;
    const asked = await ports.jobs.enqueue(
      requestJob({
        server,
        type: 'os_patch',
        params: { sourceFilter: null, service: null, osSteps: null, dryRun: false },
        requestedBy: agent.label,
        reason: REASONS[index] ?? null,
        scheduled: false,
        approval: { requester: requesterOf(agent), expiresAt: at + DAY },
        at,
      }),
      ({ id }) => ({
        audit: [
          auditEntry(agent, at, 'job.request', `job:${id}`, { serverId: server.id, jobType: 'os_patch' }),
        ],
        events: [],
      }),
    );
    await ports.tokens.touch(token.id, at, callsAt(at, 7));
    const by = planRequester(asked.id);
    const plan = await jobs.ask({ server, type: 'os_patch', at: at + SECOND, by, dryRun: true });
    await jobs.workOff(at + SECOND);
    const approval = await ports.approvals.ofJob(asked.id);
    if (approval) await ports.approvals.setPlan(approval.id, plan.id, null);
  }
}

/** Of the agent's requests, in its words. */
const REASONS = [
  'openssl has a security fix, and this server serves the public site.',
  'The same fix as on web-01: both servers should run the same version.',
];
