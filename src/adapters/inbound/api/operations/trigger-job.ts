import * as z from 'zod';
import { MAX_VALUE_LENGTH } from '../../../../domain/compose/template-variable.ts';
import { JOB_STATUSES, type Job } from '../../../../domain/jobs/job.ts';
import { API_JOB_TYPES, JOB_TYPES, MCP_JOB_TYPES } from '../../../../domain/jobs/job-types.ts';
import { ALREADY_ACTIVE, DRY_RUN, JOB } from '../examples.ts';
import {
  ABOUT_PRUNE,
  ABOUT_STEPS,
  composeService,
  graceSeconds,
  line,
  osSteps,
  serverId,
  sourceFilter,
} from '../fields.ts';
import { operation } from '../operation.ts';
import { jobSchema, jobView } from '../views/job-view.ts';
import { id, text } from '../views/values.ts';

const started = {
  job_id: id,
  status: z.enum(JOB_STATUSES),
  job_type: z.enum(JOB_TYPES),
  job: jobSchema,
};

const ABOUT_SOURCE = "One backup source's name, or one compose project's directory; without it all of them";
const ABOUT_DRY_RUN = 'Only say what would change';
const ABOUT_PLAN =
  'The plan_id from the result of a dry run of the same type. The job does exactly what that said, or nothing where the host has changed since';

const ABOUT_VARIABLES =
  'For templates: values by name. template_redeploy has those of the deployment, and needs only what is to change';

const variables = z.record(
  z.string().max(64),
  z.union([z.string().max(MAX_VALUE_LENGTH), z.int(), z.boolean()]),
);

/** Scripts written for other services send null for what they leave out. */
const orNull = <T extends z.ZodType>(schema: T) => schema.nullish();

const toolInput = z.strictObject({
  server_id: serverId,
  job_type: z.enum(MCP_JOB_TYPES),
  source_filter: sourceFilter.optional().describe(ABOUT_SOURCE),
  os_steps: osSteps.optional().describe(ABOUT_STEPS),
  dry_run: z.boolean().default(false).describe(ABOUT_DRY_RUN),
  plan_id: id.optional().describe(ABOUT_PLAN),
});

const toolOutput = z.strictObject({
  http_status: z.literal([202, 409]).describe('202: started; 409: already active'),
  already_active: z.literal(true).optional(),
  code: z.literal('job_already_active').optional(),
  detail: text.optional(),
  ...started,
});

export const triggerJob = operation({
  name: 'trigger_job',
  scope: 'jobs',
  effect: 'asks',
  title: 'Start a job',
  description:
    "Starts a job on a server and returns at once; follow it with get_job until done is true. Types are backup, retention (removes snapshots by the source's rules), os_update_check, os_patch (upgrades packages), container_update_check (asks registries about newer images), container_patch (takes them, and goes back to the former one where a container does not become healthy), host_reboot, the docker_stack_ actions on one compose project and templates; a version that does not run a type yet refuses it (job_type_unavailable). Where such a job is under way already, the reply is 409 with that job: follow it instead. dry_run only says what would change; for types that change the host its result carries a plan_id, by which a job does exactly that. With a token that needs approval the status is awaiting_approval: a person sees what a dry run says and decides; what comes of it is told by get_job.",
  input: z.strictObject({
    server_id: serverId,
    job_type: z.enum(API_JOB_TYPES),
    source_filter: orNull(sourceFilter).describe(ABOUT_SOURCE),
    service: orNull(composeService).describe('One compose service'),
    os_steps: orNull(osSteps).describe(ABOUT_STEPS),
    dry_run: z.boolean().default(false).describe(ABOUT_DRY_RUN),
    prune: z.boolean().default(false).describe(ABOUT_PRUNE),
    plan_id: orNull(id).describe(ABOUT_PLAN),
    grace_seconds: orNull(graceSeconds),
    template: orNull(line(63).min(1)).describe('For template_deploy: its name'),
    variables: orNull(variables).describe(ABOUT_VARIABLES),
  }),
  output: z.strictObject(started),
  group: 'Jobs',
  errors: [
    'feature_not_allowed',
    'server_not_found',
    'own_machine_restricted',
    'feature_disabled',
    'outside_maintenance_window',
    'job_type_unavailable',
    'source_not_found',
    'no_backup_source',
    'template_not_found',
    'deployment_not_found',
    'plan_not_found',
    'plan_expired',
    'plan_used',
    'too_many_approvals',
    'job_already_active',
  ],
  examples: [
    {
      title: 'Start a backup',
      input: { server_id: 1, job_type: 'backup' },
      output: { job_id: 1, status: 'pending', job_type: 'backup', job: JOB },
    },
    {
      title: 'Such a job is under way',
      input: { server_id: 1, job_type: 'backup' },
      status: 409,
      output: ALREADY_ACTIVE,
    },
    {
      title: 'See what would go',
      input: { server_id: 1, job_type: 'retention', source_filter: 'etc', dry_run: true },
      output: { job_id: 2, status: 'pending', job_type: 'retention', job: DRY_RUN },
    },
  ],
  routes: [{ method: 'POST', path: '/servers/{server_id}/jobs', status: 202 }],
  tool: {
    description:
      "Starts a job on a server: backup, retention (removes snapshots by the source's rules), os_update_check, os_patch (upgrades packages), container_update_check or container_patch (newer images; back to the former where one is not healthy). It returns at once. http_status 202: the job was started; call get_job with job_id every few seconds until done is true. In awaiting_approval a person decides first. http_status 409 with already_active: such a job is under way; follow that one by its job_id, start no other. Use dry_run to see what would change before you patch or remove anything; then start it with the plan_id of its result, to do exactly that.",
    hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    input: toolInput,
    output: toolOutput,
    result: triggerJobResult,
  },
  async run(useCases, actor, input, keep) {
    const job = await useCases.triggerJob.execute(actor, {
      serverId: input.server_id,
      jobType: input.job_type,
      sourceFilter: input.source_filter ?? undefined,
      service: input.service ?? undefined,
      osSteps: input.os_steps ?? undefined,
      dryRun: input.dry_run,
      prune: input.prune,
      planId: input.plan_id ?? undefined,
      graceSeconds: input.grace_seconds ?? undefined,
      template: input.template ?? undefined,
      variables: input.variables ?? undefined,
      keep: keep && ((queued) => keep(startedView(queued))),
    });
    return startedView(job);
  },
});

function startedView(job: Job) {
  const view = jobView(job);
  return { job_id: view.id, status: view.status, job_type: view.job_type, job: view };
}

/** A job that waits for a person says so also where an agent looks first. */
function waiting(body: object): { readonly detail?: string } {
  const found = z.object({ job: z.object({ status: z.string(), current: z.string() }) }).safeParse(body);
  if (!found.success || found.data.job.status !== 'awaiting_approval') return {};
  return { detail: `${found.data.job.current} Poll get_job.` };
}

const alreadyActive = z.object({
  code: z.literal('job_already_active'),
  detail: z.string(),
  job: jobSchema,
});

/** That such a job is under way is something that the agent acts on, not a failure of its call. */
function triggerJobResult(status: number, body: object): object | null {
  if (status === 202) return { http_status: status, ...waiting(body), ...body };
  const active = alreadyActive.safeParse(body);
  if (status !== 409 || !active.success) return null;
  const { code, detail, job } = active.data;
  return {
    http_status: status,
    already_active: true,
    code,
    detail,
    job_id: job.id,
    status: job.status,
    job_type: job.job_type,
    job,
  };
}
