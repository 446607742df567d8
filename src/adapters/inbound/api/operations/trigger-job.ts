import * as z from 'zod';
import { type JobRequest, TriggerJob } from '../../../../application/jobs/trigger-job.ts';
import { MAX_VALUE_LENGTH } from '../../../../domain/compose/template-variable.ts';
import {
  JOB_STATUSES,
  type Job,
  MAX_OBSERVE_MINUTES,
  MAX_REASON_LENGTH,
} from '../../../../domain/jobs/job.ts';
import {
  API_JOB_TYPES,
  JOB_TYPES,
  MCP_JOB_TYPES,
  startedElsewhere,
} from '../../../../domain/jobs/job-types.ts';
import { NOT_OFFERED } from '../checked-input.ts';
import { ALREADY_ACTIVE, DRY_RUN, JOB } from '../examples.ts';
import {
  ABOUT_GUARD,
  ABOUT_PRUNE,
  ABOUT_STEPS,
  composeService,
  graceSeconds,
  line,
  observeMinutes,
  osSteps,
  requestKey,
  serverId,
  sourceFilter,
  waitForHostMinutes,
} from '../fields.ts';
import { operation } from '../operation.ts';
import { brief, type Fields } from '../tool-form.ts';
import { conciseJob } from '../tools/job-result.ts';
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

const ABOUT_REASON =
  'Why you want this job, for the user who approves it and for the history; 500 characters at most';
const reason = z.string().max(MAX_REASON_LENGTH).describe(ABOUT_REASON);

const ABOUT_VARIABLES =
  'For templates: values by name. template_redeploy keeps the values of the deployment; pass only those to change';

const variables = z.record(
  z.string().max(64),
  z.union([z.string().max(MAX_VALUE_LENGTH), z.int(), z.boolean()]),
);

/** Scripts written for other services send null for absent fields. */
const orNull = <T extends z.ZodType>(schema: T) => schema.nullish();

/** Servers of one call. */
const MAX_SERVERS = 50;

/** For types that users alone start: the command to hand to them. */
function elsewhere(given: unknown): string | undefined {
  const type = JOB_TYPES.find((each) => each === given);
  if (type === undefined) return undefined;
  const command = ['drover job start SERVER', type].join(' ');
  const how = startedElsewhere(type) ?? `The user can start it in the web UI, or with ${command}.`;
  return `${NOT_OFFERED}. ${how}`;
}

const toolInput = z
  .strictObject({
    server_id: serverId.optional(),
    server_ids: z
      .array(serverId)
      .min(1)
      .max(MAX_SERVERS)
      .refine((ids) => new Set(ids).size === ids.length, 'Must not name a server twice.')
      .optional()
      .describe('Instead of server_id, up to 50'),
    job_type: z.enum(MCP_JOB_TYPES, { error: ({ input }) => elsewhere(input) }),
    source_filter: sourceFilter.optional().describe('Backup source or Compose directory'),
    os_steps: osSteps.optional(),
    dry_run: z.boolean().default(false),
    guard: z.boolean().optional(),
    observe_minutes: z.int().min(0).max(MAX_OBSERVE_MINUTES).optional(),
    plan_id: id.optional().describe('Do exactly this plan'),
    reason: reason.optional().describe('Why, for the reviewer'),
    request_key: requestKey.optional().describe('Makes a retry safe'),
  })
  .refine(({ server_id, server_ids }) => (server_id === undefined) !== (server_ids === undefined), {
    path: ['server_id'],
    message: 'Pass either server_id or server_ids.',
  })
  .refine(({ server_ids, plan_id }) => server_ids === undefined || plan_id === undefined, {
    path: ['plan_id'],
    message: 'A plan is of one server: pass server_id.',
  });

const toolOutput = z.strictObject({
  http_status: z.literal([202, 409]).optional(),
  already_active: z.literal(true).optional(),
  code: z.literal('job_already_active').optional(),
  detail: text.optional(),
  job_id: id.optional(),
  status: z.enum(JOB_STATUSES).optional(),
  job_type: z.enum(JOB_TYPES).optional(),
  job: brief.optional(),
  started: z.int().optional(),
  results: z.array(brief).optional(),
});

type ToolInput = z.output<typeof toolInput>;

/** One call for each server; their keys differ as the servers do, since the service looks a key up by server. */
function calls({ server_ids: ids, ...rest }: ToolInput): readonly object[] | null {
  return ids?.map((server) => ({ ...rest, server_id: server })) ?? null;
}

/** Many servers often have the same answer: its words come once. The job's type is the caller's own word. */
function gathered(results: readonly { readonly input: object; readonly result: object }[]): object {
  const shown = new Set<unknown>();
  const each = results.map(({ input, result }) => {
    const { job, job_type: _type, detail, ...rest } = result as Fields & { readonly job?: Fields };
    const name = job?.['server_name'];
    const kind = rest['code'] ?? rest['status'];
    const isNew = detail !== undefined && !shown.has(kind);
    shown.add(kind);
    return {
      server_id: (input as ToolInput).server_id,
      ...(name ? { server_name: name } : {}),
      ...rest,
      ...(isNew ? { detail } : {}),
    };
  });
  const accepted = each.filter((one) => 'http_status' in one && one.http_status === 202);
  return { started: accepted.length, results: each };
}

const restInput = z.strictObject({
  server_id: serverId,
  job_type: z.enum(API_JOB_TYPES),
  source_filter: orNull(sourceFilter).describe(ABOUT_SOURCE),
  service: orNull(composeService).describe('One Compose service'),
  os_steps: orNull(osSteps).describe(ABOUT_STEPS),
  dry_run: z.boolean().default(false).describe(ABOUT_DRY_RUN),
  prune: z.boolean().default(false).describe(ABOUT_PRUNE),
  guard: orNull(z.boolean()).describe(ABOUT_GUARD),
  observe_minutes: orNull(observeMinutes),
  wait_for_host_minutes: orNull(waitForHostMinutes),
  plan_id: orNull(id).describe(ABOUT_PLAN),
  grace_seconds: orNull(graceSeconds),
  template: orNull(line(63).min(1)).describe('For template_deploy: its name'),
  variables: orNull(variables).describe(ABOUT_VARIABLES),
  reason: orNull(reason).describe(ABOUT_REASON),
});

export const triggerJob = operation({
  name: 'trigger_job',
  scope: 'jobs',
  effect: 'asks',
  title: 'Start a job',
  description:
    "Starts a job on a server and returns immediately; poll get_job until done is true. Types: backup, retention (deletes snapshots by the source's rules), os_update_check, os_patch (upgrades packages), container_update_check (asks registries for newer images), container_patch (updates containers, and rolls back if one does not become healthy), host_reboot, the docker_stack_ actions on one Compose project, and templates. A type that this version cannot run is refused (job_type_unavailable). If such a job is already active, the reply is 409 with that job: poll it instead. dry_run only reports what would change; for types that change the host, the result contains a plan_id, and a job with it does exactly that. If the token needs approval, the status is awaiting_approval until a reviewer who sees the dry run decides.",
  input: restInput,
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
      'Starts a job; returns immediately. Use dry_run before os_patch, container_patch and retention (deletes snapshots), show the user the plan, then pass its plan_id. http_status 202: get_job with wait_seconds until done; awaiting_approval: a reviewer decides. 409 with already_active: poll that job, start no other.',
    hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    input: toolInput,
    output: toolOutput,
    key: (input) => (input as ToolInput).request_key,
    each: (input) => calls(input as ToolInput),
    gather: gathered,
    request: (input) => {
      const { request_key: _key, server_ids: _ids, ...rest } = input as ToolInput;
      return rest;
    },
    result: triggerJobResult,
  },
  proposal: (input) => ({ job: requestOf(input) }),
  async run(useCases, actor, input, keep) {
    const job = await useCases.get(TriggerJob).execute(actor, {
      ...requestOf(input),
      keep: keep && ((queued) => keep(startedView(queued))),
    });
    return startedView(job);
  },
});

const requestOf = (asked: z.output<typeof restInput>): JobRequest => ({
  serverId: asked.server_id,
  jobType: asked.job_type,
  sourceFilter: asked.source_filter ?? undefined,
  service: asked.service ?? undefined,
  osSteps: asked.os_steps ?? undefined,
  dryRun: asked.dry_run,
  prune: asked.prune,
  guard: asked.guard ?? undefined,
  observeMinutes: asked.observe_minutes ?? undefined,
  waitForHostMinutes: asked.wait_for_host_minutes ?? undefined,
  planId: asked.plan_id ?? undefined,
  graceSeconds: asked.grace_seconds ?? undefined,
  template: asked.template ?? undefined,
  variables: asked.variables ?? undefined,
  reason: asked.reason,
});

function startedView(job: Job) {
  const view = jobView(job);
  return { job_id: view.id, status: view.status, job_type: view.job_type, job: view };
}

/** A job that waits for approval also says so in the text that agents read first. */
function waiting(body: object): { readonly detail?: string } {
  const found = z.object({ job: z.object({ status: z.string(), current: z.string() }) }).safeParse(body);
  if (!found.success || found.data.job.status !== 'awaiting_approval') return {};
  return { detail: `${found.data.job.current} Tell the user, and do not poll.` };
}

const alreadyActive = z.object({
  code: z.literal('job_already_active'),
  detail: z.string(),
  job: jobSchema,
});

/** Such a job's existence is a fact that the agent acts on, not a failure of its call. */
function triggerJobResult(status: number, body: object): object | null {
  if (status === 202) return { http_status: status, ...waiting(body), ...body, ...jobOf(body as Fields) };
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
    ...jobOf({ job }),
  };
}

const jobOf = ({ job }: Fields): object => (job ? { job: conciseJob(job as Fields) } : {});
