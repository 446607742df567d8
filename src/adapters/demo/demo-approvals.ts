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

/** An agent that works for two days; its token expires soon. */
export async function agentOf(ports: DemoPorts, now: Instant): Promise<Actor> {
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
  for (const [days, calls] of [21, 34, 28, 42, 17, 26].entries()) {
    const at = now - (6.5 - days) * DAY;
    await ports.tokens.touch(token.id, at, callsAt(at, calls));
  }
  return new Actor({
    kind: 'token',
    id: token.id,
    name: token.name,
    address: '198.51.100.20',
    capabilities: new Set(['read', 'jobs']),
    features: null,
    serverIds: null,
    requireApproval: true,
  });
}

interface Requests {
  readonly agent: Actor;
  readonly servers: readonly Server[];
  readonly jobs: DemoJobs;
  readonly now: Instant;
  readonly look: (at: Instant) => Promise<void>;
}

/** An agent's requests for updates, not decided yet. */
export async function askedByAgent(
  ports: DemoPorts,
  { agent, servers, jobs, now, look }: Requests,
): Promise<void> {
  const wanted = servers.filter(({ facts }) => (facts.securityUpdatesCount ?? 0) > 0).slice(0, 3);
  for (const [index, server] of wanted.entries()) {
    const at = now - (wanted.length - index + 1) * 7 * MINUTE;
    const asked = await ports.jobs.enqueue(
      requestJob({
        server,
        type: 'os_patch',
        params: { sourceFilter: null, service: null, osSteps: null, dryRun: false },
        requestedBy: agent.label,
        reason: await reasonOf(ports, server, index),
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
    if (agent.id !== null) await ports.tokens.touch(agent.id, at, callsAt(at, 7));
    const by = planRequester(asked.id);
    const plan = await jobs.ask({ server, type: 'os_patch', at: at + SECOND, by, dryRun: true });
    await jobs.workOff(at + SECOND);
    const approval = await ports.approvals.ofJob(asked.id);
    if (approval) await ports.approvals.setPlan(approval.id, plan.id, null);
    await look(at + 2 * SECOND);
  }
}

/** Of the agent's requests, in its words: it names a package that the plan upgrades. */
async function reasonOf(
  { inventories }: DemoPorts,
  { id, tags }: Server,
  index: number,
): Promise<string | null> {
  const updates = (await inventories.find(id))?.updates ?? [];
  const name = updates.find(({ security }) => security)?.name;
  if (name === undefined || index === 2) return null;
  const serves = tags.includes('web') ? 'serves the public site' : 'is in production';
  return index === 0
    ? `${name} has a security fix, and this server ${serves}.`
    : `A security fix of ${name} is available here, too. Both servers should be up to date.`;
}
