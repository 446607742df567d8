import { counted } from '../../domain/base/counted.ts';
import { DomainError } from '../../domain/base/errors.ts';
import { HOUR } from '../../domain/base/instant.ts';
import { osFamilyOf } from '../../domain/fleet/inventory.ts';
import {
  changeLine,
  describeChange,
  isPackageChange,
  type PackageChange,
} from '../../domain/fleet/package-change.ts';
import { updateFacts } from '../../domain/fleet/pending-updates.ts';
import { type DetachedWork, isWorkMarker, unlessCancelled } from '../jobs/detached-work.ts';
import { drifted, driftFrom, PACKAGE_PLAN, plannedChanges, planResult } from '../jobs/job-plans.ts';
import type { JobContext, JobRunner, RunResult } from '../jobs/runner.ts';
import type { Clock } from '../ports/base/clock.ts';
import type { Digest } from '../ports/base/digest.ts';
import type {
  DowngradePlan,
  DowngradeTarget,
  PackageManager,
  PackageManagers,
} from '../ports/fleet/package-manager.ts';
import type { JobStore } from '../ports/jobs/job-store.ts';
import { changesResult, MAX_NAMED } from './patch-report.ts';
import type { RefreshInventory } from './refresh-inventory.ts';

const AGAIN =
  'The next update installs the newer versions again: exclude them in a patch policy, or hold them on the server.';
const NOT_OFFERED = 'Its earlier version is no longer offered.';

interface Deps {
  readonly refreshInventory: Pick<RefreshInventory, 'gather' | 'save'>;
  readonly packageManagers: PackageManagers;
  readonly detachedWork: DetachedWork;
  readonly jobs: Pick<JobStore, 'find'>;
  readonly digest: Digest;
  readonly clock: Clock;
}

/** Gives the packages that an update changed their earlier versions again, by a plan that a user confirmed. */
export class OsDowngradeRunner implements JobRunner {
  readonly types = ['os_downgrade'] as const;
  readonly timeLimitMs = 12 * HOUR;
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async plan(context: JobContext): Promise<RunResult> {
    const targets = await this.#targetsOf(context);
    const { changes, missing } = await this.#planned(context, targets);
    for (const change of changes.slice(0, MAX_NAMED)) context.log(describeChange(change));
    const left = leftAlone(targets, missing);
    for (const { name, reason } of left) context.log(`${name}: ${reason}`);
    return {
      summary: `Dry run: ${counted(changes.length, 'package')} to change, ${left.length} cannot be downgraded. Nothing was changed.`,
      result: {
        dry_run: true,
        ...planResult(context.job, changes.map(changeLine), this.#deps.clock.now(), this.#deps.digest),
        ...changesResult(changes),
        left_alone: left,
        notes: changes.length === 0 ? [] : [AGAIN],
      },
    };
  }

  async apply(context: JobContext): Promise<RunResult> {
    const { planId } = context.job.params;
    const { jobs, detachedWork, clock } = this.#deps;
    const plan = plannedChanges(planId === undefined ? null : await jobs.find(planId), PACKAGE_PLAN);
    const targets = await this.#targetsOf(context);
    if (!isWorkMarker(context.detached.marker)) {
      const now = await this.#planned(context, targets);
      const drift = driftFrom(plan, now.changes, PACKAGE_PLAN);
      if (drift) return drifted(planId, drift);
    }
    context.progress('Downgrading packages', null);
    const manager = await this.#managerOf(context);
    const order = { ...manager.downgrade({ targets, plan }), mayBeCut: false, stopsWhereItCan: true };
    const outcome = manager.outcome(await detachedWork.execute(context, order));
    const drift = outcome.planNow === null ? null : driftFrom(plan, outcome.planNow, PACKAGE_PLAN);
    const host = await context.openHost('commands', unlessCancelled(context.signal));
    const after = await this.#deps.refreshInventory.gather(
      context.server.id,
      host,
      unlessCancelled(context.signal),
    );
    await this.#deps.refreshInventory.save(context.server, after);
    return {
      summary: `Downgraded ${counted(outcome.changes.length, 'package')}. ${AGAIN}`,
      result: {
        dry_run: false,
        plan_id: planId,
        ...changesResult(outcome.changes),
        notes: [...outcome.notes, AGAIN],
        ...drift?.result,
      },
      facts: {
        ...(after.updates === null ? {} : { ...updateFacts(after.updates), lastOsCheckAt: clock.now() }),
        rebootPending: after.rebootPending,
      },
      failure: drift?.failure ?? outcome.failure,
      afterwards: () => detachedWork.cleanUp(context),
    };
  }

  /** What the update upgraded, with the versions before. Throws `job_not_found`. */
  async #targetsOf({ job }: JobContext): Promise<readonly DowngradeTarget[]> {
    const id = job.params.updateJobId ?? 0;
    const update = await this.#deps.jobs.find(id);
    const changes = update?.result?.['changes'];
    const isUpdate =
      update?.serverId === job.serverId && update.jobType === 'os_patch' && !update.params.dryRun;
    if (!isUpdate || !Array.isArray(changes)) {
      throw new DomainError(
        'job_not_found',
        `Job ${id} is not a package update of this server with a result.`,
      );
    }
    return changes
      .filter(isPackageChange)
      .flatMap(({ kind, name, from }: PackageChange) =>
        kind === 'upgrade' && from !== null ? [{ name, version: from }] : [],
      );
  }

  async #planned(context: JobContext, targets: readonly DowngradeTarget[]): Promise<DowngradePlan> {
    const manager = await this.#managerOf(context);
    if (targets.length === 0) return { changes: [], missing: [] };
    context.progress('Working out the downgrade', null);
    const { signal } = context;
    return manager.planDowngrade(await context.openHost(), { targets, signal });
  }

  async #managerOf({ server }: JobContext): Promise<PackageManager> {
    const family = osFamilyOf(server.facts.osId, null);
    const manager = family === null ? null : this.#deps.packageManagers.find(family);
    if (manager?.canDowngrade) return manager;
    throw new DomainError(
      'host_unsupported',
      `Drover downgrades packages with apt and dnf, and ${server.facts.osPretty ?? 'this system'} has another package manager.`,
    );
  }
}

const leftAlone = (
  targets: readonly DowngradeTarget[],
  missing: readonly DowngradeTarget[],
): readonly { readonly name: string; readonly reason: string }[] =>
  targets
    .filter(({ name }) => missing.some((each) => each.name === name))
    .map(({ name, version }) => ({ name: `${name} ${version}`, reason: NOT_OFFERED }));
