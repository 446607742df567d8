import { count } from '../../domain/base/count.ts';
import { HOUR } from '../../domain/base/instant.ts';
import type { ImageChange } from '../../domain/compose/compose.ts';
import {
  type ContainerChange,
  containerChangeLine,
  describeContainerChange,
} from '../../domain/compose/container-change.ts';
import { actionChanges, deployChanges, type StackAction } from '../../domain/compose/stack-plan.ts';
import type { JobType } from '../../domain/jobs/job-types.ts';
import { UseCase } from '../base/use-case.ts';
import { CONTAINER_PLAN, planResult, refusalByPlan } from '../jobs/job-plans.ts';
import type { JobContext, JobRunner, RunResult } from '../jobs/runner.ts';
import type { ComposeOrder, ComposeOutcome } from '../ports/compose/container-engine.ts';
import type { ComposeRun } from './compose-run.ts';
import { type AfterContainerWork, outcomeResult } from './container-aftermath.ts';
import { type LookAtStack, refuseUnknown, type StackLook } from './stack-look.ts';

const ACTIONS: Partial<Record<JobType, StackAction>> = {
  docker_stack_deploy: 'deploy',
  docker_stack_stop: 'stop',
  docker_stack_start: 'start',
  docker_stack_restart: 'restart',
};

interface StackChange {
  readonly look: StackLook;
  readonly changes: readonly ContainerChange[];
}

interface Deps {
  readonly stackLook: LookAtStack;
  readonly composeRun: ComposeRun;
  readonly afterContainerWork: AfterContainerWork;
}

/** Deploys, stops, starts and restarts one Compose project, or one service of it. */
export class StackRunner extends UseCase<'jobs' | 'digest' | 'clock', Deps> implements JobRunner {
  readonly types = [
    'docker_stack_deploy',
    'docker_stack_stop',
    'docker_stack_start',
    'docker_stack_restart',
  ] as const;
  readonly timeLimitMs = 4 * HOUR;
  async plan(context: JobContext): Promise<RunResult> {
    const { changes } = await this.#planned(context);
    for (const change of changes) context.log(describeContainerChange(change));
    const lines = changes.map(containerChangeLine);
    return {
      summary: `Dry run: ${count(changes.length, 'service')} would change. Nothing was changed.`,
      result: {
        dry_run: true,
        ...planResult(context.job, lines, this.deps.clock.now(), this.deps.digest),
        changes_count: changes.length,
        changes,
      },
    };
  }

  async apply(context: JobContext): Promise<RunResult> {
    if (this.deps.composeRun.isUnderWay(context)) {
      return this.#finish(context, await this.deps.composeRun.follow(context), null);
    }
    const { planId } = context.job.params;
    const { look, changes } = await this.#planned(context);
    const refusal = await refusalByPlan(this.deps.jobs, planId, changes, CONTAINER_PLAN);
    if (refusal) return refusal;
    if (changes.length === 0) {
      const sick = sickOf(look, context);
      const but = sick.length === 0 ? '' : ` But not healthy: ${sick.join(', ')}.`;
      return {
        summary: `Nothing to do: the project is already in the requested state.${but}`,
        result: { dry_run: false, changes_count: 0, changes: [] },
      };
    }
    for (const change of changes) context.log(describeContainerChange(change));
    const outcome = await this.deps.composeRun.begin(
      context,
      orderOf(context, look, changes),
      look.survey.engine,
    );
    return this.#finish(context, outcome, changes);
  }

  /** `changes` are the planned ones; a worker that took the job over does not know them. */
  async #finish(
    context: JobContext,
    outcome: ComposeOutcome,
    changes: readonly ContainerChange[] | null,
  ): Promise<RunResult> {
    const facts = await this.deps.afterContainerWork.execute(context, outcome);
    const { planId } = context.job.params;
    const done = outcome.failure === null ? changes : [];
    return {
      summary: `${DONE[actionOf(context)]} ${context.job.params.sourceFilter}.`,
      result: {
        dry_run: false,
        ...(planId === undefined ? {} : { plan_id: planId }),
        ...outcomeResult(outcome).result,
        changes_count: done?.length ?? null,
        changes: done,
      },
      facts,
      failure: outcome.failure,
      afterwards: () => this.deps.composeRun.cleanUp(context),
    };
  }

  async #planned(context: JobContext): Promise<StackChange> {
    const look = await this.deps.stackLook.find(context);
    const { service } = context.job.params;
    const action = actionOf(context);
    if (action !== 'deploy') {
      const names = look.project.services.map(({ name }) => name);
      refuseUnknown(service, names);
      return { look, changes: actionChanges(look.project, action, service) };
    }
    const definition = await this.deps.stackLook.definition(context, look);
    const verdictOf = await this.deps.stackLook.verdicts(context, look, definition.services);
    return { look, changes: deployChanges(look.project, definition, verdictOf, service) };
  }
}

/** Services that the job is about whose health check fails: to do nothing does not mean that all is well. */
const sickOf = ({ project }: StackLook, { job }: JobContext): readonly string[] =>
  project.services
    .filter(({ name, health }) => health === 'unhealthy' && (job.params.service ?? name) === name)
    .map(({ name }) => name);

const DONE = { deploy: 'Deployed', stop: 'Stopped', start: 'Started', restart: 'Restarted' } as const;

function actionOf({ job }: JobContext): StackAction {
  const action = ACTIONS[job.jobType];
  if (!action) throw new Error(`${job.jobType} is no action on a stack`);
  return action;
}

function orderOf(
  context: JobContext,
  { project }: StackLook,
  changes: readonly ContainerChange[],
): ComposeOrder {
  const { service, prune } = context.job.params;
  const services = service === null ? [] : [service];
  const kind = actionOf(context);
  if (kind !== 'deploy') return { kind, place: project, services };
  const images = changes.flatMap(({ directory, service: name, image, from, to }): ImageChange[] =>
    image === null || to === null ? [] : [{ directory, service: name, image, from, to }],
  );
  return { kind, place: project, services, images, stagedId: null, prune: prune ?? false };
}
