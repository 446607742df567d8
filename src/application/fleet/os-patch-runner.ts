import type { PatchPolicy } from '../../domain/automation/patch-policy.ts';
import { DomainError } from '../../domain/base/errors.ts';
import { HOUR } from '../../domain/base/instant.ts';
import { type Inventory, osFamilyOf } from '../../domain/fleet/inventory.ts';
import { changeLine, describeChange } from '../../domain/fleet/package-change.ts';
import { DEFAULT_OS_STEPS, type OsStep } from '../../domain/jobs/job.ts';
import type { OrderedBatches } from '../automation/ordered-batches.ts';
import type { PatchPolicies } from '../automation/patch-policies.ts';
import { UseCase } from '../base/use-case.ts';
import { type DetachedWork, isWorkMarker, wasStarted } from '../jobs/detached-work.ts';
import { drifted, driftFrom, PACKAGE_PLAN, plannedChanges, planResult } from '../jobs/job-plans.ts';
import type { JobContext, JobRunner, RunResult } from '../jobs/runner.ts';
import type { PackageManager, PatchPlan } from '../ports/fleet/package-manager.ts';
import { type HeldPackage, heldByPlan, heldPackages, namesToHold } from './package-holds.ts';
import { factsAfter, inventoryAfter, packageWork } from './package-work.ts';
import { guardFindings, guardPlan, type PatchGuard, unhealthy, worseText } from './patch-guard.ts';
import {
  changesResult,
  changesText,
  heldCounted,
  leftCounted,
  leftOf,
  MAX_NAMED,
  policyResult,
  reportOf,
  tellHeld,
  tellLeft,
  withoutHeld,
  withReason,
} from './patch-report.ts';
import type { RebootAfterPatch } from './reboot-after-patch.ts';
import type { RefreshInventory } from './refresh-inventory.ts';

interface Deps {
  readonly refreshInventory: RefreshInventory;
  readonly detachedWork: DetachedWork;
  readonly patchPolicies: Pick<PatchPolicies, 'of'>;
  readonly rebootAfterPatch: Pick<RebootAfterPatch, 'applies' | 'start'>;
  readonly patchGuard: PatchGuard;
  readonly orderedBatches: Pick<OrderedBatches, 'startOfRun'>;
}

/** What an upgrade would do now, and what the server's policy holds back from it. */
interface PolicedPlan {
  readonly plan: PatchPlan;
  readonly inventory: Inventory;
  readonly held: readonly HeldPackage[];
}

/** Upgrades a host's packages as detached work that is never cut half-way: not by cancel, time-out, stop or crash. */
export class OsPatchRunner
  extends UseCase<'packageManagers' | 'jobs' | 'digest' | 'clock', Deps>
  implements JobRunner
{
  readonly types = ['os_patch'] as const;
  readonly timeLimitMs = 12 * HOUR;
  /** By the host's lists as they are: a dry run changes nothing, so it refreshes nothing either. */
  async plan(context: JobContext): Promise<RunResult> {
    const policy = await this.deps.patchPolicies.of(context.server);
    const { plan, inventory, held } = await this.#planOf(context, policy);
    const guarded = await this.deps.patchGuard.of(context, this.#managerFor(inventory).family);
    for (const change of plan.changes.slice(0, MAX_NAMED)) context.log(describeChange(change));
    tellLeft(context, plan);
    tellHeld(context, held);
    for (const note of plan.notes) context.log(`Note: ${note}`);
    return {
      summary: `Dry run: ${changesText(plan.changes)}${leftCounted(plan)}${heldCounted(held)} according to the host's current package lists, which were not refreshed. Nothing was changed.`,
      result: {
        dry_run: true,
        ...planResult(context.job, plan.changes.map(changeLine), this.deps.clock.now(), this.deps.digest),
        ...changesResult(plan.changes),
        held: plan.held.slice(0, MAX_NAMED),
        kept_back: plan.keptBack.slice(0, MAX_NAMED).map(withReason),
        ...policyResult(policy, held),
        reboot_pending: inventory.rebootPending,
        notes: plan.notes,
        ...(guarded === null ? {} : { guard: guardPlan(guarded) }),
      },
    };
  }

  async apply(context: JobContext): Promise<RunResult> {
    const { patchGuard } = this.deps;
    await patchGuard.resume(context);
    const { planId, guard } = context.job.params;
    const dryRun = planId === undefined ? null : await this.deps.jobs.find(planId);
    const plan = planId === undefined ? null : plannedChanges(dryRun, PACKAGE_PLAN);
    const policy = await this.deps.patchPolicies.of(context.server);
    let bound = plan;
    let held: readonly HeldPackage[] = [];
    const isFresh = !isWorkMarker(context.detached.marker);
    const isStarted = wasStarted(context.detached.marker);
    // If the previous worker died before the work started, this one gives its order again.
    if ((policy !== null || plan !== null || guard) && !isStarted) {
      if (isFresh && plan === null) await this.#refreshLists(context);
      const now = await this.#planOf(context, policy, heldByPlan(dryRun));
      const drift = plan && isFresh && driftFrom(plan, now.plan.changes, PACKAGE_PLAN);
      if (drift) return drifted(planId, drift);
      bound = plan ?? now.plan.changes;
      held = now.held;
      tellHeld(context, held);
      if (plan !== null && isFresh)
        context.log(
          `The host has not changed since the dry run, job ${planId}; its package lists are not refreshed.`,
        );
    }
    const manager = await this.#managerOf(context);
    const guarded = await patchGuard.of(context, manager.family);
    const isIdle = isStarted || bound?.length === 0;
    const guardOrder = guarded === null || isIdle ? undefined : await patchGuard.prepare(context, guarded);
    context.progress('Upgrading packages', null);
    const order = manager.patch({
      steps: stepsOf(context),
      plan: bound,
      hold: namesToHold(held),
      guard: guardOrder,
    });
    const outcome = await packageWork(context, {
      manager,
      order,
      detachedWork: this.deps.detachedWork,
      recovers: guard === true,
    });
    const findings = guardFindings(guarded, outcome.guard);
    const after = await inventoryAfter(context, this.deps.refreshInventory);
    const left = leftOf(after, upgrades(context) && outcome.failure === null, held);
    if (left !== null) tellLeft(context, left);
    for (const note of outcome.notes) context.log(`Note: ${note}`);
    const failure = outcome.failure ?? unhealthy(findings, outcome.changes);
    const reboots =
      failure === null &&
      this.deps.rebootAfterPatch.applies(policy, context.server, after?.rebootPending ?? false);
    const { summary, result } = reportOf(outcome, after, left, { held, reboots });
    const drift =
      bound !== null && outcome.planNow !== null ? driftFrom(bound, outcome.planNow, PACKAGE_PLAN) : null;
    return {
      summary:
        findings.worse.length === 0 ? summary : `${summary} Worse than before: ${worseText(findings.worse)}.`,
      result: {
        ...result,
        ...findings.result,
        ...policyResult(policy, held),
        ...(planId === undefined ? {} : { plan_id: planId }),
        ...drift?.result,
      },
      facts: factsAfter(after, this.deps.clock),
      failure: drift?.failure ?? failure,
      afterwards: async () => {
        await this.deps.detachedWork.cleanUp(context);
        if (reboots && policy !== null)
          await this.deps.rebootAfterPatch.start(context.job, context.server, policy);
      },
    };
  }

  /** A policy decides by the versions that are pending, so the lists are refreshed before the work. */
  async #refreshLists(context: JobContext): Promise<void> {
    if (!stepsOf(context).includes('update')) return;
    context.progress('Refreshing the package lists', null);
    const manager = await this.#managerOf(context);
    const host = await context.openHost();
    const checked = await manager.check(host, { signal: context.signal, onLine: context.log });
    for (const note of checked.notes) context.log(`Note: ${note}`);
  }

  /** `planned`: what the dry run of a plan held back, which stays held. */
  async #planOf(
    context: JobContext,
    policy: PatchPolicy | null,
    planned: readonly HeldPackage[] = [],
  ): Promise<PolicedPlan> {
    context.progress('Reading the host', null);
    const host = await context.openHost();
    const gathered = await this.deps.refreshInventory.gather(context.server.id, host, context.signal);
    // A policy counts from when a version was first seen, so that is stored.
    const inventory =
      policy === null ? gathered : await this.deps.refreshInventory.save(context.server, gathered);
    const manager = this.#managerFor(inventory);
    context.progress('Working out the upgrade', null);
    const steps = stepsOf(context);
    const { signal } = context;
    const plan = await manager.plan(host, { steps, signal });
    // If no upgrade was requested, nothing is held back by it.
    if (!upgrades(context)) return { plan: { ...plan, keptBack: [] }, inventory, held: [] };
    const terms = {
      updates: inventory.updates ?? [],
      scheduled: context.job.scheduled,
      at: this.deps.clock.now(),
      runAt: (await this.deps.orderedBatches.startOfRun(context.job.id)) ?? undefined,
    };
    const now = policy === null ? [] : heldPackages(policy, plan.changes, terms);
    const held = [...now, ...planned.filter(({ name }) => now.every((each) => each.name !== name))];
    if (held.length === 0) return { plan, inventory, held };
    const policed = await manager.plan(host, { steps, hold: namesToHold(held), signal });
    return { plan: { ...policed, keptBack: withoutHeld(policed.keptBack, held) }, inventory, held };
  }

  /** Running work is taken over even while the host is unreachable, based on stored facts. */
  async #managerOf(context: JobContext): Promise<PackageManager> {
    const known = osFamilyOf(context.server.facts.osId, null);
    const manager = known === null ? null : this.deps.packageManagers.find(known);
    if (manager && context.detached.marker !== null) return manager;
    context.progress('Reading the host', null);
    const host = await context.openHost();
    const inventory = await this.deps.refreshInventory.gather(context.server.id, host, context.signal);
    await this.deps.refreshInventory.save(context.server, inventory);
    return this.#managerFor(inventory);
  }

  #managerFor(inventory: Inventory): PackageManager {
    const manager = inventory.osFamily === null ? null : this.deps.packageManagers.find(inventory.osFamily);
    if (manager) return manager;
    throw new DomainError(
      'host_unsupported',
      `Upgrades do not support ${inventory.osPretty ?? inventory.osId ?? 'this system'} yet; supported are: ${this.deps.packageManagers.families.join(', ')}.`,
    );
  }
}

const stepsOf = (context: JobContext): readonly OsStep[] => context.job.params.osSteps ?? DEFAULT_OS_STEPS;

const upgrades = (context: JobContext): boolean =>
  stepsOf(context).some((step) => step === 'upgrade' || step === 'full_upgrade');
