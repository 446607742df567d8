import type { ErrorCode } from '../../../domain/base/errors.ts';

/** How the command line ends: its exit code by name. */
export type ExitName = 'failed' | 'usage' | 'refused' | 'notFound' | 'conflict';

interface ErrorRow {
  /** REST's status; agents get the same number in a tool's result. */
  readonly http: keyof typeof TITLE;
  readonly exit: ExitName;
  /** When the code is given, for people who meet it. */
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
  invalid_json: { http: 400, exit: 'usage', meaning: 'The body is not JSON.' },
  invalid_request: {
    http: 400,
    exit: 'usage',
    meaning: 'The request is malformed in a way that no other code names; at the command line, wrong usage.',
  },
  unsupported_media_type: {
    http: 415,
    exit: 'usage',
    meaning: 'The body has another media type than the door takes.',
  },
  body_too_large: { http: 413, exit: 'usage', meaning: 'The body is larger than 1 MiB.' },
  invalid_input: {
    http: 422,
    exit: 'usage',
    meaning: 'A value is wrong or a field is unknown. `errors` names each place and why.',
  },
  empty_change: { http: 400, exit: 'usage', meaning: 'The change names nothing to change.' },
  not_found: { http: 404, exit: 'notFound', meaning: 'There is nothing at this address.' },
  method_not_allowed: {
    http: 405,
    exit: 'usage',
    meaning: 'The address exists, and not for this method. `Allow` names those that it takes.',
  },
  secret_in_query: {
    http: 400,
    exit: 'usage',
    meaning: 'A secret was put into the address, where logs would keep it. Send it in a header.',
  },
  host_not_allowed: {
    http: 421,
    exit: 'refused',
    meaning: 'The service does not answer under this host name (`SERVICE_ALLOWED_HOSTS`).',
  },
  origin_not_allowed: {
    http: 403,
    exit: 'refused',
    meaning: 'The request comes from a web page of another origin.',
  },
  idempotency_key_reused: {
    http: 422,
    exit: 'usage',
    meaning: 'The idempotency key was used before with another body.',
  },
  idempotency_key_in_use: {
    http: 409,
    exit: 'conflict',
    meaning: 'A request with this idempotency key is still under way.',
  },
  rate_limited: {
    http: 429,
    exit: 'refused',
    meaning:
      'The token or the address has sent more than its share of requests; `Retry-After` says in how many seconds to come again.',
  },
  unauthorized: {
    http: 401,
    exit: 'refused',
    meaning: 'There is no valid token: none, a mistyped, expired, revoked or unknown one.',
  },
  address_not_allowed: {
    http: 403,
    exit: 'refused',
    meaning: 'The token may not be used from this address.',
  },
  tokens_disabled: {
    http: 403,
    exit: 'refused',
    meaning: 'This is a demonstration; API tokens are switched off.',
  },
  demo_read_only: {
    http: 403,
    exit: 'refused',
    meaning: 'This is a demonstration: everything can be looked at, and nothing changed.',
  },
  read_scope_missing: {
    http: 403,
    exit: 'refused',
    meaning: 'The token lacks the scope `read`, without which it can do nothing.',
  },
  scope_missing: { http: 403, exit: 'refused', meaning: 'The token lacks the scope that this needs.' },
  feature_not_allowed: { http: 403, exit: 'refused', meaning: 'The token is limited to other features.' },
  feature_disabled: { http: 400, exit: 'refused', meaning: 'The feature is off for this server.' },
  role_missing: {
    http: 403,
    exit: 'refused',
    meaning: 'The person has not the role that this needs; at other doors, it is for people only.',
  },
  approval_required: {
    http: 403,
    exit: 'refused',
    meaning:
      'The token may make this change only with the approval of a person, and only jobs can be requested for approval. Ask an operator to make the change.',
  },
  not_owner: {
    http: 403,
    exit: 'refused',
    meaning:
      'A token changes only the schedules that it owns and the batches that it started. Ask an operator to change this one.',
  },
  own_machine_restricted: {
    http: 403,
    exit: 'refused',
    meaning:
      'This would give control of the machine that the service runs on: it is for administrators, and for tokens that an administrator limited to servers with this one among them.',
  },
  not_signed_in: { http: 401, exit: 'refused', meaning: 'Nobody is signed in, or the session is over.' },
  sign_in_failed: { http: 401, exit: 'refused', meaning: 'The name, the password or the code is wrong.' },
  sign_in_throttled: {
    http: 429,
    exit: 'refused',
    meaning: 'There were too many failed tries; the detail tells how long to wait.',
  },
  confirmation_needed: { http: 403, exit: 'refused', meaning: 'The password has to be given again first.' },
  two_factor_required: {
    http: 403,
    exit: 'refused',
    meaning: 'The account needs two-factor authentication: set it up, then go on.',
  },
  link_invalid: { http: 410, exit: 'refused', meaning: 'The one-time link was used before or is too old.' },
  user_not_found: { http: 404, exit: 'notFound', meaning: 'There is no such user.' },
  last_administrator: {
    http: 409,
    exit: 'conflict',
    meaning: 'Nobody could sign in as administrator any more.',
  },
  server_not_found: {
    http: 404,
    exit: 'notFound',
    meaning: 'There is no such server, or the token may not know of it.',
  },
  job_not_found: {
    http: 404,
    exit: 'notFound',
    meaning: 'There is no such job, or it is of a server that the token may not know of.',
  },
  source_not_found: { http: 404, exit: 'notFound', meaning: 'The server has no backup source of this name.' },
  dump_not_found: {
    http: 404,
    exit: 'notFound',
    meaning: 'The backup source has no database dump of this name.',
  },
  snapshot_not_found: { http: 404, exit: 'notFound', meaning: 'There is no such snapshot.' },
  token_not_found: {
    http: 404,
    exit: 'notFound',
    meaning: 'There is no such token, or it is revoked and cannot be rotated.',
  },
  key_not_found: { http: 404, exit: 'notFound', meaning: 'There is no such SSH key.' },
  schedule_not_found: {
    http: 404,
    exit: 'notFound',
    meaning: 'There is no such schedule, or it is for servers that the token may not know of.',
  },
  window_not_found: { http: 404, exit: 'notFound', meaning: 'There is no such maintenance window.' },
  batch_not_found: {
    http: 404,
    exit: 'notFound',
    meaning: 'There is no such batch, or the token may not know of it.',
  },
  approval_not_found: { http: 404, exit: 'notFound', meaning: 'There is no such request for approval.' },
  project_not_found: {
    http: 404,
    exit: 'notFound',
    meaning:
      'The host has no compose project in that directory: no container names it, and it is not below a directory that was given for the server.',
  },
  template_not_found: { http: 404, exit: 'notFound', meaning: 'There is no such template.' },
  deployment_not_found: {
    http: 404,
    exit: 'notFound',
    meaning: 'No template was deployed to this directory of the server.',
  },
  repository_not_found: { http: 404, exit: 'notFound', meaning: 'There is no such backup repository.' },
  notification_not_found: {
    http: 404,
    exit: 'notFound',
    meaning: 'There is no such notification, or it is over.',
  },
  mute_not_found: { http: 404, exit: 'notFound', meaning: 'There is no such mute; it may have run out.' },
  webhook_not_found: { http: 404, exit: 'notFound', meaning: 'There is no webhook with this name.' },
  delivery_not_found: {
    http: 404,
    exit: 'notFound',
    meaning: 'There is no such delivery, or it is older than deliveries are kept.',
  },
  subscription_not_found: { http: 404, exit: 'notFound', meaning: 'There is no such push subscription.' },
  name_taken: { http: 409, exit: 'conflict', meaning: 'Something else of the kind has this name.' },
  job_already_active: {
    http: 409,
    exit: 'conflict',
    meaning:
      'A job of this kind is pending or running on the server. The answer carries it: follow that one.',
  },
  job_not_cancellable: {
    http: 409,
    exit: 'conflict',
    meaning: 'The job has ended, or was asked to stop before.',
  },
  outside_maintenance_window: {
    http: 409,
    exit: 'refused',
    meaning:
      'The server has maintenance windows, none of them is open, and the job would change it. The detail tells when the next one opens.',
  },
  batch_not_cancellable: {
    http: 409,
    exit: 'conflict',
    meaning: 'The batch has ended, or was asked to stop before.',
  },
  approval_decided: {
    http: 409,
    exit: 'conflict',
    meaning:
      'Somebody has decided on the request already, it was cancelled, or its time is up. What became of it stands.',
  },
  approval_void: {
    http: 409,
    exit: 'refused',
    meaning:
      'Whoever asked for the job may not start any now: the token was revoked, has expired, or is not let in from that address. The request can only be refused.',
  },
  approval_refused: {
    http: 403,
    exit: 'refused',
    meaning: 'How a job ends that a person refused; the sentence says who and why.',
  },
  approval_expired: {
    http: 410,
    exit: 'refused',
    meaning: 'How a job ends that nobody approved in time. Ask again if it is still needed.',
  },
  too_many_approvals: {
    http: 429,
    exit: 'refused',
    meaning:
      'So many requests of this token wait for a person that no more are taken. Wait for those, or cancel some.',
  },
  schedule_changed: {
    http: 409,
    exit: 'conflict',
    meaning: 'Somebody else changed the schedule meanwhile. Look at it, and try again.',
  },
  owner_void: {
    http: 403,
    exit: 'refused',
    meaning:
      'The owner of the schedule may not run it any more, so it is switched off. The detail says why; a user who switches it on becomes its owner.',
  },
  job_type_unavailable: { http: 422, exit: 'refused', meaning: 'This version has no such kind of job.' },
  job_cancelled: { http: 409, exit: 'failed', meaning: 'The job was cancelled.' },
  lease_lost: {
    http: 409,
    exit: 'failed',
    meaning: 'Another process took the job over; what this one did meanwhile does not count.',
  },
  worker_lost: {
    http: 500,
    exit: 'failed',
    meaning: 'The process that ran the job died, and the job could not be taken over.',
  },
  no_backup_source: { http: 400, exit: 'refused', meaning: 'The server has no backup source.' },
  work_died: {
    http: 502,
    exit: 'failed',
    meaning: 'Work on the host was killed, or its run directory was removed; nobody knows how it ended.',
  },
  work_interrupted: {
    http: 502,
    exit: 'failed',
    meaning: 'The host was started anew in the middle of work on it.',
  },
  work_not_started: {
    http: 502,
    exit: 'failed',
    meaning: 'Work never began on the host; nothing was changed there.',
  },
  hook_failed: {
    http: 502,
    exit: 'failed',
    meaning:
      'What a backup stops could not be stopped or, worse, not be started again; the detail names it and what to do.',
  },
  patch_failed: {
    http: 502,
    exit: 'failed',
    meaning:
      "The package manager could not finish. The job's result tells what did change, the detail what to do next.",
  },
  compose_invalid: {
    http: 502,
    exit: 'failed',
    meaning: "Compose does not accept the project's files; the detail has its words. Nothing was changed.",
  },
  deploy_failed: {
    http: 502,
    exit: 'failed',
    meaning:
      'What was to run did not, or its image could not be had. What ran before runs again; the detail says why.',
  },
  rollback_failed: {
    http: 502,
    exit: 'failed',
    meaning:
      'New containers did not become healthy, and the former ones could not be brought back. Look at the host.',
  },
  plan_not_found: {
    http: 404,
    exit: 'notFound',
    meaning:
      'There is no such plan for this server, job type and parameters. `plan_id` is the id of a dry run that ended well.',
  },
  plan_expired: {
    http: 409,
    exit: 'refused',
    meaning: 'The plan is older than an hour. Make a new one by a dry run.',
  },
  plan_used: {
    http: 409,
    exit: 'refused',
    meaning: 'A job was started by this plan before; a plan is for one job. Make a new one by a dry run.',
  },
  plan_drifted: {
    http: 409,
    exit: 'failed',
    meaning:
      "The host is no longer as the plan found it; nothing was changed. The job's result tells the difference.",
  },
  host_unreachable: {
    http: 502,
    exit: 'failed',
    meaning: 'The host does not answer, or its name does not resolve.',
  },
  host_auth_failed: { http: 502, exit: 'failed', meaning: 'The host does not let the service log in.' },
  host_key_unknown: {
    http: 502,
    exit: 'refused',
    meaning: 'Nobody has confirmed the host key yet: `drover server check`.',
  },
  host_key_mismatch: {
    http: 502,
    exit: 'refused',
    meaning: 'The host presents another key than the confirmed one. Find out why before you confirm it.',
  },
  host_connection_lost: { http: 502, exit: 'failed', meaning: 'The connection broke off in the middle.' },
  host_timeout: { http: 504, exit: 'failed', meaning: 'The host took too long.' },
  host_command_failed: {
    http: 502,
    exit: 'failed',
    meaning: 'A command on the host failed; the detail holds what it said.',
  },
  host_tool_missing: {
    http: 502,
    exit: 'failed',
    meaning: 'The host lacks a program that this needs; the detail names it.',
  },
  host_unsupported: {
    http: 502,
    exit: 'failed',
    meaning: 'The host is no Linux system that the service knows.',
  },
  files_not_configured: {
    http: 400,
    exit: 'refused',
    meaning: 'The server has no jail, so there are no file tools for it.',
  },
  jail_unusable: {
    http: 400,
    exit: 'refused',
    meaning:
      'The jail cannot be used: it is not there, leads through a symbolic link, or lies where no jail may be.',
  },
  path_refused: {
    http: 403,
    exit: 'refused',
    meaning:
      'File tools do not touch this: a symbolic link on the way, a name that is denied, a file with several names, or one that is not the account’s own to replace.',
  },
  file_not_found: { http: 404, exit: 'notFound', meaning: 'There is no such file or directory in the jail.' },
  file_exists: { http: 409, exit: 'conflict', meaning: 'There is something of this name already.' },
  master_key_not_ready: {
    http: 409,
    exit: 'conflict',
    meaning:
      'A running service does not have the new master key, or secrets are still encrypted by an old one.',
  },
  clock_jumped: {
    http: 409,
    exit: 'conflict',
    meaning: 'The clock of the service jumped ahead, so nothing is removed because of its age.',
  },
  not_a_file: {
    http: 409,
    exit: 'conflict',
    meaning: 'The path names a directory, a link or a device where a file is needed.',
  },
  not_a_directory: {
    http: 409,
    exit: 'conflict',
    meaning: 'The path names something else where a directory is needed.',
  },
  directory_not_empty: { http: 409, exit: 'conflict', meaning: 'Only empty directories are removed.' },
  file_too_large: { http: 413, exit: 'refused', meaning: 'The file is larger than file tools take.' },
  changed_since_read: {
    http: 409,
    exit: 'conflict',
    meaning: 'The file is not, or no longer, the one that `if_match` names. Read it again.',
  },
  host_permission_denied: {
    http: 403,
    exit: 'refused',
    meaning: 'The account on the server may not do this.',
  },
  disk_full: { http: 507, exit: 'failed', meaning: 'There is not enough free space; the detail says where.' },
  source_missing: {
    http: 502,
    exit: 'failed',
    meaning: 'Paths of the backup source are not on the host; the detail names them.',
  },
  snapshot_damaged: {
    http: 500,
    exit: 'failed',
    meaning: 'The snapshot differs from what was backed up; the detail names the first differences.',
  },
  snapshot_in_use: {
    http: 409,
    exit: 'conflict',
    meaning: 'The snapshot is being read; it cannot be removed now.',
  },
  restore_target_not_empty: {
    http: 409,
    exit: 'conflict',
    meaning: 'The directory has something in it. Take another one, or say `--overwrite`.',
  },
  restore_failed: {
    http: 500,
    exit: 'failed',
    meaning: 'Not all files were restored; the detail names the first ones and says why.',
  },
  backup_failed: {
    http: 500,
    exit: 'failed',
    meaning: 'The backup failed for another reason; the detail and the log of the job hold it.',
  },
  dump_failed: {
    http: 500,
    exit: 'failed',
    meaning: 'A database could not be dumped, so no snapshot was made; the detail says which one and why.',
  },
  dump_restore_failed: {
    http: 500,
    exit: 'failed',
    meaning: 'The dump could not be restored; the detail says why.',
  },
  key_in_use: {
    http: 409,
    exit: 'conflict',
    meaning: 'A server is signed in to with the SSH key; it cannot be removed.',
  },
  repository_in_use: {
    http: 409,
    exit: 'conflict',
    meaning: 'Backup sources or snapshots need the repository; it cannot be removed.',
  },
  repository_unusable: {
    http: 502,
    exit: 'failed',
    meaning:
      'The backup repository cannot be used: it is not reached, locked, damaged, or opens with another password. The detail tells which.',
  },
  backup_unreadable: {
    http: 500,
    exit: 'failed',
    meaning:
      'The backup of the service cannot be opened: the passphrase or key is another, or the file is damaged.',
  },
  database_not_empty: {
    http: 409,
    exit: 'conflict',
    meaning:
      'There is something in the database that the backup would replace. Give an empty one, or say `--replace`.',
  },
  secret_unreadable: {
    http: 500,
    exit: 'failed',
    meaning: 'The master key does not fit, or a stored secret is damaged.',
  },
  audit_broken: {
    http: 500,
    exit: 'failed',
    meaning:
      'The audit log is not as the service left it, so nothing is sealed in it or removed from it. `drover audit verify` says more.',
  },
  database_unavailable: { http: 503, exit: 'failed', meaning: 'The database does not answer.' },
  not_ready: {
    http: 503,
    exit: 'failed',
    meaning: 'The service is starting, or waits for another replica to prepare the database.',
  },
  internal: { http: 500, exit: 'failed', meaning: 'A fault of the service; its log says more.' },
} as const satisfies Record<ErrorCode, ErrorRow>;

export const statusOf = (code: ErrorCode): number => ERRORS[code].http;
export const titleOf = (code: ErrorCode): string => TITLE[ERRORS[code].http];
