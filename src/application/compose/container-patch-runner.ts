import { snapshotLabel } from '../../domain/backups/snapshot.ts';
import { count } from '../../domain/base/count.ts';
import { isDomainError } from '../../domain/base/errors.ts';
import { HOUR } from '../../domain/base/instant.ts';
import type { ComposeDefinition, ComposeProject, ImageChange } from '../../domain/compose/compose.ts';
import {
  type ContainerChange,
  containerChangeLine,
  describeContainerChange,
  sortContainerChanges,
} from '../../domain/compose/container-change.ts';
import { imageChangeOf, type LeftAlone, objection } from '../../domain/fleet/patch-plan.ts';
import type { OrderedBatches } from '../automation/ordered-batches.ts';
import type { PatchPolicies } from '../automation/patch-policies.ts';
import type { TakeSnapshots } from '../backups/take-snapshots.ts';
import { UseCase } from '../base/use-case.ts';
import type { RefreshInventory } from '../fleet/refresh-inventory.ts';
import { CONTAINER_PLAN, drifted, driftFrom, planResult, refusalByPlan } from '../jobs/job-plans.ts';
import type { JobContext, JobRunner, RunResult } from '../jobs/runner.ts';
import type { ComposeOutcome, ProjectPatch } from '../ports/compose/container-engine.ts';
import type { ComposeRun } from './compose-run.ts';
import { type AfterContainerWork, outcomeResult, withUpdates } from './container-aftermath.ts';
import type { ContainerLook, LookAtContainers, ServiceLook } from './container-look.ts';
import {
  type HeldImage,
  type HeldImages,
  heldImage,
  heldImagesOf,
  imageAges,
  latestOf,
} from './image-ages.ts';
import { describeImageNews, imageNewsOf, imageNewsView } from './image-news.ts';
import { describeGuard, type GuardedProject, isGuarded, savesOf, type UpdateGuard } from './update-guard.ts';

/** The order has to fit into one command; the rest waits for the next job, and is reported. */
const MAX_CHANGES = 200;
const MAX_NAMED = 500;

interface ContainerPatch {
  readonly look: ContainerLook;
  readonly changes: readonly ContainerChange[];
  readonly left: readonly LeftAlone[];
  readonly guarded: readonly GuardedProject[];
  /** Projects with data that the update does not save, and why. */
  readonly unguarded: readonly { readonly directory: string; readonly reason: string }[];
}

interface Deps {
  readonly containerLook: LookAtContainers;
  readonly composeRun: ComposeRun;
  readonly afterContainerWork: AfterContainerWork;
  readonly updateGuard: UpdateGuard;
  readonly takeSnapshots: Pick<TakeSnapshots, 'hooksOf' | 'execute'>;
  readonly patchPolicies: Pick<PatchPolicies, 'of'>;
  readonly refreshInventory: Pick<RefreshInventory, 'former' | 'gather' | 'save'>;
  readonly orderedBatches: Pick<OrderedBatches, 'startOfRun'>;
}

/** Updates services to newer images, and rolls back those that do not become healthy; guarded ones with their data. */
export class ContainerPatchRunner
  extends UseCase<'engine' | 'jobs' | 'digest' | 'clock', Deps>
  implements JobRunner
{
  readonly types = ['container_patch'] as const;
  readonly timeLimitMs = 12 * HOUR;
  async plan(context: JobContext): Promise<RunResult> {
    const planned = await this.#planned(context);
    const { changes, left, guarded, unguarded } = planned;
    const parts = partsOf(planned);
    for (const part of parts) context.log(describeContainerChange(part));
    for (const { directory, service, reason, until } of left)
      if (until !== undefined) context.log(`${directory} ${service}: ${reason}`);
    for (const { directory, reason } of unguarded)
      context.log(`${directory}: its data would not be saved. ${reason}`);
    const { engine, updateGuard, clock } = this.deps;
    const news = await imageNewsOf(engine, context, planned.look, changes);
    for (const each of news) context.log(describeImageNews(each, clock.now()));
    const described = await Promise.all(guarded.map((each) => updateGuard.describe(each, changes)));
    for (const each of described) context.log(describeGuard(each));
    const saves =
      guarded.length === 0 ? '' : ` The data of ${count(guarded.length, 'project')} would be saved first.`;
    return {
      summary: `Dry run: ${count(changes.length, 'service')} would get a newer image, ${left.length} would stay.${saves} Nothing was changed.`,
      result: {
        dry_run: true,
        ...planResult(context.job, parts.map(containerChangeLine), clock.now(), this.deps.digest),
        changes_count: changes.length,
        changes: parts,
        left_alone: left.slice(0, MAX_NAMED),
        ...(news.length === 0 ? {} : { images: news.map(imageNewsView) }),
        ...(guarded.length === 0 ? {} : { guarded: described }),
        ...(unguarded.length === 0 ? {} : { unguarded }),
      },
    };
  }

  async apply(context: JobContext): Promise<RunResult> {
    const { composeRun, takeSnapshots, jobs } = this.deps;
    if (composeRun.isUnderWay(context)) {
      return this.#finish(
        context,
        await composeRun.orRecover(context, () => composeRun.follow(context)),
        null,
      );
    }
    const hooks = takeSnapshots.hooksOf(context);
    await hooks.resume();
    const { planId, prune } = context.job.params;
    const dryRun = planId === undefined ? null : await jobs.find(planId);
    const planned = await this.#planned(context, heldImagesOf(dryRun?.result?.['left_alone']));
    const { changes, left, guarded } = planned;
    const refusal = await refusalByPlan(jobs, planId, partsOf(planned), CONTAINER_PLAN);
    if (refusal) return refusal;
    if (changes.length === 0) {
      return {
        summary: `No service has an update that can be installed; ${left.length} left alone.`,
        result: { dry_run: false, changes_count: 0, changes: [], left_alone: left.slice(0, MAX_NAMED) },
      };
    }
    let current = planned;
    if (guarded.length > 0) {
      const sources = [
        ...new Map(guarded.flatMap((each) => each.sources).map((each) => [each.id, each])).values(),
      ];
      const snapshots = await takeSnapshots.execute(context, sources, hooks);
      for (const each of snapshots) context.log(`Backed up ${snapshotLabel(each)}.`);
      // The backup may have taken hours.
      current = await this.#planned(context, heldImagesOf(left));
      const drift = driftFrom(partsOf(planned), partsOf(current), CONTAINER_PLAN);
      if (drift) return drifted(planId, drift);
    }
    const { look } = current;
    const order = { kind: 'patch', projects: patchesOf(current), prune: prune ?? false } as const;
    const fresh = { ...context, detached: { ...context.detached, marker: null } };
    const outcome = await composeRun.orRecover(fresh, () =>
      composeRun.begin(fresh, order, look.survey.engine),
    );
    return this.#finish(context, outcome, planned);
  }

  async #finish(
    context: JobContext,
    outcome: ComposeOutcome,
    planned: ContainerPatch | null,
  ): Promise<RunResult> {
    const facts = await this.deps.afterContainerWork.execute(context, outcome);
    const { planId } = context.job.params;
    const { changes, result } = outcomeResult(outcome);
    return {
      summary: `Updated ${count(changes.length, 'service')} in ${count(outcome.projects.length, 'Compose project')} to newer images.`,
      result: {
        dry_run: false,
        ...(planId === undefined ? {} : { plan_id: planId }),
        ...result,
        left_alone: planned?.left.slice(0, MAX_NAMED) ?? [],
        ...(planned && planned.guarded.length > 0
          ? { guarded: planned.guarded.map(({ directory, guard }) => ({ directory, paths: guard.paths })) }
          : {}),
      },
      facts,
      failure: outcome.failure,
      afterwards: () => this.deps.composeRun.cleanUp(context),
    };
  }

  /** `planned`: what was held back before, which stays held. */
  async #planned(context: JobContext, planned: HeldImages = new Map()): Promise<ContainerPatch> {
    const { sourceFilter, service: only } = context.job.params;
    const look = await this.deps.containerLook.execute(context, sourceFilter);
    const open = look.services.filter(
      (each) => each.verdict.update !== false && (only === null || each.service.name === only),
    );
    const heldBack = await this.#holds(context, look);
    const left: LeftAlone[] = [];
    const changes: ContainerChange[] = [];
    const definitions = new Map<string, ComposeDefinition | string>();
    for (const each of open) {
      const { directory } = each.project;
      const service = each.service.name;
      const held = heldBack(each) ?? planned.get(`${directory} ${service}`) ?? null;
      const reason = held?.reason ?? (await this.#objectionTo(context, look, each, definitions));
      if (reason === null && changes.length < MAX_CHANGES) {
        changes.push(imageChangeOf(each.project, each.service, each.verdict));
      } else {
        const full = `One job updates at most ${MAX_CHANGES} services. Start another job for the rest.`;
        left.push({ directory, service, reason: reason ?? full, ...(held && { until: held.until }) });
      }
    }
    return this.#guarded(context, { look, changes, left });
  }

  /** What the server's policy holds back. It counts from when an image was first seen, so that is stored. */
  async #holds(
    context: JobContext,
    look: ContainerLook,
  ): Promise<(service: ServiceLook) => HeldImage | null> {
    const { patchPolicies, refreshInventory, clock, orderedBatches } = this.deps;
    const { server, job, signal } = context;
    const policy = await patchPolicies.of(server);
    if (policy === null) return () => null;
    const former = await refreshInventory.former(server.id);
    const { ages, isNew } = await imageAges(this.deps, context, look, former);
    if (isNew) {
      const inventory = await refreshInventory.gather(server.id, look.host, signal, { former });
      const learnt = new Map(
        look.containers.flatMap(({ container, verdict }) => {
          const latest = latestOf(verdict, ages);
          return latest === undefined ? [] : [[container.name, { latest }] as const];
        }),
      );
      await refreshInventory.save(server, withUpdates(inventory, learnt));
    }
    const runAt = (await orderedBatches.startOfRun(job.id)) ?? undefined;
    const terms = { scheduled: job.scheduled, at: clock.now(), runAt };
    return (service) => heldImage(policy, service, ages, terms);
  }

  /** With `guard`, a project that cannot be guarded stays as it is. */
  async #guarded(
    context: JobContext,
    { look, changes, left }: Pick<ContainerPatch, 'look' | 'changes' | 'left'>,
  ): Promise<ContainerPatch> {
    const directories = [...new Set(changes.map(({ directory }) => directory))];
    const decided = await this.deps.updateGuard.of(context, look, directories);
    const reasons = new Map<string, string>();
    for (const each of decided) {
      if (!isGuarded(each) && each.reason !== null) reasons.set(each.directory, each.reason);
    }
    const isLeft = ({ directory }: ContainerChange): boolean =>
      context.job.params.guard === true && reasons.has(directory);
    const unguarded = [...reasons].map(([directory, reason]) => ({ directory, reason }));
    return {
      look,
      changes: sortContainerChanges(changes.filter((each) => !isLeft(each))),
      left: [
        ...left,
        ...changes.filter(isLeft).map(({ directory, service }) => ({
          directory,
          service,
          reason: `Its data cannot be saved: ${reasons.get(directory)}`,
        })),
      ],
      guarded: decided.filter(isGuarded),
      unguarded: context.job.params.guard === true ? [] : unguarded,
    };
  }

  /** The files of a project are read once, and only if there is an update for it. */
  async #objectionTo(
    context: JobContext,
    { host, survey }: ContainerLook,
    { project, service, verdict }: ServiceLook,
    definitions: Map<string, ComposeDefinition | string>,
  ): Promise<string | null> {
    if (verdict.update === null) return verdict.reason ?? 'It is not known whether there is an update.';
    if (project.problem !== null || service.running === 0) return objection(project, service, '');
    const known = definitions.get(project.directory);
    if (known !== undefined) return objection(project, service, known);
    context.progress(`Reading the files of ${project.directory}`, null);
    const { signal } = context;
    const read = await this.deps.engine
      .definition(host, project, { engine: survey.engine, signal })
      .catch((error: unknown) => {
        if (isDomainError(error, 'compose_invalid') || isDomainError(error, 'invalid_input')) {
          return error.message;
        }
        throw error;
      });
    definitions.set(project.directory, read);
    return objection(project, service, read);
  }
}

/** The plan: what is saved, and what changes. */
const partsOf = ({ changes, guarded }: ContainerPatch): readonly ContainerChange[] =>
  sortContainerChanges([...guarded.flatMap(savesOf), ...changes]);

/** The changes as an order, one entry a project. */
function patchesOf({ look, changes, guarded }: ContainerPatch): ProjectPatch[] {
  const patches = new Map<ComposeProject, ProjectPatch>();
  for (const { directory, service: name, from, to } of changes) {
    const found = look.services.find(
      ({ project, service }) => project.directory === directory && service.name === name,
    );
    if (!found || to === null || found.service.imageId === null) continue;
    const { project, service } = found;
    const change: ImageChange = { directory, service: name, image: service.image, from, to };
    const patch = { change, imageId: found.service.imageId, containers: service.containers };
    const others = patches.get(project)?.services ?? [];
    const guard = guarded.find((each) => each.directory === directory)?.guard;
    patches.set(project, { place: project, services: [...others, patch], guard });
  }
  return [...patches.values()];
}
