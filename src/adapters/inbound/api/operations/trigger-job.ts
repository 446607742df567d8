import * as z from 'zod';
import { TriggerJob } from '../../../../application/jobs/trigger-job.ts';
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

const ABOUT_SOURCE = 'Name of one backup source, or directory of one Compose project; default: all';
const ABOUT_DRY_RUN = 'Report what would change, and change nothing';
const ABOUT_PLAN =
  'plan_id from the result of a dry run of the same type. The job does exactly that, or nothing if the host has changed since';

const ABOUT_VARIABLES =
  'For templates: values by name. template_redeploy keeps the values of the deployment; pass only those to change';

const variables = z.record(
  z.string().max(64),
  z.union([z.string().max(MAX_VALUE_LENGTH), z.int(), z.boolean()]),
);

/** Scripts written for other services send null for absent fields. */
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
    "Starts a job on a server and returns immediately; poll get_job until done is true. Types: backup, retention (deletes snapshots by the source's rules), os_update_check, os_patch (upgrades packages), container_update_check (asks registries for newer images), container_patch (updates containers, and rolls back if one does not become healthy), host_reboot, the docker_stack_ actions on one Compose project, and templates. A type that this version cannot run is refused (job_type_unavailable). If such a job is already active, the reply is 409 with that job: poll it instead. dry_run only reports what would change; for types that change the host, the result contains a plan_id, and a job with it does exactly that. If the token needs approval, the status is awaiting_approval until a reviewer who sees the dry run decides.",
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
      title: 'A job is already active',
      input: { server_id: 1, job_type: 'backup' },
      status: 409,
      output: ALREADY_ACTIVE,
    },
    {
      title: 'Dry run of a retention job',
      input: { server_id: 1, job_type: 'retention', source_filter: 'etc', dry_run: true },
      output: { job_id: 2, status: 'pending', job_type: 'retention', job: DRY_RUN },
    },
  ],
  routes: [{ method: 'POST', path: '/servers/{server_id}/jobs', status: 202 }],
  tool: {
    description:
      "Starts a job on a server: backup, retention (deletes snapshots by the source's rules), os_update_check, os_patch (upgrades packages), container_update_check or container_patch (updates images, rolls back if unhealthy). Returns immediately. http_status 202: poll get_job with job_id until done is true; awaiting_approval: a reviewer decides first. 409 with already_active: poll that job instead. Before patching or deleting use dry_run, then pass its plan_id to apply exactly that.",
    hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    input: toolInput,
    output: toolOutput,
    result: triggerJobResult,
  },
  async run(useCases, actor, input, keep) {
    const job = await useCases.get(TriggerJob).execute(actor, {
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

/** A job that waits for approval also says so in the text that agents read first. */
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

/** Such a job's existence is a fact that the agent acts on, not a failure of its call. */
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
