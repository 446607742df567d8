import type { ErrorCode } from '../../../domain/base/errors.ts';

/** How the command line ends: its exit code by name. */
export type ExitName = 'failed' | 'usage' | 'refused' | 'notFound' | 'conflict';

interface ErrorRow {
  /** REST's status; agents get the same number in a tool's result. */
  readonly http: keyof typeof TITLE;
  readonly exit: ExitName;
  /** When the code is returned, for people. */
  readonly meaning: string;
}

/** RFC 9110's phrases; Node's own list differs from version to version. */
const TITLE = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  410: 'Gone',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  421: 'Misdirected Request',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
  507: 'Insufficient Storage',
} as const;

/** All that adapters say of each refusal and failure. */
export const ERRORS = {
  invalid_json: { http: 400, exit: 'usage', meaning: 'The request body is not valid JSON.' },
  invalid_request: {
    http: 400,
    exit: 'usage',
    meaning: 'The request is malformed in a way that no other code covers. On the command line: wrong usage.',
  },
  unsupported_media_type: {
    http: 415,
    exit: 'usage',
    meaning: 'The endpoint does not accept the media type of the request body.',
  },
  body_too_large: { http: 413, exit: 'usage', meaning: 'The request body is larger than 1 MiB.' },
  invalid_input: {
    http: 422,
    exit: 'usage',
    meaning: 'A value is invalid or a field is unknown. `errors` names each field and the reason.',
  },
  empty_change: { http: 400, exit: 'usage', meaning: 'The request names nothing to change.' },
  not_found: { http: 404, exit: 'notFound', meaning: 'Nothing exists at this address.' },
  method_not_allowed: {
    http: 405,
    exit: 'usage',
    meaning: 'The address does not support this method. `Allow` lists the supported ones.',
  },
  secret_in_query: {
    http: 400,
    exit: 'usage',
    meaning: 'The address contains a secret, which would end up in logs. Send it in a header.',
  },
  host_not_allowed: {
    http: 421,
    exit: 'refused',
    meaning: 'The service does not accept this host name (`SERVICE_ALLOWED_HOSTS`).',
  },
  origin_not_allowed: {
    http: 403,
    exit: 'refused',
    meaning: 'Cross-origin request blocked.',
  },
  idempotency_key_reused: {
    http: 422,
    exit: 'usage',
    meaning: 'The idempotency key was already used with a different request body.',
  },
  idempotency_key_in_use: {
    http: 409,
    exit: 'conflict',
    meaning: 'A request with this idempotency key is still in progress.',
  },
  rate_limited: {
    http: 429,
    exit: 'refused',
    meaning:
      'The token or IP address has exceeded its request limit. `Retry-After` gives the seconds to wait.',
  },
  unauthorized: {
    http: 401,
    exit: 'refused',
    meaning: 'The API token is missing, invalid, expired or revoked.',
  },
  address_not_allowed: {
    http: 403,
    exit: 'refused',
    meaning: 'The token may not be used from this IP address.',
  },
  tokens_disabled: {
    http: 403,
    exit: 'refused',
    meaning: 'API tokens are switched off in the demo.',
  },
  demo_read_only: {
    http: 403,
    exit: 'refused',
    meaning: 'The demo does not simulate this action.',
  },
  read_scope_missing: {
    http: 403,
    exit: 'refused',
    meaning: 'The token lacks the scope `read`, which every token needs.',
  },
  scope_missing: { http: 403, exit: 'refused', meaning: 'The token lacks the required scope.' },
  feature_not_allowed: { http: 403, exit: 'refused', meaning: 'The token is limited to other features.' },
  feature_disabled: { http: 400, exit: 'refused', meaning: 'The feature is off for this server.' },
  role_missing: {
    http: 403,
    exit: 'refused',
    meaning: 'Your role does not allow this. API tokens cannot do it at all.',
  },
  approval_required: {
    http: 403,
    exit: 'refused',
    meaning:
      'The token needs approval for this change, and it cannot be submitted for approval. Ask an operator to make it.',
  },
  not_owner: {
    http: 403,
    exit: 'refused',
    meaning: 'A token can change only its own schedules and batches. Ask an operator to change this one.',
  },
  own_machine_restricted: {
    http: 403,
    exit: 'refused',
    meaning:
      'This would give control of the machine that Drover runs on. Only administrators can do it, and tokens that an administrator limited to servers including this one.',
  },
  not_signed_in: {
    http: 401,
    exit: 'refused',
    meaning: 'You are not signed in, or your session has expired.',
  },
  sign_in_failed: { http: 401, exit: 'refused', meaning: 'The name, password or code is wrong.' },
  sign_in_throttled: {
    http: 429,
    exit: 'refused',
    meaning: 'Too many failed sign-in attempts. The detail says how long to wait.',
  },
  confirmation_needed: { http: 403, exit: 'refused', meaning: 'Enter your password again first.' },
  two_factor_required: {
    http: 403,
    exit: 'refused',
    meaning: 'The account needs two-factor authentication. Set it up, then continue.',
  },
  link_invalid: { http: 410, exit: 'refused', meaning: 'The one-time link was already used or has expired.' },
  user_not_found: { http: 404, exit: 'notFound', meaning: 'The user does not exist.' },
  last_administrator: {
    http: 409,
    exit: 'conflict',
    meaning: 'You cannot remove the last administrator.',
  },
  server_not_found: {
    http: 404,
    exit: 'notFound',
    meaning: 'The server does not exist, or the token has no access to it.',
  },
  job_not_found: {
    http: 404,
    exit: 'notFound',
    meaning: 'The job does not exist, or the token has no access to its server.',
  },
  source_not_found: {
    http: 404,
    exit: 'notFound',
    meaning: 'The server has no backup source with this name.',
  },
  dump_not_found: {
    http: 404,
    exit: 'notFound',
    meaning: 'The backup source has no database dump with this name.',
  },
  snapshot_not_found: { http: 404, exit: 'notFound', meaning: 'The snapshot does not exist.' },
  token_not_found: {
    http: 404,
    exit: 'notFound',
    meaning: 'The token does not exist, or it is revoked and cannot be rotated.',
  },
  key_not_found: { http: 404, exit: 'notFound', meaning: 'The SSH key does not exist.' },
  schedule_not_found: {
    http: 404,
    exit: 'notFound',
    meaning: 'The schedule does not exist, or the token has no access to its servers.',
  },
  window_not_found: { http: 404, exit: 'notFound', meaning: 'The maintenance window does not exist.' },
  policy_not_found: { http: 404, exit: 'notFound', meaning: 'The patch policy does not exist.' },
  batch_not_found: {
    http: 404,
    exit: 'notFound',
    meaning: 'The batch does not exist, or the token has no access to it.',
  },
  approval_not_found: { http: 404, exit: 'notFound', meaning: 'The approval request does not exist.' },
  project_not_found: {
    http: 404,
    exit: 'notFound',
    meaning:
      'The directory holds no Compose project: no container refers to it, and it is outside the Compose directories of the server.',
  },
  template_not_found: { http: 404, exit: 'notFound', meaning: 'The template does not exist.' },
  deployment_not_found: {
    http: 404,
    exit: 'notFound',
    meaning: 'No template is deployed to this directory of the server.',
  },
  repository_not_found: { http: 404, exit: 'notFound', meaning: 'The backup repository does not exist.' },
  notification_not_found: {
    http: 404,
    exit: 'notFound',
    meaning: 'The alert does not exist, or it is resolved.',
  },
  mute_not_found: { http: 404, exit: 'notFound', meaning: 'The mute does not exist. It may have expired.' },
  webhook_not_found: { http: 404, exit: 'notFound', meaning: 'No webhook has this name.' },
  provider_not_found: { http: 404, exit: 'notFound', meaning: 'No sign-in provider has this name.' },
  channel_not_found: { http: 404, exit: 'notFound', meaning: 'No alert channel has this name.' },
  delivery_not_found: {
    http: 404,
    exit: 'notFound',
    meaning: 'The delivery does not exist, or it is past its retention period.',
  },
  subscription_not_found: { http: 404, exit: 'notFound', meaning: 'The push subscription does not exist.' },
  name_taken: { http: 409, exit: 'conflict', meaning: 'This name is already in use.' },
  job_already_active: {
    http: 409,
    exit: 'conflict',
    meaning:
      'A job of this type is already pending or running on the server. The reply contains it: poll that job.',
  },
  job_not_cancellable: {
    http: 409,
    exit: 'conflict',
    meaning: 'The job has ended, or it was already asked to stop.',
  },
  outside_maintenance_window: {
    http: 409,
    exit: 'refused',
    meaning:
      'The job would change the server, and none of its maintenance windows is open. The detail says when the next one opens.',
  },
  held_by_policy: {
    http: 409,
    exit: 'refused',
    meaning:
      "The server's patch policy does not let schedules start jobs of this type. A user can start the job, or an operator can change the policy.",
  },
  batch_not_cancellable: {
    http: 409,
    exit: 'conflict',
    meaning: 'The batch has ended, or it was already asked to stop.',
  },
  approval_decided: {
    http: 409,
    exit: 'conflict',
    meaning: 'The request was already approved or declined, was cancelled, or has expired.',
  },
  approval_void: {
    http: 409,
    exit: 'refused',
    meaning:
      'The requester may no longer start jobs: the token was revoked, has expired, or is not allowed from that IP address. You can only decline the request.',
  },
  approval_refused: {
    http: 403,
    exit: 'refused',
    meaning: 'A reviewer declined the job. The detail says who and why.',
  },
  approval_expired: {
    http: 410,
    exit: 'refused',
    meaning: 'The job was not approved in time. Request it again if you still need it.',
  },
  confirmation_declined: {
    http: 403,
    exit: 'refused',
    meaning:
      "Over MCP: the agent's user declined the change in the client, or closed the question. Nothing was done.",
  },
  confirmation_invalid: {
    http: 403,
    exit: 'refused',
    meaning:
      "Over MCP: the user's answer does not belong to this call with this token, or its `requestState` was changed. Nothing was done.",
  },
  confirmation_expired: {
    http: 410,
    exit: 'refused',
    meaning: "Over MCP: the user's answer came more than ten minutes after the question. Nothing was done.",
  },
  confirmation_used: {
    http: 409,
    exit: 'refused',
    meaning:
      "Over MCP: the user's answer was used before. Each answer counts once. Nothing was done this time.",
  },
  too_many_approvals: {
    http: 429,
    exit: 'refused',
    meaning:
      'This token has too many requests waiting for approval. Wait for decisions, or cancel some requests.',
  },
  schedule_changed: {
    http: 409,
    exit: 'conflict',
    meaning: 'Another user changed the schedule in the meantime. Review it and try again.',
  },
  owner_void: {
    http: 403,
    exit: 'refused',
    meaning:
      'The owner of the schedule may no longer run it, so Drover switched it off. The detail says why. A user who switches it on becomes its owner.',
  },
  job_type_unavailable: {
    http: 422,
    exit: 'refused',
    meaning: 'This version does not support the job type.',
  },
  job_cancelled: { http: 409, exit: 'failed', meaning: 'The job was cancelled.' },
  lease_lost: {
    http: 409,
    exit: 'failed',
    meaning: 'Another process took over the job. Changes by this process since then do not count.',
  },
  worker_lost: {
    http: 500,
    exit: 'failed',
    meaning: 'The process that ran the job died, and no other process could continue the job.',
  },
  no_backup_source: { http: 400, exit: 'refused', meaning: 'The server has no backup source.' },
  work_died: {
    http: 502,
    exit: 'failed',
    meaning: 'Work on the host was killed, or its run directory was removed. Its result is unknown.',
  },
  work_interrupted: {
    http: 502,
    exit: 'failed',
    meaning: 'The host rebooted while the job was running.',
  },
  work_not_started: {
    http: 502,
    exit: 'failed',
    meaning: 'Work on the host never started. Nothing was changed there.',
  },
  hook_failed: {
    http: 502,
    exit: 'failed',
    meaning:
      'A unit, container or project could not be stopped before the backup, or could not be started again afterwards. The detail names it and says what to do.',
  },
  patch_failed: {
    http: 502,
    exit: 'failed',
    meaning:
      "The package manager failed. The job's result lists what changed; the detail says what to do next.",
  },
  compose_invalid: {
    http: 502,
    exit: 'failed',
    meaning: "Compose rejected the project's files. The detail contains its message. Nothing was changed.",
  },
  deploy_failed: {
    http: 502,
    exit: 'failed',
    meaning:
      'The deployment failed (container unhealthy or image pull failed) and was rolled back. The detail says why.',
  },
  rollback_failed: {
    http: 502,
    exit: 'failed',
    meaning:
      'New containers did not become healthy, and the previous ones could not be restored. Check the host.',
  },
  plan_not_found: {
    http: 404,
    exit: 'notFound',
    meaning:
      'No such plan exists for this server, job type and parameters. `plan_id` is the ID of a successful dry run.',
  },
  plan_expired: {
    http: 409,
    exit: 'refused',
    meaning: 'The plan is older than one hour. Do another dry run.',
  },
  plan_used: {
    http: 409,
    exit: 'refused',
    meaning: 'A job was already started from this plan, and a plan works once. Do another dry run.',
  },
  plan_drifted: {
    http: 409,
    exit: 'failed',
    meaning:
      "The state has changed since the dry run or the request, so nothing was applied. A job's result shows the difference.",
  },
  host_unreachable: {
    http: 502,
    exit: 'failed',
    meaning: 'The host does not answer, or its name does not resolve.',
  },
  host_auth_failed: { http: 502, exit: 'failed', meaning: 'The host rejected the login.' },
  host_key_unknown: {
    http: 502,
    exit: 'refused',
    meaning: 'The host key is not confirmed yet. Run `drover server check`.',
  },
  host_key_mismatch: {
    http: 502,
    exit: 'refused',
    meaning: 'The host presents a different key than the confirmed one. Find out why before you confirm it.',
  },
  host_connection_lost: { http: 502, exit: 'failed', meaning: 'The connection to the host was lost.' },
  host_timeout: { http: 504, exit: 'failed', meaning: 'The host did not finish in time.' },
  host_command_failed: {
    http: 502,
    exit: 'failed',
    meaning: 'A command on the host failed. The detail contains its output.',
  },
  host_tool_missing: {
    http: 502,
    exit: 'failed',
    meaning: 'The host lacks a required program. The detail names it.',
  },
  host_unsupported: {
    http: 502,
    exit: 'failed',
    meaning: 'Unsupported operating system.',
  },
  files_not_configured: {
    http: 400,
    exit: 'refused',
    meaning: 'The server has no file root (`jail`), so it has no file tools.',
  },
  jail_unusable: {
    http: 400,
    exit: 'refused',
    meaning:
      'The file root is unusable: it does not exist, leads through a symbolic link, or is in a forbidden place.',
  },
  path_refused: {
    http: 403,
    exit: 'refused',
    meaning:
      "File tools do not access this path: it contains a symbolic link or a denied name, has several hard links, or is not the account's own file to replace.",
  },
  file_not_found: {
    http: 404,
    exit: 'notFound',
    meaning: 'The file root contains no such file or directory.',
  },
  file_exists: { http: 409, exit: 'conflict', meaning: 'The name already exists.' },
  master_key_not_ready: {
    http: 409,
    exit: 'conflict',
    meaning:
      'A running service does not have the new master key, or secrets are still encrypted with an old one.',
  },
  clock_jumped: {
    http: 409,
    exit: 'conflict',
    meaning: 'The clock of the service jumped ahead, so Drover deletes nothing because of its age.',
  },
  not_a_file: {
    http: 409,
    exit: 'conflict',
    meaning: 'The path is a directory, link or device, not a file.',
  },
  not_a_directory: {
    http: 409,
    exit: 'conflict',
    meaning: 'The path is not a directory.',
  },
  directory_not_empty: { http: 409, exit: 'conflict', meaning: 'Only empty directories can be removed.' },
  file_too_large: {
    http: 413,
    exit: 'refused',
    meaning: 'The file exceeds the size limit of the file tools.',
  },
  changed_since_read: {
    http: 409,
    exit: 'conflict',
    meaning: 'The file is not the version that `if_match` names. Read it again.',
  },
  host_permission_denied: {
    http: 403,
    exit: 'refused',
    meaning: 'The account on the server lacks permission.',
  },
  disk_full: { http: 507, exit: 'failed', meaning: 'There is not enough free space. The detail says where.' },
  source_missing: {
    http: 502,
    exit: 'failed',
    meaning: 'Paths of the backup source do not exist on the host. The detail names them.',
  },
  snapshot_damaged: {
    http: 500,
    exit: 'failed',
    meaning: 'The snapshot differs from what was backed up. The detail names the first differences.',
  },
  snapshot_in_use: {
    http: 409,
    exit: 'conflict',
    meaning: 'The snapshot is being read, so it cannot be removed now.',
  },
  snapshot_protected: {
    http: 409,
    exit: 'conflict',
    meaning:
      'The snapshot is pinned, or the last good or verified one of its source. Unpin it, or confirm that you want to delete the last one.',
  },
  restore_target_not_empty: {
    http: 409,
    exit: 'conflict',
    meaning: 'The target directory is not empty. Choose another one or use `--overwrite`.',
  },
  restore_failed: {
    http: 500,
    exit: 'failed',
    meaning: 'Some files were not restored. The detail names the first ones and says why.',
  },
  backup_failed: {
    http: 500,
    exit: 'failed',
    meaning: "The backup failed for another reason. See the detail and the job's log.",
  },
  dump_failed: {
    http: 500,
    exit: 'failed',
    meaning: 'A database dump failed, so no snapshot was created. The detail says which dump and why.',
  },
  dump_restore_failed: {
    http: 500,
    exit: 'failed',
    meaning: 'The dump could not be restored. The detail says why.',
  },
  key_in_use: {
    http: 409,
    exit: 'conflict',
    meaning: 'A server uses the SSH key, so it cannot be removed.',
  },
  repository_in_use: {
    http: 409,
    exit: 'conflict',
    meaning: 'Backup sources or snapshots use the repository, so it cannot be removed.',
  },
  repository_unusable: {
    http: 502,
    exit: 'failed',
    meaning:
      'The backup repository is unusable: unreachable, locked, damaged, or protected by a different password. The detail says which.',
  },
  backup_unreadable: {
    http: 500,
    exit: 'failed',
    meaning: 'The service backup cannot be opened: the passphrase or key is wrong, or the file is damaged.',
  },
  database_not_empty: {
    http: 409,
    exit: 'conflict',
    meaning: 'The database contains data that the backup would replace. Use an empty one, or `--replace`.',
  },
  secret_unreadable: {
    http: 500,
    exit: 'failed',
    meaning: 'The master key is wrong, or a stored secret is damaged.',
  },
  audit_broken: {
    http: 500,
    exit: 'failed',
    meaning:
      'The audit log was changed outside of Drover, so nothing is added to its chain or removed from it. `drover audit verify` shows where.',
  },
  database_unavailable: { http: 503, exit: 'failed', meaning: 'The database does not answer.' },
  not_ready: {
    http: 503,
    exit: 'failed',
    meaning: 'The service is starting, or another replica is preparing the database.',
  },
  internal: { http: 500, exit: 'failed', meaning: 'Internal error. See the service log.' },
} as const satisfies Record<ErrorCode, ErrorRow>;

export const statusOf = (code: ErrorCode): number => ERRORS[code].http;
export const titleOf = (code: ErrorCode): string => TITLE[ERRORS[code].http];
