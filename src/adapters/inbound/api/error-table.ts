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

/** Codes with the same status and exit code, each with its meaning. */
function rows<Code extends ErrorCode>(
  http: ErrorRow['http'],
  exit: ExitName,
  meanings: Readonly<Record<Code, string>>,
): Record<Code, ErrorRow> {
  const each = Object.entries<string>(meanings).map(([code, meaning]) => [code, { http, exit, meaning }]);
  return Object.fromEntries(each) as Record<Code, ErrorRow>;
}

/** All that adapters say of each refusal and failure. */
export const ERRORS = {
  ...rows(400, 'refused', {
    feature_disabled: 'The feature is off for this server.',
    no_backup_source: 'The server has no backup source.',
    files_not_configured: 'The server has no file root (`jail`), so it has no file tools.',
    jail_unusable:
      'The file root is unusable: it does not exist, leads through a symbolic link, or is in a forbidden place.',
  }),
  ...rows(400, 'usage', {
    invalid_json: 'The request body is not valid JSON.',
    invalid_request:
      'The request is malformed in a way that no other code covers. On the command line: wrong usage.',
    empty_change: 'The request names nothing to change.',
    secret_in_query: 'The address contains a secret, which would end up in logs. Send it in a header.',
  }),
  ...rows(401, 'refused', {
    unauthorized: 'The API token is missing, invalid, expired or revoked.',
    not_signed_in: 'You are not signed in, or your session has expired.',
    sign_in_failed: 'The name, password or code is wrong.',
    passkey_refused: "The passkey's answer was not accepted. The audit log has the reason.",
    passkey_cloned: "The passkey's counter is behind: there may be a copy of it. Remove the passkey.",
  }),
  ...rows(403, 'refused', {
    second_person_required:
      'Someone else has to approve this: you asked for it, hold the secret of the token, or started the dry run.',
    origin_not_allowed: 'Cross-origin request blocked.',
    address_not_allowed: 'The token may not be used from this IP address.',
    tokens_disabled: 'API tokens are switched off in the demo.',
    demo_read_only: 'The demo does not simulate this action.',
    read_scope_missing: 'The token lacks the scope `read`, which every token needs.',
    scope_missing: 'The token lacks the required scope.',
    feature_not_allowed: 'The token is limited to other features.',
    role_missing: 'Your role does not allow this. API tokens cannot do it at all.',
    approval_required:
      'The token needs approval for this change, and it cannot be submitted for approval. Ask an operator to make it.',
    not_owner: 'A token can change only its own schedules and batches. Ask an operator to change this one.',
    own_machine_restricted:
      'This would give control of the machine that Drover runs on. Only administrators can do it, and tokens that an administrator limited to servers including this one.',
    confirmation_needed: 'Enter your password again first.',
    two_factor_required: 'The account needs two-factor authentication. Set it up, then continue.',
    approval_refused: 'A reviewer declined the job. The detail says who and why.',
    confirmation_declined:
      "Over MCP: the agent's user declined the change in the client, or closed the question. Nothing was done.",
    confirmation_invalid:
      "Over MCP: the user's answer does not belong to this call with this token, or its `requestState` was changed. Nothing was done.",
    owner_void:
      'The owner of the schedule may no longer run it, so Drover switched it off. The detail says why. A user who switches it on becomes its owner.',
    path_refused:
      "File tools do not access this path: it contains a symbolic link or a denied name, has several hard links, or is not the account's own file to replace.",
    host_permission_denied: 'The account on the server lacks permission.',
  }),
  ...rows(404, 'notFound', {
    not_found: 'Nothing exists at this address.',
    user_not_found: 'The user does not exist.',
    server_not_found: 'The server does not exist, or the token has no access to it.',
    job_not_found: 'The job does not exist, or the token has no access to its server.',
    source_not_found: 'The server has no backup source with this name.',
    dump_not_found: 'The backup source has no database dump with this name.',
    snapshot_not_found: 'The snapshot does not exist.',
    token_not_found: 'The token does not exist, or it is revoked and cannot be rotated.',
    key_not_found: 'The SSH key does not exist.',
    schedule_not_found: 'The schedule does not exist, or the token has no access to its servers.',
    window_not_found: 'The maintenance window does not exist.',
    policy_not_found: 'The patch policy does not exist.',
    batch_not_found: 'The batch does not exist, or the token has no access to it.',
    approval_not_found: 'The approval request does not exist.',
    project_not_found:
      'The directory holds no Compose project: no container refers to it, and it is outside the Compose directories of the server.',
    template_not_found: 'The template does not exist.',
    deployment_not_found: 'No template is deployed to this directory of the server.',
    repository_not_found: 'The backup repository does not exist.',
    notification_not_found: 'The alert does not exist, or it is resolved.',
    mute_not_found: 'The mute does not exist. It may have expired.',
    webhook_not_found: 'No webhook has this name.',
    passkey_not_found: 'The user has no passkey with this id.',
    provider_not_found: 'No sign-in provider has this name.',
    channel_not_found: 'No alert channel has this name.',
    delivery_not_found: 'The delivery does not exist, or it is past its retention period.',
    subscription_not_found: 'The push subscription does not exist.',
    plan_not_found:
      'No such plan exists for this server, job type and parameters. `plan_id` is the ID of a successful dry run.',
    file_not_found: 'The file root contains no such file or directory.',
  }),
  ...rows(405, 'usage', {
    method_not_allowed: 'The address does not support this method. `Allow` lists the supported ones.',
  }),
  ...rows(409, 'conflict', {
    idempotency_key_in_use: 'A request with this idempotency key is still in progress.',
    last_administrator: 'You cannot remove the last administrator.',
    name_taken: 'This name is already in use.',
    job_already_active:
      'A job of this type is already pending or running on the server. The reply contains it: poll that job.',
    job_not_cancellable: 'The job has ended, or it was already asked to stop.',
    batch_not_cancellable: 'The batch has ended, or it was already asked to stop.',
    approval_decided: 'The request was already approved or declined, was cancelled, or has expired.',
    already_approved: 'You have approved this request, and it needs other users too.',
    schedule_changed: 'Another user changed the schedule in the meantime. Review it and try again.',
    file_exists: 'The name already exists.',
    master_key_not_ready:
      'A running service does not have the new master key, or secrets are still encrypted with an old one.',
    clock_jumped: 'The clock of the service jumped ahead, so Drover deletes nothing because of its age.',
    not_a_file: 'The path is a directory, link or device, not a file.',
    not_a_directory: 'The path is not a directory.',
    directory_not_empty: 'Only empty directories can be removed.',
    changed_since_read: 'The file is not the version that `if_match` names. Read it again.',
    snapshot_in_use: 'The snapshot is being read, so it cannot be removed now.',
    snapshot_protected:
      'The snapshot is pinned, or the last good or verified one of its source. Unpin it, or confirm that you want to delete the last one.',
    restore_target_not_empty: 'The target directory is not empty. Choose another one or use `--overwrite`.',
    key_in_use: 'A server uses the SSH key, so it cannot be removed.',
    repository_in_use: 'Backup sources or snapshots use the repository, so it cannot be removed.',
    database_not_empty:
      'The database contains data that the backup would replace. Use an empty one, or `--replace`.',
  }),
  ...rows(409, 'failed', {
    job_cancelled: 'The job was cancelled.',
    lease_lost: 'Another process took over the job. Changes by this process since then do not count.',
    plan_drifted:
      "The state has changed since the dry run or the request, so nothing was applied. A job's result shows the difference.",
  }),
  ...rows(409, 'refused', {
    outside_maintenance_window:
      'The job would change the server, and none of its maintenance windows is open. The detail says when the next one opens.',
    held_by_policy:
      "The server's patch policy does not let schedules start jobs of this type. A user can start the job, or an operator can change the policy.",
    approval_void:
      'The requester may no longer start jobs: the token was revoked, has expired, or is not allowed from that IP address. You can only decline the request.',
    confirmation_used:
      "Over MCP: the user's answer was used before. Each answer counts once. Nothing was done this time.",
    plan_expired: 'The plan is older than one hour. Do another dry run.',
    plan_used: 'A job was already started from this plan, and a plan works once. Do another dry run.',
  }),
  ...rows(410, 'refused', {
    link_invalid: 'The one-time link was already used or has expired.',
    approval_expired: 'The job was not approved in time. Request it again if you still need it.',
    confirmation_expired:
      "Over MCP: the user's answer came more than ten minutes after the question. Nothing was done.",
  }),
  ...rows(413, 'refused', {
    file_too_large: 'The file exceeds the size limit of the file tools.',
  }),
  ...rows(413, 'usage', {
    body_too_large: 'The request body is larger than 1 MiB.',
  }),
  ...rows(415, 'usage', {
    unsupported_media_type: 'The endpoint does not accept the media type of the request body.',
  }),
  ...rows(421, 'refused', {
    host_not_allowed: 'The service does not accept this host name (`SERVICE_ALLOWED_HOSTS`).',
  }),
  ...rows(422, 'refused', {
    job_type_unavailable: 'This version does not support the job type.',
  }),
  ...rows(422, 'usage', {
    invalid_input: 'A value is invalid or a field is unknown. `errors` names each field and the reason.',
    idempotency_key_reused: 'The idempotency key was already used with a different request body.',
  }),
  ...rows(429, 'refused', {
    rate_limited:
      'The token or IP address has exceeded its request limit. `Retry-After` gives the seconds to wait.',
    sign_in_throttled: 'Too many failed sign-in attempts. The detail says how long to wait.',
    too_many_approvals:
      'This token has too many requests waiting for approval. Wait for decisions, or cancel some requests.',
  }),
  ...rows(500, 'failed', {
    worker_lost: 'The process that ran the job died, and no other process could continue the job.',
    snapshot_damaged: 'The snapshot differs from what was backed up. The detail names the first differences.',
    restore_failed: 'Some files were not restored. The detail names the first ones and says why.',
    backup_failed: "The backup failed for another reason. See the detail and the job's log.",
    dump_failed: 'A database dump failed, so no snapshot was created. The detail says which dump and why.',
    dump_restore_failed: 'The dump could not be restored. The detail says why.',
    backup_unreadable:
      'The service backup cannot be opened: the passphrase or key is wrong, or the file is damaged.',
    secret_unreadable: 'The master key is wrong, or a stored secret is damaged.',
    audit_broken:
      'The audit log was changed outside of Drover, so nothing is added to its chain or removed from it. `drover audit verify` shows where.',
    internal: 'Internal error. See the service log.',
  }),
  ...rows(502, 'failed', {
    work_died: 'Work on the host was killed, or its run directory was removed. Its result is unknown.',
    work_interrupted: 'The host rebooted while the job was running.',
    work_not_started: 'Work on the host never started. Nothing was changed there.',
    hook_failed:
      'A unit, container or project could not be stopped before the backup, or could not be started again afterwards. The detail names it and says what to do.',
    patch_failed:
      "The package manager failed. The job's result lists what changed; the detail says what to do next.",
    patch_unhealthy:
      'A guarded package update made the server worse: a unit failed, a port closed or a check fails. The detail names it and the changed packages. With apt and dnf, you can plan their downgrade from the job.',
    compose_invalid:
      "Compose rejected the project's files. The detail contains its message. Nothing was changed.",
    deploy_failed:
      "New containers were unhealthy, or their image could not be pulled; the previous ones run again. The detail says why. Check the log of the service in the job's log, fix the image or the Compose file, and start the job again.",
    rollback_failed:
      'New containers did not become healthy, and the previous ones could not be restored. Check the host.',
    host_unreachable: 'The host does not answer, or its name does not resolve.',
    host_auth_failed: 'The host rejected the login.',
    host_connection_lost: 'The connection to the host was lost.',
    host_command_failed: 'A command on the host failed. The detail contains its output.',
    host_tool_missing: 'The host lacks a required program. The detail names it.',
    host_unsupported: 'Unsupported operating system.',
    source_missing: 'Paths of the backup source do not exist on the host. The detail names them.',
    repository_unusable:
      'The backup repository is unusable: unreachable, locked, damaged, or protected by a different password. The detail says which.',
  }),
  ...rows(502, 'refused', {
    host_key_unknown: 'The host key is not confirmed yet. Run `drover server check`.',
    host_key_mismatch:
      'The host presents a different key than the confirmed one. Find out why before you confirm it.',
  }),
  ...rows(503, 'failed', {
    database_unavailable: 'The database does not answer.',
    not_ready: 'The service is starting, or another replica is preparing the database.',
  }),
  ...rows(504, 'failed', {
    host_timeout: 'The host did not finish in time.',
  }),
  ...rows(507, 'failed', {
    disk_full: 'There is not enough free space. The detail says where.',
  }),
} satisfies Record<ErrorCode, ErrorRow>;

export const statusOf = (code: ErrorCode): number => ERRORS[code].http;
export const titleOf = (code: ErrorCode): string => TITLE[ERRORS[code].http];
