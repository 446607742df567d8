import { counted } from '../../domain/base/counted.ts';
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
import { CONTAINER_PLAN, planResult, refusalByPlan } from '../jobs/job-plans.ts';
import type { JobContext, JobRunner, RunResult } from '../jobs/runner.ts';
import type { Clock } from '../ports/base/clock.ts';
import type { Digest } from '../ports/base/digest.ts';
import type { ComposeOutcome, ContainerEngine, ProjectPatch } from '../ports/compose/container-engine.ts';
import type { JobStore } from '../ports/jobs/job-store.ts';
import type { ComposeRun } from './compose-run.ts';
import { type AfterContainerWork, outcomeResult } from './container-aftermath.ts';
import type { ContainerLook, LookAtContainers, LookedAt } from './container-look.ts';

/** The order has to fit into one command; the rest waits for the next job, and is reported. */
const MAX_CHANGES = 200;
const MAX_NAMED = 500;

interface ContainerPatch {
  readonly look: ContainerLook;
  readonly changes: readonly ContainerChange[];
  readonly left: readonly LeftAlone[];
}

interface Deps {
  readonly engine: ContainerEngine;
  readonly containerLook: LookAtContainers;
  readonly composeRun: ComposeRun;
  readonly afterContainerWork: AfterContainerWork;
  readonly jobs: JobStore;
  readonly digest: Digest;
  readonly clock: Clock;
}

/** Updates services to newer images, and rolls back those that do not become healthy. */
export class ContainerPatchRunner implements JobRunner {
  readonly types = ['container_patch'] as const;
  readonly timeLimitMs = 12 * HOUR;
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async plan(context: JobContext): Promise<RunResult> {
    const { changes, left } = await this.#planned(context);
    for (const change of changes) context.log(describeContainerChange(change));
    const lines = changes.map(containerChangeLine);
    return {
      summary: `Dry run: ${counted(changes.length, 'service')} would get a newer image, ${left.length} would stay. Nothing was changed.`,
      result: {
        dry_run: true,
        ...planResult(context.job, lines, this.#deps.clock.now(), this.#deps.digest),
        changes_count: changes.length,
        changes,
        left_alone: left.slice(0, MAX_NAMED),
      },
    };
  }

  async apply(context: JobContext): Promise<RunResult> {
    if (this.#deps.composeRun.isUnderWay(context))
      return this.#finish(context, await this.#deps.composeRun.follow(context), []);
    const { planId, prune } = context.job.params;
    const { look, changes, left } = await this.#planned(context);
    const refusal = await refusalByPlan(this.#deps.jobs, planId, changes, CONTAINER_PLAN);
    if (refusal) return refusal;
    if (changes.length === 0) {
      return {
        summary: `No service has an update that can be installed; ${left.length} left alone.`,
        result: { dry_run: false, changes_count: 0, changes: [], left_alone: left.slice(0, MAX_NAMED) },
      };
    }
    const order = { kind: 'patch', projects: patchesOf(look, changes), prune: prune ?? false } as const;
    return this.#finish(context, await this.#deps.composeRun.begin(context, order, look.survey.engine), left);
  }

  async #finish(
    context: JobContext,
    outcome: ComposeOutcome,
    left: readonly LeftAlone[],
  ): Promise<RunResult> {
    const facts = await this.#deps.afterContainerWork.execute(context, outcome);
    const { planId } = context.job.params;
    const { changes, result } = outcomeResult(outcome);
    return {
      summary: `Updated ${counted(changes.length, 'service')} in ${counted(outcome.projects.length, 'Compose project')} to newer images.`,
      result: {
        dry_run: false,
        ...(planId === undefined ? {} : { plan_id: planId }),
        ...result,
        left_alone: left.slice(0, MAX_NAMED),
      },
      facts,
      failure: outcome.failure,
      afterwards: () => this.#deps.composeRun.cleanUp(context),
    };
  }

  async #planned(context: JobContext): Promise<ContainerPatch> {
    const { sourceFilter, service } = context.job.params;
    const look = await this.#deps.containerLook.execute(context, sourceFilter);
    const open = look.services.filter(
      (each) => each.verdict.update !== false && (service === null || each.service.name === service),
    );
    const left: LeftAlone[] = [];
    const changes: ContainerChange[] = [];
    const definitions = new Map<string, ComposeDefinition | string>();
    for (const each of open) {
      const reason = await this.#objectionTo(context, look, each, definitions);
      if (reason === null && changes.length < MAX_CHANGES) {
        changes.push(imageChangeOf(each.project, each.service, each.verdict));
      } else {
        left.push({
          directory: each.project.directory,
          service: each.service.name,
          reason:
            reason ?? `One job updates at most ${MAX_CHANGES} services. Start another job for the rest.`,
        });
      }
    }
    return { look, changes: sortContainerChanges(changes), left };
  }

  /** The files of a project are read once, and only if there is an update for it. */
  async #objectionTo(
    context: JobContext,
    { host, survey }: ContainerLook,
    { project, service, verdict }: LookedAt,
    definitions: Map<string, ComposeDefinition | string>,
  ): Promise<string | null> {
    if (verdict.update === null) return verdict.reason ?? 'It is not known whether there is an update.';
    if (project.problem !== null || service.running === 0) return objection(project, service, '');
    const known = definitions.get(project.directory);
    if (known !== undefined) return objection(project, service, known);
    context.progress(`Reading the files of ${project.directory}`, null);
    const { signal } = context;
    const read = await this.#deps.engine
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

/** The changes as an order, one entry a project. */
function patchesOf(look: ContainerLook, changes: readonly ContainerChange[]): ProjectPatch[] {
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
    patches.set(project, { place: project, services: [...others, patch] });
  }
  return [...patches.values()];
}
