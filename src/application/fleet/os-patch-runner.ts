import { counted } from '../../domain/base/counted.ts';
import { DomainError, isDomainError } from '../../domain/base/errors.ts';
import { HOUR } from '../../domain/base/instant.ts';
import { type Inventory, osFamilyOf, type PendingUpdate } from '../../domain/fleet/inventory.ts';
import { changeLine, describeChange, type PackageChange } from '../../domain/fleet/package-change.ts';
import { updateFacts } from '../../domain/fleet/pending-updates.ts';
import { DEFAULT_OS_STEPS, type OsStep } from '../../domain/jobs/job.ts';
import type { DetachedWork } from '../jobs/detached-work.ts';
import {
  drifted,
  driftFrom,
  MAX_PLANNED,
  PACKAGE_PLAN,
  plannedChanges,
  planResult,
} from '../jobs/job-plans.ts';
import type { JobContext, JobRunner, RunResult } from '../jobs/runner.ts';
import { unlessCancelled } from '../jobs/unless-cancelled.ts';
import type { Clock } from '../ports/base/clock.ts';
import type { Digest } from '../ports/base/digest.ts';
import type {
  PackageManager,
  PackageManagers,
  PatchOutcome,
  PatchPlan,
} from '../ports/fleet/package-manager.ts';
import type { JobStore } from '../ports/jobs/job-store.ts';
import type { RefreshInventory } from './refresh-inventory.ts';

/** A result stays readable: of longer lists it names this many and counts the rest. A plan is always named whole. */
const MAX_NAMED = MAX_PLANNED;

interface Deps {
  readonly refreshInventory: RefreshInventory;
  readonly packageManagers: PackageManagers;
  readonly detachedWork: DetachedWork;
  readonly jobs: JobStore;
  readonly digest: Digest;
  readonly clock: Clock;
}

/** Upgrades a host's packages as detached work that is never cut half-way: not by cancel, time-out, stop or crash. */
export class OsPatchRunner implements JobRunner {
  readonly types = ['os_patch'] as const;
  readonly timeLimitMs = 12 * HOUR;
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** By the host's lists as they are: a dry run changes nothing, so it refreshes nothing either. */
  async plan(context: JobContext): Promise<RunResult> {
    const { plan, inventory } = await this.#planOf(context);
    for (const change of plan.changes.slice(0, MAX_NAMED)) context.log(describeChange(change));
    tellLeft(context, plan);
    for (const note of plan.notes) context.log(`Note: ${note}`);
    return {
      summary: `Dry run: ${changesText(plan.changes)}${leftCounted(plan)} according to the host's current package lists, which were not refreshed. Nothing was changed.`,
      result: {
        dry_run: true,
        ...planResult(context.job, plan.changes.map(changeLine), this.#deps.clock.now(), this.#deps.digest),
        ...changesResult(plan.changes),
        held: plan.held.slice(0, MAX_NAMED),
        kept_back: plan.keptBack.slice(0, MAX_NAMED).map(withReason),
        reboot_pending: inventory.rebootPending,
        notes: plan.notes,
      },
    };
  }

  async apply(context: JobContext): Promise<RunResult> {
    const { planId } = context.job.params;
    const plan =
      planId === undefined ? null : plannedChanges(await this.#deps.jobs.find(planId), PACKAGE_PLAN);
    if (plan !== null && context.detached.marker === null) {
      const now = await this.#planOf(context);
      const drift = driftFrom(plan, now.plan.changes, PACKAGE_PLAN);
      if (drift) return drifted(planId, drift);
      context.log(`The host is as the plan of job ${planId} found it; its package lists are not refreshed.`);
    }
    const manager = await this.#managerOf(context);
    context.progress('Upgrading packages', null);
    const order = manager.patch({ steps: stepsOf(context), plan });
    const ended = await this.#deps.detachedWork.execute(context, {
      ...order,
      mayBeCut: false,
      stopsWhereItCan: true,
    });
    const outcome = manager.outcome(ended);
    const after = await this.#lookAfterwards(context);
    const left = leftOf(after, upgrades(context) && outcome.failure === null);
    if (left !== null) tellLeft(context, left);
    for (const note of outcome.notes) context.log(`Note: ${note}`);
    const { summary, result } = reportOf(outcome, after, left);
    const drift =
      plan !== null && outcome.planNow !== null ? driftFrom(plan, outcome.planNow, PACKAGE_PLAN) : null;
    return {
      summary,
      result: { ...result, ...(planId === undefined ? {} : { plan_id: planId }), ...drift?.result },
      facts:
        after === null
          ? {}
          : {
              ...(after.updates === null ? {} : updateFacts(after.updates)),
              rebootPending: after.rebootPending,
              lastOsCheckAt: this.#deps.clock.now(),
            },
      failure: drift?.failure ?? outcome.failure,
      afterwards: () => this.#deps.detachedWork.cleanUp(context),
    };
  }

  async #planOf(context: JobContext): Promise<{ plan: PatchPlan; inventory: Inventory }> {
    context.progress('Reading the host', null);
    const host = await context.openHost();
    const inventory = await this.#deps.refreshInventory.gather(context.server.id, host, context.signal);
    const manager = this.#managerFor(inventory);
    context.progress('Working out the upgrade', null);
    const plan = await manager.plan(host, { steps: stepsOf(context), signal: context.signal });
    // If no upgrade was requested, nothing is held back by it.
    return { plan: upgrades(context) ? plan : { ...plan, keptBack: [] }, inventory };
  }

  /** Running work is taken over even while the host is unreachable, based on stored facts. */
  async #managerOf(context: JobContext): Promise<PackageManager> {
    const known = osFamilyOf(context.server.facts.osId, null);
    const manager = known === null ? null : this.#deps.packageManagers.find(known);
    if (manager && context.detached.marker !== null) return manager;
    context.progress('Reading the host', null);
    const host = await context.openHost();
    const inventory = await this.#deps.refreshInventory.gather(context.server.id, host, context.signal);
    await this.#deps.refreshInventory.save(context.server, inventory);
    return this.#managerFor(inventory);
  }

  #managerFor(inventory: Inventory): PackageManager {
    const manager = inventory.osFamily === null ? null : this.#deps.packageManagers.find(inventory.osFamily);
    if (manager) return manager;
    throw new DomainError(
      'host_unsupported',
      `Upgrades do not cover ${inventory.osPretty ?? inventory.osId ?? 'this system'} yet; they cover ${this.#deps.packageManagers.families.join(', ')}.`,
    );
  }

  /** The host's new state. The upgrade counts even if this fails. */
  async #lookAfterwards(context: JobContext): Promise<Inventory | null> {
    context.progress('Reading the host', null);
    // A cancel comes too late to matter; whatever else ends the job ends this too.
    const letGo = unlessCancelled(context.signal);
    try {
      const host = await context.openHost('commands', letGo);
      const inventory = await this.#deps.refreshInventory.gather(context.server.id, host, letGo);
      await this.#deps.refreshInventory.save(context.server, inventory);
      return inventory;
    } catch (error) {
      context.log(
        `The host could not be read afterwards: ${isDomainError(error) ? error.message : 'a fault'}`,
      );
      return null;
    }
  }
}

const stepsOf = (context: JobContext): readonly OsStep[] => context.job.params.osSteps ?? DEFAULT_OS_STEPS;

const upgrades = (context: JobContext): boolean =>
  stepsOf(context).some((step) => step === 'upgrade' || step === 'full_upgrade');

const ofKind = (changes: readonly PackageChange[], kind: PackageChange['kind']): number =>
  changes.filter((change) => change.kind === kind).length;

function changesText(changes: readonly PackageChange[]): string {
  const security = changes.filter((change) => change.security).length;
  return `${counted(ofKind(changes, 'upgrade'), 'package')} to upgrade (${counted(security, 'security fix', 'security fixes')}), ${ofKind(changes, 'install')} new, ${ofKind(changes, 'remove')} to remove`;
}

const changesResult = (changes: readonly PackageChange[]): object => ({
  changes_count: changes.length,
  security_count: changes.filter((change) => change.security).length,
  changes: changes.slice(0, MAX_NAMED),
});

/** What an upgrade leaves unchanged. */
type KeptPackages = Pick<PatchPlan, 'held' | 'keptBack'>;

/**
 * According to the host afterwards; `null` if unknown. Remaining updates were held back by an upgrade only if there
 * was a successful one.
 */
function leftOf(after: Inventory | null, upgraded: boolean): KeptPackages | null {
  const updates = after?.updates ?? null;
  return (
    updates && {
      held: updates.filter((update) => update.held),
      keptBack: upgraded ? updates.filter((update) => !update.held && update.from !== null) : [],
    }
  );
}

const WHY_KEPT_BACK = 'Its upgrade would remove other packages, or needs one that is held.';
const withReason = (update: PendingUpdate): object => ({ ...update, reason: WHY_KEPT_BACK });

function tellLeft(context: JobContext, { held, keptBack }: KeptPackages): void {
  const words = ({ name, from, to }: PendingUpdate): string => `${name} ${from ?? '(new)'} -> ${to}`;
  for (const update of held.slice(0, MAX_NAMED)) context.log(`Held on the host: ${words(update)}`);
  for (const update of keptBack.slice(0, MAX_NAMED))
    context.log(`Kept back: ${words(update)}. ${WHY_KEPT_BACK}`);
}

const leftCounted = ({ held, keptBack }: KeptPackages): string =>
  `${held.length > 0 ? `, ${held.length} held` : ''}${keptBack.length > 0 ? `, ${keptBack.length} kept back` : ''}`;

function reportOf(
  outcome: PatchOutcome,
  after: Inventory | null,
  left: KeptPackages | null,
): Pick<RunResult, 'summary' | 'result'> {
  const { changes } = outcome;
  const reboot = after?.rebootPending ? ' A reboot is pending.' : '';
  return {
    summary: `Upgraded ${ofKind(changes, 'upgrade')}, installed ${ofKind(changes, 'install')}, removed ${counted(ofKind(changes, 'remove'), 'package')}${left === null ? '' : leftCounted(left)}.${reboot}`,
    result: {
      dry_run: false,
      ...changesResult(changes),
      held: left?.held.slice(0, MAX_NAMED) ?? null,
      kept_back: left?.keptBack.slice(0, MAX_NAMED).map(withReason) ?? null,
      reboot_pending: after?.rebootPending ?? null,
      notes: outcome.notes,
    },
  };
}
