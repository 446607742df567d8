import { CONTAINER_PLAN, PACKAGE_PLAN, planResult } from '../../application/jobs/job-plans.ts';
import type { JobContext, JobRunner, RunResult } from '../../application/jobs/runner.ts';
import type { Clock } from '../../application/ports/base/clock.ts';
import type { Digest } from '../../application/ports/base/digest.ts';
import type { InventoryStore } from '../../application/ports/fleet/inventory-store.ts';
import { count } from '../../domain/base/count.ts';
import { HOUR } from '../../domain/base/instant.ts';
import type { ContainerChange } from '../../domain/compose/container-change.ts';
import type { ContainerFact, Inventory } from '../../domain/fleet/inventory.ts';
import type { PackageChange } from '../../domain/fleet/package-change.ts';
import { updateFacts, upgradable } from '../../domain/fleet/pending-updates.ts';
import type { ServerFacts } from '../../domain/fleet/server.ts';
import { JOB_TYPES, type JobType, jobTitle } from '../../domain/jobs/job-types.ts';
import type { Amount, StepDetail } from '../../domain/jobs/phases.ts';
import { activityAt } from './demo-activity.ts';

export interface DemoRunnerDeps {
  readonly inventories: Pick<InventoryStore, 'find' | 'save'>;
  readonly clock: Clock;
  readonly digest: Digest;
  /** How long a job takes, in milliseconds. */
  readonly paceMs: number;
}

/** What a job of the demo shows and does. */
interface DemoWork {
  readonly lines: readonly string[];
  /** The step that some of the lines belong to; other lines are steps themselves. */
  readonly step?: {
    readonly name: string;
    readonly unit: Amount['unit'];
    readonly has: (line: string) => boolean;
  };
  /** What it is going to do, and what it did. */
  readonly intent: string;
  readonly summary: string;
  readonly result: Record<string, unknown>;
  /** The result of its dry run, if that is not the same. */
  readonly planned?: Record<string, unknown>;
  /** One per change, as of `planResult`. */
  readonly plan: readonly string[];
  readonly inventory?: Partial<Inventory>;
  readonly facts?: Partial<ServerFacts>;
}

/** Simulates jobs: they take some seconds, write a log, and change the database. An unreachable host refuses them. */
export class DemoRunner implements JobRunner {
  readonly types: readonly JobType[];
  readonly timeLimitMs = HOUR;
  readonly #deps: DemoRunnerDeps;

  /** `others`: types that real runners do on the simulated engine. */
  constructor(deps: DemoRunnerDeps, others: readonly JobType[]) {
    this.#deps = deps;
    this.types = JOB_TYPES.filter((type) => !others.includes(type));
  }

  async plan(context: JobContext): Promise<RunResult> {
    await context.openHost();
    const { work } = await this.#work(context);
    await this.#show(context, ['Reading the host', 'Working out the changes']);
    const { digest, clock } = this.#deps;
    return {
      summary: `Dry run: ${work.intent} Nothing was changed.`,
      result: {
        dry_run: true,
        ...(work.planned ?? work.result),
        ...planResult(context.job, work.plan, clock.now(), digest),
      },
    };
  }

  async apply(context: JobContext): Promise<RunResult> {
    await context.openHost();
    const { work, inventory } = await this.#work(context);
    await this.#show(context, work.lines, work.step);
    const at = this.#deps.clock.now();
    if (inventory) {
      await this.#deps.inventories.save(
        context.server.id,
        {
          ...inventory,
          activity: activityAt(context.server.id, inventory, at),
          uptimeSeconds: inventory.uptimeSeconds + Math.round((at - inventory.at) / 1000),
          ...work.inventory,
          at,
        },
        {
          inventoryAt: at,
          lastSeenAt: at,
          ...work.facts,
        },
      );
    }
    const { planId } = context.job.params;
    return {
      summary: work.summary,
      result: { dry_run: false, ...work.result, ...(planId === undefined ? {} : { plan_id: planId }) },
    };
  }

  async #work({ job, server }: JobContext): Promise<{ work: DemoWork; inventory: Inventory | null }> {
    const inventory = await this.#deps.inventories.find(server.id);
    const at = this.#deps.clock.now();
    const { jobType, params } = job;
    if (jobType === 'os_patch') return { inventory, work: upgrade(inventory) };
    if (jobType === 'os_update_check') return { inventory, work: check(inventory, at) };
    if (jobType === 'host_reboot') return { inventory, work: reboot(inventory) };
    const containers = (inventory?.containers ?? []).filter(
      ({ path, service }) =>
        (params.sourceFilter === null || path === params.sourceFilter) &&
        (params.service === null || service === params.service),
    );
    return { inventory, work: forContainers(jobType, inventory, containers, at) };
  }

  /** Continues after the last line that a worker before this one logged. */
  async #show(context: JobContext, lines: readonly string[], step?: DemoWork['step']): Promise<void> {
    const { detached, progress, signal } = context;
    const from = Number(detached.marker ?? 0);
    await detached.mark(String(from));
    const share = this.#deps.paceMs / lines.length;
    for (const [index, line] of lines.entries()) {
      if (index < from) continue;
      progress(line, Math.round((index / lines.length) * 100), stepAt(lines, index, step));
      detached.log(line, String(index + 1));
      await this.#deps.clock.sleep(share, signal);
      signal.throwIfAborted();
    }
  }
}

function stepAt(lines: readonly string[], index: number, step: DemoWork['step']): StepDetail {
  if (!step?.has(lines[index] ?? '')) return {};
  const total = lines.filter(step.has).length;
  const done = lines.slice(0, index).filter(step.has).length;
  return { phase: step.name, amount: { done, total, unit: step.unit } };
}

function upgrade(inventory: Inventory | null): DemoWork {
  const changes = upgradable(inventory?.updates ?? []).map(
    ({ name, from, to, security }): PackageChange => ({ kind: 'upgrade', name, from, to, security }),
  );
  return {
    lines: [
      'Refreshing the package lists',
      ...changes.map(({ name, to }) => `Setting up ${name} (${to}) ...`),
      'Processing triggers ...',
      'Reading the host',
    ],
    step: {
      name: 'Upgrading packages',
      unit: 'packages',
      has: (line) => line.startsWith('Setting up '),
    },
    intent: `${count(changes.length, 'package')} to upgrade, 0 new, 0 to remove.`,
    summary: `Upgraded ${changes.length}, installed 0, removed 0 packages.`,
    result: {
      changes_count: changes.length,
      security_count: changes.filter(({ security }) => security).length,
      changes,
      held: [],
      kept_back: [],
      reboot_pending: inventory?.rebootPending ?? false,
      notes: [],
    },
    plan: changes.map(PACKAGE_PLAN.line),
    inventory: { updates: [] },
    facts: updateFacts([]),
  };
}

function check(inventory: Inventory | null, at: number): DemoWork {
  const updates = inventory?.updates ?? [];
  const found = `${count(updates.length, 'pending update')}.`;
  return {
    lines: ['Reading the host', 'Refreshing the package lists', 'Reading pending updates'],
    intent: found,
    summary: found,
    result: { updates_count: updates.length, updates },
    plan: [],
    facts: { ...updateFacts(updates), lastOsCheckAt: at },
  };
}

function reboot(inventory: Inventory | null): DemoWork {
  const boot = inventory?.bootId ?? 'demo';
  return {
    lines: ['Restarting the host', 'Waiting for the host', 'Reading the host'],
    intent: 'The host restarts.',
    summary: 'The host has restarted.',
    result: { reboot_pending: false, took_seconds: 41 },
    planned: {
      changes: [{ boot_id: boot }],
      grace_seconds: 0,
      reboot_pending: inventory?.rebootPending ?? false,
      uptime_seconds: inventory?.uptimeSeconds ?? 0,
    },
    plan: [`restart ${boot}`],
    inventory: { rebootPending: false, uptimeSeconds: 60 },
    facts: { rebootPending: false },
  };
}

const ACTIONS: Readonly<Partial<Record<JobType, { kind: ContainerChange['kind']; running: boolean }>>> = {
  docker_stack_stop: { kind: 'stop', running: false },
  docker_stack_start: { kind: 'start', running: true },
  docker_stack_restart: { kind: 'restart', running: true },
  docker_stack_deploy: { kind: 'recreate', running: true },
  container_patch: { kind: 'image', running: true },
};

/** All that concerns containers; a type without an entry only looks at them. */
function forContainers(
  type: JobType,
  inventory: Inventory | null,
  chosen: readonly ContainerFact[],
  at: number,
): DemoWork {
  const action = ACTIONS[type];
  const updates = type === 'container_patch' ? chosen.filter(({ update }) => update === true) : chosen;
  const changes = action
    ? updates.map(
        ({ path, service, image }): ContainerChange => ({
          kind: action.kind,
          directory: path ?? '/',
          service: service ?? 'app',
          image,
          from: null,
          to: null,
        }),
      )
    : [];
  const touched = new Set(updates);
  const containers = (inventory?.containers ?? []).map((each) =>
    action && touched.has(each)
      ? {
          ...each,
          running: action.running,
          state: action.running ? 'running' : 'exited',
          status: action.running ? 'Up 2 seconds' : 'Exited (0) 2 seconds ago',
          update: type === 'container_patch' ? false : each.update,
        }
      : each,
  );
  const outdated = containers.filter(({ update }) => update === true).length;
  const services = count(changes.length, 'service');
  const checked = `${count(chosen.length, 'container')} checked.`;
  return {
    lines: ['Reading the containers', ...updates.map(({ name }) => name), jobTitle(type)],
    intent: action ? `${services} to change.` : checked,
    summary: action ? `Changed ${services}.` : checked,
    result: action ? { changes_count: changes.length, changes } : { updates_count: outdated },
    plan: changes.map(CONTAINER_PLAN.line),
    inventory: { containers },
    facts: { containerUpdatesCount: outdated, lastContainerCheckAt: at },
  };
}
