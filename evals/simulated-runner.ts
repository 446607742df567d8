import { setTimeout as sleep } from 'node:timers/promises';
import { NodeDigest } from '../src/adapters/outbound/system/node-digest.ts';
import { planResult } from '../src/application/jobs/job-plans.ts';
import type { JobContext, JobRunner, RunResult } from '../src/application/jobs/runner.ts';
import type { InventoryStore } from '../src/application/ports/fleet/inventory-store.ts';
import { changeLine, describeChange, type PackageChange } from '../src/domain/fleet/package-change.ts';
import type { JobResult } from '../src/domain/jobs/job.ts';
import { MCP_JOB_TYPES } from '../src/domain/jobs/job-types.ts';

const STEP_MS = 20;

/** Does the work of jobs on hosts that exist only as their inventories: plans name what is pending, and jobs do it. */
export class SimulatedRunner implements JobRunner {
  readonly types = MCP_JOB_TYPES;
  readonly timeLimitMs = 60_000;
  readonly #inventories: () => InventoryStore;

  readonly #texts: readonly string[];

  /** `texts`: what hosts write into the logs of jobs. */
  constructor(inventories: () => InventoryStore, texts: readonly string[] = []) {
    this.#inventories = inventories;
    this.#texts = texts;
  }

  async plan({ job, server, log }: JobContext): Promise<RunResult> {
    const changes = job.jobType === 'os_patch' ? await this.#pending(server.id) : [];
    for (const change of changes) log(describeChange(change));
    for (const text of this.#texts) log(text);
    const result = {
      dry_run: true,
      ...planResult(job, changes.map(changeLine), Date.now(), new NodeDigest()),
      changes,
      changes_total: changes.length,
    };
    return {
      summary: `Dry run: ${changes.length} packages would change. Nothing was changed.`,
      result: result as unknown as JobResult,
    };
  }

  async apply({ job, server, signal, log }: JobContext): Promise<RunResult> {
    await sleep(STEP_MS, undefined, { signal });
    log(`${job.jobType} on ${server.name}`);
    for (const text of this.#texts) log(text);
    if (job.jobType !== 'os_patch') return { summary: 'Done.', result: { dry_run: false } };
    const pending = await this.#pending(server.id);
    const inventory = await this.#inventories().find(server.id);
    if (inventory) await this.#inventories().save(server.id, { ...inventory, updates: [] });
    return {
      summary: `Upgraded ${pending.length} packages.`,
      result: { dry_run: false, changes_total: pending.length },
      facts: { osUpdatesCount: 0, securityUpdatesCount: 0 },
    };
  }

  async #pending(serverId: number): Promise<readonly PackageChange[]> {
    const inventory = await this.#inventories().find(serverId);
    return (inventory?.updates ?? []).map(({ name, from, to, security }) => ({
      kind: 'upgrade',
      name,
      from,
      to,
      security,
    }));
  }
}
