import { visibleText } from './visible-text.ts';

/**
 * Every refusal and failure that a caller can see, as a closed list of stable codes. What adapters answer for each is
 * a row of src/adapters/inbound/api/error-table.ts, without which a code added here does not compile.
 */
export const ERROR_CODES = [
  // the request itself
  'invalid_json',
  'invalid_request',
  'unsupported_media_type',
  'body_too_large',
  'invalid_input',
  'empty_change',
  'not_found',
  'method_not_allowed',
  'secret_in_query',
  'host_not_allowed',
  'origin_not_allowed',
  'idempotency_key_reused',
  'idempotency_key_in_use',
  'rate_limited',
  // authorization
  'unauthorized',
  'address_not_allowed',
  'tokens_disabled',
  'demo_read_only',
  'read_scope_missing',
  'scope_missing',
  'feature_not_allowed',
  'feature_disabled',
  'role_missing',
  'approval_required',
  'not_owner',
  'own_machine_restricted',
  // users
  'not_signed_in',
  'sign_in_failed',
  'sign_in_throttled',
  'confirmation_needed',
  'two_factor_required',
  'passkey_refused',
  'passkey_cloned',
  'link_invalid',
  'user_not_found',
  'last_administrator',
  // things that are not there, or already are
  'server_not_found',
  'job_not_found',
  'source_not_found',
  'dump_not_found',
  'snapshot_not_found',
  'token_not_found',
  'key_not_found',
  'schedule_not_found',
  'window_not_found',
  'policy_not_found',
  'batch_not_found',
  'approval_not_found',
  'project_not_found',
  'template_not_found',
  'deployment_not_found',
  'repository_not_found',
  'notification_not_found',
  'mute_not_found',
  'webhook_not_found',
  'channel_not_found',
  'provider_not_found',
  'passkey_not_found',
  'delivery_not_found',
  'subscription_not_found',
  'name_taken',
  // jobs
  'job_already_active',
  'job_not_cancellable',
  'outside_maintenance_window',
  'held_by_policy',
  'batch_not_cancellable',
  'approval_decided',
  'approval_void',
  'already_approved',
  'second_person_required',
  'approval_refused',
  'approval_expired',
  'confirmation_declined',
  'confirmation_invalid',
  'confirmation_expired',
  'confirmation_used',
  'too_many_approvals',
  'schedule_changed',
  'owner_void',
  'job_type_unavailable',
  'job_cancelled',
  'lease_lost',
  'worker_lost',
  'no_backup_source',
  'work_died',
  'work_interrupted',
  'work_not_started',
  'hook_failed',
  'patch_failed',
  'patch_unhealthy',
  'compose_invalid',
  'deploy_failed',
  'rollback_failed',
  'plan_not_found',
  'plan_expired',
  'plan_used',
  'plan_drifted',
  // hosts
  'host_unreachable',
  'host_auth_failed',
  'host_key_unknown',
  'host_key_mismatch',
  'host_connection_lost',
  'host_timeout',
  'host_command_failed',
  'host_tool_missing',
  'host_unsupported',
  // backups and files
  'files_not_configured',
  'jail_unusable',
  'path_refused',
  'file_not_found',
  'file_exists',
  'master_key_not_ready',
  'clock_jumped',
  'not_a_file',
  'not_a_directory',
  'directory_not_empty',
  'file_too_large',
  'changed_since_read',
  'host_permission_denied',
  'disk_full',
  'source_missing',
  'snapshot_damaged',
  'snapshot_in_use',
  'snapshot_protected',
  'restore_target_not_empty',
  'restore_failed',
  'backup_failed',
  'dump_failed',
  'dump_restore_failed',
  'key_in_use',
  'repository_in_use',
  'repository_unusable',
  'backup_unreadable',
  'database_not_empty',
  // the service
  'secret_unreadable',
  'audit_broken',
  'database_unavailable',
  'not_ready',
  'internal',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** One thing that is wrong in an input: where (a JSON path such as `/server_id`) and why. */
export interface InputProblem {
  readonly path: string;
  readonly message: string;
}

/** A refusal or failure with a stable code and one sentence that tells the reader what to do. */
export class DomainError extends Error {
  readonly code: ErrorCode;
  readonly problems: readonly InputProblem[];

  constructor(
    code: ErrorCode,
    detail: string,
    options: { cause?: unknown; problems?: readonly InputProblem[] } = {},
  ) {
    // Many details quote the host's output.
    super(visibleText(detail), options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'DomainError';
    this.code = code;
    this.problems = options.problems ?? [];
  }
}

/** Bad input, with every fault named. */
export class InvalidInput extends DomainError {
  constructor(problems: readonly InputProblem[]) {
    const first = problems[0];
    const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
    super(
      'invalid_input',
      first ? `${first.path || '/'}: ${first.message.replace(/\.$/, '')}${more}.` : 'The input is not valid.',
      { problems },
    );
  }
}

export const isDomainError = (error: unknown, code?: ErrorCode): error is DomainError =>
  error instanceof DomainError && (code === undefined || error.code === code);
