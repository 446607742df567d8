import * as z from 'zod';
import { type DomainError, ERROR_CODES, type ErrorCode } from '../../domain/errors.ts';
import { JobAlreadyActive } from '../../domain/job.ts';
import { jobSchema, jobView } from './views/job-view.ts';
import { text } from './views/values.ts';

/** The HTTP status of each refusal and failure; agents get the same number in a tool's result. */
const STATUS = {
  invalid_json: 400,
  invalid_request: 400,
  unsupported_media_type: 415,
  body_too_large: 413,
  invalid_input: 422,
  empty_change: 400,
  not_found: 404,
  method_not_allowed: 405,
  secret_in_query: 400,
  host_not_allowed: 421,
  origin_not_allowed: 403,
  idempotency_key_reused: 422,
  idempotency_key_in_use: 409,
  unauthorized: 401,
  address_not_allowed: 403,
  tokens_disabled: 403,
  read_scope_missing: 403,
  scope_missing: 403,
  feature_not_allowed: 403,
  feature_disabled: 400,
  server_not_found: 404,
  job_not_found: 404,
  source_not_found: 404,
  snapshot_not_found: 404,
  token_not_found: 404,
  key_not_found: 404,
  schedule_not_found: 404,
  window_not_found: 404,
  batch_not_found: 404,
  name_taken: 409,
  job_already_active: 409,
  job_not_cancellable: 409,
  outside_maintenance_window: 409,
  batch_not_cancellable: 409,
  schedule_changed: 409,
  job_type_unavailable: 422,
  job_cancelled: 409,
  lease_lost: 409,
  worker_lost: 500,
  no_backup_source: 400,
  work_died: 502,
  work_interrupted: 502,
  work_not_started: 502,
  patch_failed: 502,
  plan_not_found: 404,
  plan_expired: 409,
  plan_used: 409,
  plan_drifted: 409,
  host_unreachable: 502,
  host_auth_failed: 502,
  host_key_unknown: 502,
  host_key_mismatch: 502,
  host_connection_lost: 502,
  host_timeout: 504,
  host_command_failed: 502,
  host_tool_missing: 502,
  host_unsupported: 502,
  files_not_configured: 400,
  jail_unusable: 400,
  path_refused: 403,
  file_not_found: 404,
  file_exists: 409,
  not_a_file: 409,
  not_a_directory: 409,
  directory_not_empty: 409,
  file_too_large: 413,
  changed_since_read: 409,
  host_permission_denied: 403,
  disk_full: 507,
  source_missing: 502,
  snapshot_damaged: 500,
  snapshot_in_use: 409,
  restore_target_not_empty: 409,
  restore_failed: 500,
  backup_failed: 500,
  secret_unreadable: 500,
  database_unavailable: 503,
  not_ready: 503,
  internal: 500,
} as const satisfies Record<ErrorCode, number>;

/** RFC 9110's phrases; Node's own list differs from version to version. */
const TITLE = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  421: 'Misdirected Request',
  422: 'Unprocessable Content',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
  507: 'Insufficient Storage',
} as const satisfies Record<(typeof STATUS)[ErrorCode], string>;

export const statusOf = (code: ErrorCode): number => STATUS[code];
export const titleOf = (code: ErrorCode): string => TITLE[STATUS[code]];

/** An error as RFC 9457 writes it. */
export const problemSchema = z.strictObject({
  type: z.literal('about:blank'),
  title: text.describe('What the status is called'),
  status: z.int().min(400).max(599),
  detail: text.describe('One sentence that says what is wrong and what to do'),
  code: z.enum(ERROR_CODES).describe('Stable; the one thing to decide by'),
  errors: z
    .array(z.strictObject({ path: text.describe('A JSON pointer into the input'), message: text }))
    .optional()
    .describe('What is wrong with the input, place by place'),
  already_active: z.literal(true).optional(),
  job: jobSchema.optional().describe('With job_already_active: the job that is under way'),
  request_id: text.optional().describe('With internal: under which the log tells more'),
});

export type Problem = z.output<typeof problemSchema>;

export function problemOf(error: DomainError): Problem {
  const status = STATUS[error.code];
  return {
    type: 'about:blank',
    title: TITLE[status],
    status,
    detail: error.message,
    code: error.code,
    ...(error.problems.length > 0 ? { errors: [...error.problems] } : {}),
    ...(error instanceof JobAlreadyActive ? { already_active: true, job: jobView(error.job) } : {}),
  };
}
