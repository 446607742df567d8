import type { Batch, MemberCounts } from '../../src/domain/automation/batch.ts';
import { type JobOrigin, originLost } from '../../src/domain/jobs/job-origin.ts';
import type { InMemoryWorld } from './in-memory-world.ts';

type Made = { readonly jobId: number } | { readonly batchId: number };

/** Links a job or batch to its origin, once it is created. Throws `lease_lost` at once if the origin wants none. */
export function originTeller(world: InMemoryWorld, origin: JobOrigin): (made: Made) => void {
  if (origin.kind === 'schedule_run') {
    const run = world.scheduleRuns.get(origin.runId);
    if (run?.outcome !== 'starting') throw originLost('The run of the schedule');
    return (made) => void world.scheduleRuns.set(run.id, { ...run, outcome: 'started', ...made });
  }
  const { batchId, version, serverId } = origin;
  const members = world.batchMembers.get(batchId) ?? [];
  const waits = members.some((member) => member.serverId === serverId && member.status === 'waiting');
  const batch = batchAt(world, batchId, version);
  if (!waits) throw originLost('The host of the batch');
  return (made) => {
    world.batchMembers.set(
      batchId,
      members.map((member) =>
        member.serverId === serverId ? { ...member, status: 'active', ...made } : member,
      ),
    );
    world.batches.set(batchId, stepped(batch, { waiting: -1, active: 1 }));
  };
}

/** The batch, if it runs and is at that version; else throws `lease_lost`. */
export function batchAt(world: InMemoryWorld, id: number, version: number): Batch {
  const batch = world.batches.get(id);
  if (batch?.status !== 'running' || batch.version !== version) throw originLost(`Batch ${id}`);
  return batch;
}

export function stepped(batch: Batch, moved: Partial<MemberCounts>): Batch {
  const counts = { ...batch.counts };
  for (const [status, by] of Object.entries(moved)) counts[status as keyof MemberCounts] += by;
  return { ...batch, counts, version: batch.version + 1 };
}
