import { Actor } from '../../domain/access/actor.ts';
import { count } from '../../domain/base/count.ts';
import { DomainError } from '../../domain/base/errors.ts';
import { HOUR } from '../../domain/base/instant.ts';
import { SecretMask } from '../../domain/base/secret-mask.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import type { JobResult } from '../../domain/jobs/job.ts';
import { UseCase } from '../base/use-case.ts';
import { driftFrom, plannedChanges, planResult } from '../jobs/job-plans.ts';
import type { JobContext, JobRunner, RunResult } from '../jobs/runner.ts';
import type { SecretPlace } from '../ports/base/secret-box.ts';
import type { ComposeOutcome } from '../ports/compose/container-engine.ts';
import type { ComposeRun } from './compose-run.ts';
import type { AfterContainerWork } from './container-aftermath.ts';
import { maskedJob, maskOf, secretsOf } from './masked-job.ts';
import { type PrepareDeployment, type PreparedDeployment, projectFile } from './prepare-deployment.ts';
import { type BegunDeployment, deploymentPlace, sealedJson, type TemplateOrders } from './template-orders.ts';
import { describeTemplateChange, TEMPLATE_PLAN, type TemplateChange } from './template-plan.ts';

interface Deps {
  readonly orders: TemplateOrders;
  readonly prepareDeployment: PrepareDeployment;
  readonly composeRun: ComposeRun;
  readonly afterContainerWork: AfterContainerWork;
}

/** Deploys a template with its values to a host; failures are rolled back there. */
export class TemplateDeployRunner
  extends UseCase<'engine' | 'deployments' | 'jobs' | 'box' | 'digest' | 'randomness' | 'clock', Deps>
  implements JobRunner
{
  readonly types = ['template_deploy', 'template_redeploy'] as const;
  readonly timeLimitMs = 2 * HOUR;
  async plan(context: JobContext): Promise<RunResult> {
    const order = await this.deps.orders.resolve(context.job);
    return maskedJob(context, maskOf(order), async (masked) => {
      const salt = Buffer.from(this.deps.randomness.bytes(16)).toString('hex');
      const prepared = await this.deps.prepareDeployment.execute(masked, order, salt);
      for (const change of prepared.changes) masked.log(describeTemplateChange(change));
      for (const note of prepared.notes) masked.log(`Note: ${note}`);
      const { job } = context;
      return {
        summary: `Dry run: ${changesText(prepared.changes)}. Nothing was changed.`,
        result: {
          dry_run: true,
          ...planResult(
            job,
            prepared.changes.map(TEMPLATE_PLAN.line),
            this.deps.clock.now(),
            this.deps.digest,
          ),
          ...resultOf(prepared),
          // The salt of the changes' fingerprints: of no use to anyone else.
          sealed_salt: this.deps.box.seal(salt, saltPlace(job.id)),
        },
      };
    });
  }

  async apply(context: JobContext): Promise<RunResult> {
    const about = this.deps.composeRun.aboutOf(context);
    const begun = about === null ? null : await this.deps.orders.begun(about);
    if (about !== null && begun !== null) {
      return maskedJob(context, new SecretMask(begun.secrets), async (masked) =>
        this.#finish(masked, begun, about, await this.deps.composeRun.follow(masked)),
      );
    }
    const order = await this.deps.orders.resolve(context.job);
    return maskedJob(context, maskOf(order), async (masked) => {
      if (this.deps.composeRun.isUnderWay(context)) {
        return this.#deploy(masked, await this.deps.prepareDeployment.toFollow(masked, order));
      }
      const { planId } = context.job.params;
      const plan = planId === undefined ? null : await this.deps.jobs.find(planId);
      const prepared = await this.deps.prepareDeployment.execute(
        masked,
        order,
        plan === null ? '' : this.#saltOf(plan),
      );
      const drift =
        planId === undefined
          ? null
          : driftFrom(plannedChanges(plan, TEMPLATE_PLAN), prepared.changes, TEMPLATE_PLAN);
      if (drift) return drifted(planId, drift);
      for (const note of prepared.notes) masked.log(`Note: ${note}`);
      masked.progress('Writing the files', null);
      const { signal } = context;
      const files = prepared.rendered.map(projectFile);
      await this.deps.engine.stage(await context.openHost(), context.detached.runId, files, { signal });
      await this.deps.prepareDeployment.recheck(context, prepared);
      return this.#deploy(masked, prepared);
    });
  }

  async #deploy(context: JobContext, prepared: PreparedDeployment): Promise<RunResult> {
    const { place, engine } = prepared;
    const begun = begunOf(prepared);
    // The template may have a new version, or be deleted, when another worker takes the job over.
    const about = await this.deps.orders.keepBegun(context.job.serverId, begun);
    const stagedId = context.detached.runId;
    const outcome = await this.deps.composeRun.begin(
      context,
      { kind: 'deploy', place, services: [], images: [], stagedId, prune: false },
      engine,
      about,
    );
    return this.#finish(context, begun, about, outcome);
  }

  async #finish(
    context: JobContext,
    begun: BegunDeployment,
    about: number,
    outcome: ComposeOutcome,
  ): Promise<RunResult> {
    const { planId } = context.job.params;
    if (!outcome.failure) await this.#record(context, begun);
    return {
      summary: begun.summary,
      result: {
        dry_run: false,
        ...(planId === undefined ? {} : { plan_id: planId }),
        ...begun.result,
        outcome: outcome.projects[0]?.state ?? null,
        notes: [...begun.result.notes, ...outcome.notes],
      },
      facts: await this.deps.afterContainerWork.execute(context, outcome),
      failure: outcome.failure,
      afterwards: async () => {
        await this.deps.orders.dropBegun(about);
        await this.deps.composeRun.cleanUp(context);
      },
    };
  }

  async #record({ job }: JobContext, begun: BegunDeployment): Promise<void> {
    const { template, directory, project, given, secretNames, files } = begun;
    const isSecret = ([name]: readonly [string, unknown]): boolean => secretNames.includes(name);
    const secret = Object.entries(given).filter(isSecret);
    const open = Object.entries(given).filter((each) => !isSecret(each));
    const at = this.deps.clock.now();
    await this.deps.deployments.record(
      {
        serverId: job.serverId,
        directory,
        project,
        templateName: template.name,
        templateVersion: template.version,
        values: Object.fromEntries(open.map(([name, value]) => [name, String(value)])),
        secretNames: secret.map(([name]) => name),
        files,
        jobId: job.id,
        deployedAt: at,
      },
      (id) => sealedJson(this.deps.box, Object.fromEntries(secret), deploymentPlace(id)),
      ({ id }) => ({
        audit: [
          auditEntry(Actor.system('worker'), at, 'template.deployed', `deployment:${id}`, {
            jobId: job.id,
            serverId: job.serverId,
            directory,
            template: template.name,
            version: template.version,
          }),
        ],
      }),
    );
  }

  #saltOf(plan: { readonly id: number; readonly result: JobResult | null }): string {
    const sealed = plan.result?.['sealed_salt'];
    if (typeof sealed === 'string') return this.deps.box.open(sealed, saltPlace(plan.id));
    throw new DomainError('plan_not_found', 'The plan of this job no longer exists. Do another dry run.');
  }
}

const saltPlace = (jobId: number): SecretPlace => ({ table: 'jobs', column: 'result', row: jobId });

function changesText(changes: readonly TemplateChange[]): string {
  const files = changes.filter(({ kind }) => kind === 'file').length;
  return `${count(files, 'file')} to write, ${count(changes.length - files, 'service')} to change`;
}

const resultOf = ({ order, place, project, changes, notes }: PreparedDeployment) => ({
  template: order.template.name,
  template_version: order.template.version,
  directory: place.directory,
  project,
  changes_count: changes.length,
  changes,
  notes,
});

function begunOf(prepared: PreparedDeployment): BegunDeployment {
  const { order, place, project, rendered, changes } = prepared;
  const { name, version } = order.template;
  return {
    template: { name, version },
    directory: place.directory,
    project,
    files: rendered.map(({ path }) => path),
    given: order.given,
    secretNames: [...order.values.secrets],
    secrets: secretsOf(order),
    summary: `Deployed ${name} (version ${version}) to ${place.directory}: ${changesText(changes)}.`,
    result: resultOf(prepared),
  };
}

/** Nothing was started, so there is nothing to clean up. */
const drifted = (
  planId: number | undefined,
  { failure, result }: { readonly failure: DomainError; readonly result: JobResult },
): RunResult => ({
  summary: failure.message,
  result: { dry_run: false, plan_id: planId ?? null, changes_count: 0, changes: [], ...result },
  failure,
});
