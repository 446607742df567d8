import { count } from '../../domain/base/count.ts';
import { DomainError } from '../../domain/base/errors.ts';
import { HOUR } from '../../domain/base/instant.ts';
import { changesToUndo } from '../../domain/fleet/downgrade.ts';
import { osFamilyOf } from '../../domain/fleet/inventory.ts';
import { changeLine, describeChange, type PackageChange } from '../../domain/fleet/package-change.ts';
import { UseCase } from '../base/use-case.ts';
import { type DetachedWork, isWorkMarker } from '../jobs/detached-work.ts';
import { drifted, driftFrom, PACKAGE_PLAN, plannedChanges, planResult } from '../jobs/job-plans.ts';
import type { JobContext, JobRunner, RunResult } from '../jobs/runner.ts';
import type {
  DowngradePlan,
  DowngradeTarget,
  PackageManager,
  WhyLeft,
} from '../ports/fleet/package-manager.ts';
import { factsAfter, inventoryAfter, packageWork } from './package-work.ts';
import { changesResult, MAX_NAMED } from './patch-report.ts';
import type { RefreshInventory } from './refresh-inventory.ts';

const AGAIN =
  'The next update installs the newer versions again: exclude these packages in a patch policy, or hold them on the server.';

const REASONS: Readonly<Record<WhyLeft, string>> = {
  absent: 'The package is no longer installed.',
  already: 'This version is installed already.',
  held: 'The package is held on the server.',
  gone: 'This version is no longer available: no package source offers it, and the server has no kept download.',
};

interface LeftAlone {
  readonly name: string;
  readonly version: string | null;
  readonly reason: string;
}

/** Installs the versions again that packages had before an update, by a plan that a user confirmed. */
export class OsDowngradeRunner
  extends UseCase<
    'packageManagers' | 'digest' | 'clock' | 'jobs.find',
    {
      readonly refreshInventory: Pick<RefreshInventory, 'gather' | 'save'>;
      readonly detachedWork: DetachedWork;
    }
  >
  implements JobRunner
{
  readonly types = ['os_downgrade'] as const;
  readonly timeLimitMs = 12 * HOUR;
  async plan(context: JobContext): Promise<RunResult> {
    const undone = await this.#undoneBy(context);
    const plan = await this.#planOf(context, targetsOf(undone));
    const { changes } = plan;
    const left = leftAlone(undone, plan);
    for (const change of changes.slice(0, MAX_NAMED)) context.log(describeChange(change));
    for (const each of left) context.log(`${nameOf(each)} stays. ${each.reason}`);
    const fixes = fixesUndone(undone, changes);
    return {
      summary: `Dry run: ${changesText(changes, TO_DO)}, ${count(left.length, 'package')} left alone. Nothing was changed.`,
      result: {
        dry_run: true,
        ...planResult(context.job, changes.map(changeLine), this.deps.clock.now(), this.deps.digest),
        ...changesResult(changes),
        left_alone: left,
        notes: changes.length === 0 ? [] : [...fixes, AGAIN],
      },
    };
  }

  async apply(context: JobContext): Promise<RunResult> {
    const { planId } = context.job.params;
    const { jobs, detachedWork, clock, refreshInventory } = this.deps;
    const plan = plannedChanges(planId === undefined ? null : await jobs.find(planId), PACKAGE_PLAN);
    const targets = targetsOf(await this.#undoneBy(context));
    if (!isWorkMarker(context.detached.marker)) {
      const drift = driftFrom(plan, (await this.#planOf(context, targets)).changes, PACKAGE_PLAN);
      if (drift) return drifted(planId, drift);
    }
    const manager = await this.#managerOf(context);
    context.progress('Downgrading packages', null);
    const order = manager.downgrade({ targets, plan });
    const outcome = await packageWork(context, { manager, order, detachedWork, recovers: true });
    const after = await inventoryAfter(context, refreshInventory);
    for (const note of outcome.notes) context.log(`Note: ${note}`);
    const { changes, planNow } = outcome;
    const drift = planNow === null ? null : driftFrom(plan, planNow, PACKAGE_PLAN);
    return {
      summary: `Done: ${changesText(changes, DONE)}.${after?.rebootPending ? ' A reboot is pending.' : ''}`,
      result: {
        dry_run: false,
        plan_id: planId,
        ...changesResult(changes),
        notes: changes.length === 0 ? outcome.notes : [...outcome.notes, AGAIN],
        ...drift?.result,
      },
      facts: factsAfter(after, clock),
      failure: drift?.failure ?? outcome.failure,
      afterwards: () => detachedWork.cleanUp(context),
    };
  }

  /** What the update changed. Throws `job_not_found`, and as `changesToUndo`. */
  async #undoneBy({ job }: JobContext): Promise<readonly PackageChange[]> {
    const id = job.params.updateJobId ?? 0;
    const update = await this.deps.jobs.find(id);
    if (update?.serverId === job.serverId) return changesToUndo(update);
    throw new DomainError('job_not_found', `This server has no job ${id}: its record may have expired.`);
  }

  async #planOf(context: JobContext, targets: readonly DowngradeTarget[]): Promise<DowngradePlan> {
    const manager = await this.#managerOf(context);
    context.progress('Working out the downgrade', null);
    return manager.planDowngrade(await context.openHost(), { targets, signal: context.signal });
  }

  /** Work that runs is followed even while the host is unreachable, by what is known of it. */
  async #managerOf(context: JobContext): Promise<PackageManager> {
    const { server, signal } = context;
    const { refreshInventory, packageManagers } = this.deps;
    const family =
      osFamilyOf(server.facts.osId, null) ??
      (await refreshInventory.gather(server.id, await context.openHost(), signal)).osFamily;
    const manager = family === null ? null : packageManagers.find(family);
    if (manager?.canDowngrade) return manager;
    throw new DomainError(
      'host_unsupported',
      `Drover downgrades packages with apt and dnf, and ${server.facts.osPretty ?? 'this system'} has another package manager.`,
    );
  }
}

const targetsOf = (undone: readonly PackageChange[]): readonly DowngradeTarget[] =>
  undone.flatMap(({ kind, name, from }) =>
    kind === 'upgrade' && from !== null ? [{ name, version: from }] : [],
  );

/** Why packages of the update stay as they are. */
function leftAlone(undone: readonly PackageChange[], plan: DowngradePlan): readonly LeftAlone[] {
  const planned = new Set(plan.changes.map(({ name }) => name));
  const others = undone.flatMap(({ kind, name, to, from }): readonly LeftAlone[] => {
    if (planned.has(name)) return [];
    if (kind === 'install') return [{ name, version: to, reason: 'The update installed it; it stays.' }];
    if (kind === 'remove')
      return [{ name, version: from, reason: 'The update removed it; nothing needs it again.' }];
    return [];
  });
  return [...plan.left.map(({ name, version, why }) => ({ name, version, reason: REASONS[why] })), ...others];
}

const nameOf = ({ name, version }: LeftAlone): string => (version === null ? name : `${name} ${version}`);

/** A note on security fixes of the update that the downgrade removes. */
function fixesUndone(undone: readonly PackageChange[], changes: readonly PackageChange[]): readonly string[] {
  const lower = new Set(changes.flatMap(({ kind, name }) => (kind === 'downgrade' ? [name] : [])));
  const names = undone.flatMap(({ security, name }) => (security && lower.has(name) ? [name] : []));
  return names.length === 0 ? [] : [`This removes security fixes of the update from: ${names.join(', ')}.`];
}

type Verbs = Readonly<Record<PackageChange['kind'], string>>;

const TO_DO: Verbs = {
  downgrade: 'to downgrade',
  install: 'to install',
  upgrade: 'to upgrade',
  remove: 'to remove',
};
const DONE: Verbs = {
  downgrade: 'downgraded',
  install: 'installed',
  upgrade: 'upgraded',
  remove: 'removed',
};

function changesText(changes: readonly PackageChange[], verbs: Verbs): string {
  const amount = (kind: PackageChange['kind']) => changes.filter((each) => each.kind === kind).length;
  const more = (['install', 'upgrade', 'remove'] as const).flatMap((kind) =>
    amount(kind) === 0 ? [] : `, ${amount(kind)} ${verbs[kind]}`,
  );
  return `${count(amount('downgrade'), 'package')} ${verbs.downgrade}${more.join('')}`;
}
