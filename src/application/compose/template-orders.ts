import { DomainError, InvalidInput } from '../../domain/base/errors.ts';
import { type Deployment, deploymentNotFound } from '../../domain/compose/deployment.ts';
import { projectDirectory } from '../../domain/compose/project-directory.ts';
import {
  noTemplateNamed,
  type Template,
  type TemplateValues,
  valuesFor,
} from '../../domain/compose/template.ts';
import { checkValue, type VariableValue } from '../../domain/compose/template-variable.ts';
import type { Server } from '../../domain/fleet/server.ts';
import type { Job, JobParams } from '../../domain/jobs/job.ts';
import { type JobType, takes } from '../../domain/jobs/job-types.ts';
import { UseCase } from '../base/use-case.ts';
import type { SecretBox, SecretPlace } from '../ports/base/secret-box.ts';
import type { TemplateRenderer } from './template-renderer.ts';

/** Inputs beside the other parameters of a job. */
export interface TemplateRequest {
  /** A template's name. */
  readonly template?: string | undefined;
  readonly variables?: Readonly<Record<string, VariableValue>> | undefined;
}

/** Inputs of a template job. */
export interface ResolvedOrder {
  readonly template: Template;
  readonly values: TemplateValues;
  /** The given values, from now or the previous deployment; the rest are defaults. */
  readonly given: Readonly<Record<string, VariableValue>>;
  /** The current deployment, with its secrets. */
  readonly former: { readonly deployment: Deployment; readonly secrets: readonly string[] } | null;
  /** A note for the job's log. */
  readonly notes: readonly string[];
}

/** What was started on a host, whatever happens to its template in the meantime. */
export interface BegunDeployment {
  readonly template: Pick<Template, 'name' | 'version'>;
  readonly directory: string;
  readonly project: string;
  readonly files: readonly string[];
  readonly given: Readonly<Record<string, VariableValue>>;
  /** Names of those that are secrets. */
  readonly secretNames: readonly string[];
  /** All values to mask, including those of the previous deployment. */
  readonly secrets: readonly string[];
  readonly summary: string;
  readonly result: Readonly<Record<string, unknown>> & { readonly notes: readonly string[] };
}

/** Stores the values of a request encrypted until their job runs, and hands them to it. */
export class TemplateOrders extends UseCase<
  'templates' | 'deployments' | 'jobs' | 'box' | 'clock',
  { readonly renderer: TemplateRenderer }
> {
  /**
   * The parameters of a job with the data of its template; for any other type they stay as they are. Everything is
   * rendered once, so that missing values are refused immediately. Throws `invalid_input`, `template_not_found`,
   * `deployment_not_found`.
   */
  async place(
    { server, jobType }: { readonly server: Server; readonly jobType: JobType },
    params: JobParams,
    request: TemplateRequest,
  ): Promise<JobParams> {
    if (!takes(jobType, 'variables')) return params;
    const sourceFilter = projectDirectory(params.sourceFilter ?? '', server);
    if (params.planId !== undefined) {
      if (request.variables !== undefined) {
        const message = 'The plan already has its values; omit either plan_id or variables.';
        throw new InvalidInput([{ path: '/variables', message }]);
      }
      const plan = await this.deps.jobs.find(params.planId);
      return { ...params, sourceFilter, ...orderOf(plan, request.template) };
    }
    const variables = request.variables ?? {};
    const asked = { serverId: server.id, serverName: server.name, jobType, directory: sourceFilter };
    const { template, values } = await this.#resolve(asked, request.template, variables);
    this.deps.renderer.render(template, values);
    const names = Object.keys(variables);
    const named = jobType === 'template_deploy' ? { template: template.name } : {};
    if (names.length === 0) return { ...params, sourceFilter, ...named };
    const order = await this.deps.deployments.order(
      { serverId: server.id, names, createdAt: this.deps.clock.now() },
      (id) => sealedJson(this.deps.box, variables, orderPlace(id)),
    );
    return { ...params, sourceFilter, ...named, orderId: order.id };
  }

  /** Stores, encrypted, what a job starts; returns the id for `begun`. */
  async keepBegun(serverId: number, begun: BegunDeployment): Promise<number> {
    const order = { serverId, names: Object.keys(begun.given), createdAt: this.deps.clock.now() };
    const { id } = await this.deps.deployments.order(order, (at) =>
      this.deps.box.seal(JSON.stringify(begun), orderPlace(at)),
    );
    return id;
  }

  /** `null` if that was more than a week ago. Throws `secret_unreadable`. */
  async begun(id: number): Promise<BegunDeployment | null> {
    const order = await this.deps.deployments.findOrder(id);
    return order === null ? null : JSON.parse(this.deps.box.open(order.sealedValues, orderPlace(id)));
  }

  /** The record of the started work is no longer needed. */
  async dropBegun(id: number): Promise<void> {
    await this.deps.deployments.dropOrder(id);
  }

  /** The request came to no job. */
  async withdraw({ orderId, planId }: JobParams): Promise<void> {
    if (orderId !== undefined && planId === undefined) await this.deps.deployments.dropOrder(orderId);
  }

  /** Throws as `place`, and `secret_unreadable`. */
  async resolve(job: Job): Promise<ResolvedOrder> {
    const { sourceFilter, template, orderId } = job.params;
    const order = orderId === undefined ? null : await this.deps.deployments.findOrder(orderId);
    if (orderId !== undefined && order === null) {
      throw new DomainError(
        'invalid_input',
        'The values of this job were deleted after a week. Start the job again with its values.',
      );
    }
    const changed =
      order === null ? {} : givenValues(this.deps.box.open(order.sealedValues, orderPlace(order.id)));
    const { serverId, serverName, jobType } = job;
    return this.#resolve({ serverId, serverName, jobType, directory: sourceFilter ?? '' }, template, changed);
  }

  async #resolve(
    asked: {
      readonly serverId: number;
      readonly serverName: string;
      readonly jobType: JobType;
      readonly directory: string;
    },
    templateName: string | undefined,
    changed: Readonly<Record<string, VariableValue>>,
  ): Promise<ResolvedOrder> {
    const { serverId, serverName, jobType, directory } = asked;
    const deployment = await this.deps.deployments.find(serverId, directory);
    const secrets = deployment === null ? {} : this.#secretsOf(deployment);
    const former = deployment === null ? null : { deployment, secrets: Object.values(secrets).map(String) };
    if (jobType === 'template_deploy') {
      const template = await this.#templateNamed(templateName ?? '');
      return { template, given: changed, values: valuesFor(template, changed), former, notes: [] };
    }
    if (deployment === null) throw deploymentNotFound(serverName, directory);
    const template = await this.#templateNamed(deployment.templateName);
    const { kept, notes } = stillMeant(template, { ...deployment.values, ...secrets });
    const given = { ...kept, ...changed };
    return { template, given, values: valuesFor(template, given), former, notes };
  }

  #secretsOf({ id, sealedSecrets }: Deployment): Readonly<Record<string, VariableValue>> {
    return givenValues(this.deps.box.open(sealedSecrets, deploymentPlace(id)));
  }

  async #templateNamed(name: string): Promise<Template> {
    const template = await this.deps.templates.findByName(name);
    if (!template) throw noTemplateNamed(name);
    return template;
  }
}

const orderPlace = (id: number): SecretPlace => ({
  table: 'template_orders',
  column: 'sealed_values',
  row: id,
});

export const deploymentPlace = (id: number): SecretPlace => ({
  table: 'template_deployments',
  column: 'sealed_secrets',
  row: id,
});

/** The order of a dry run, for the job that applies its plan. */
function orderOf(plan: Job | null, asked: string | undefined): Pick<JobParams, 'template' | 'orderId'> {
  // Problems of the plan are reported where plans are checked.
  const template = asked ?? plan?.params.template;
  const orderId = plan?.params.orderId;
  return {
    ...(template === undefined ? {} : { template }),
    ...(orderId === undefined ? {} : { orderId }),
  };
}

/** Values of an older version of a template that the newest has a use for. */
function stillMeant(
  template: Template,
  values: Readonly<Record<string, VariableValue>>,
): { readonly kept: Readonly<Record<string, VariableValue>>; readonly notes: readonly string[] } {
  const known = new Map(template.variables.map((variable) => [variable.name, variable]));
  const notes: string[] = [];
  const kept = Object.entries(values).filter(([name, value]) => {
    const variable = known.get(name);
    if (variable === undefined) notes.push(`The template no longer has a variable ${name}.`);
    else if (checkValue(variable, value).fault !== null) {
      notes.push(`The value of ${name} is not valid for the newest version of the template.`);
    } else return true;
    return false;
  });
  return { kept: Object.fromEntries(kept), notes };
}

export const sealedJson = (
  box: SecretBox,
  values: Readonly<Record<string, VariableValue>>,
  place: SecretPlace,
): string => box.seal(JSON.stringify(values), place);

/** Values as `sealedJson` took them; the encryption vouches for their form. */
export const givenValues = (json: string): Readonly<Record<string, VariableValue>> =>
  JSON.parse(json) as Record<string, VariableValue>;
