import type { ErrorCode } from '../../domain/errors.ts';

/** When each code is given, for people who meet it. */
export const MEANING = {
  invalid_json: 'The body is not JSON.',
  invalid_request:
    'The request is malformed in a way that no other code names; at the command line, wrong usage.',
  unsupported_media_type: 'The body has another media type than the door takes.',
  body_too_large: 'The body is larger than 1 MiB.',
  invalid_input: 'A value is wrong or a field is unknown. `errors` names each place and why.',
  empty_change: 'The change names nothing to change.',
  not_found: 'There is nothing at this address.',
  method_not_allowed: 'The address exists, and not for this method. `Allow` names those that it takes.',
  secret_in_query: 'A secret was put into the address, where logs would keep it. Send it in a header.',
  host_not_allowed: 'The service does not answer under this host name (`SERVICE_ALLOWED_HOSTS`).',
  origin_not_allowed: 'The request comes from a web page of another origin.',
  idempotency_key_reused: 'The idempotency key was used before with another body.',
  idempotency_key_in_use: 'A request with this idempotency key is still under way.',
  rate_limited:
    'The token or the address has sent more than its share of requests; `Retry-After` says in how many seconds to come again.',
  unauthorized: 'There is no valid token: none, a mistyped, expired, revoked or unknown one.',
  address_not_allowed: 'The token may not be used from this address.',
  demo_read_only: 'This is a demonstration: everything can be looked at, and nothing changed.',
  tokens_disabled: 'This is a demonstration; API tokens are switched off.',
  read_scope_missing: 'The token lacks the scope `read`, without which it can do nothing.',
  scope_missing: 'The token lacks the scope that this needs.',
  feature_not_allowed: 'The token is limited to other features.',
  feature_disabled: 'The feature is off for this server.',
  own_machine_restricted:
    'This would give control of the machine that the service runs on: it is for administrators, and for tokens that an administrator limited to servers with this one among them.',
  role_missing: 'The person has not the role that this needs; at other doors, it is for people only.',
  approval_required:
    'The token may make this change only with the approval of a person, and only jobs can be requested for approval. Ask an operator to make the change.',
  not_owner:
    'A token changes only the schedules that it owns and the batches that it started. Ask an operator to change this one.',
  not_signed_in: 'Nobody is signed in, or the session is over.',
  sign_in_failed: 'The name, the password or the code is wrong.',
  sign_in_throttled: 'There were too many failed tries; the detail tells how long to wait.',
  confirmation_needed: 'The password has to be given again first.',
  two_factor_required: 'The account needs two-factor authentication: set it up, then go on.',
  link_invalid: 'The one-time link was used before or is too old.',
  user_not_found: 'There is no such user.',
  last_administrator: 'Nobody could sign in as administrator any more.',
  server_not_found: 'There is no such server, or the token may not know of it.',
  job_not_found: 'There is no such job, or it is of a server that the token may not know of.',
  source_not_found: 'The server has no backup source of this name.',
  dump_not_found: 'The backup source has no database dump of this name.',
  snapshot_not_found: 'There is no such snapshot.',
  token_not_found: 'There is no such token, or it is revoked and cannot be rotated.',
  key_not_found: 'There is no such SSH key.',
  schedule_not_found: 'There is no such schedule, or it is for servers that the token may not know of.',
  window_not_found: 'There is no such maintenance window.',
  approval_not_found: 'There is no such request for approval.',
  batch_not_found: 'There is no such batch, or the token may not know of it.',
  project_not_found:
    'The host has no compose project in that directory: no container names it, and it is not below a directory that was given for the server.',
  template_not_found: 'There is no such template.',
  deployment_not_found: 'No template was deployed to this directory of the server.',
  repository_not_found: 'There is no such backup repository.',
  notification_not_found: 'There is no such notification, or it is over.',
  mute_not_found: 'There is no such mute; it may have run out.',
  webhook_not_found: 'There is no webhook with this name.',
  delivery_not_found: 'There is no such delivery, or it is older than deliveries are kept.',
  subscription_not_found: 'There is no such push subscription.',
  name_taken: 'Something else of the kind has this name.',
  job_already_active:
    'A job of this kind is pending or running on the server. The answer carries it: follow that one.',
  job_not_cancellable: 'The job has ended, or was asked to stop before.',
  outside_maintenance_window:
    'The server has maintenance windows, none of them is open, and the job would change it. The detail tells when the next one opens.',
  approval_decided:
    'Somebody has decided on the request already, it was cancelled, or its time is up. What became of it stands.',
  approval_void:
    'Whoever asked for the job may not start any now: the token was revoked, has expired, or is not let in from that address. The request can only be refused.',
  approval_refused: 'How a job ends that a person refused; the sentence says who and why.',
  approval_expired: 'How a job ends that nobody approved in time. Ask again if it is still needed.',
  too_many_approvals:
    'So many requests of this token wait for a person that no more are taken. Wait for those, or cancel some.',
  batch_not_cancellable: 'The batch has ended, or was asked to stop before.',
  schedule_changed: 'Somebody else changed the schedule meanwhile. Look at it, and try again.',
  owner_void:
    'The owner of the schedule may not run it any more, so it is switched off. The detail says why; a user who switches it on becomes its owner.',
  job_type_unavailable: 'This version has no such kind of job.',
  job_cancelled: 'The job was cancelled.',
  lease_lost: 'Another process took the job over; what this one did meanwhile does not count.',
  work_died: 'Work on the host was killed, or its run directory was removed; nobody knows how it ended.',
  work_interrupted: 'The host was started anew in the middle of work on it.',
  hook_failed:
    'What a backup stops could not be stopped or, worse, not be started again; the detail names it and what to do.',
  work_not_started: 'Work never began on the host; nothing was changed there.',
  patch_failed:
    "The package manager could not finish. The job's result tells what did change, the detail what to do next.",
  compose_invalid:
    "Compose does not accept the project's files; the detail has its words. Nothing was changed.",
  deploy_failed:
    'What was to run did not, or its image could not be had. What ran before runs again; the detail says why.',
  rollback_failed:
    'New containers did not become healthy, and the former ones could not be brought back. Look at the host.',
  plan_not_found:
    'There is no such plan for this server, job type and parameters. `plan_id` is the id of a dry run that ended well.',
  plan_expired: 'The plan is older than an hour. Make a new one by a dry run.',
  plan_used: 'A job was started by this plan before; a plan is for one job. Make a new one by a dry run.',
  plan_drifted:
    "The host is no longer as the plan found it; nothing was changed. The job's result tells the difference.",
  worker_lost: 'The process that ran the job died, and the job could not be taken over.',
  no_backup_source: 'The server has no backup source.',
  host_unreachable: 'The host does not answer, or its name does not resolve.',
  host_auth_failed: 'The host does not let the service log in.',
  host_key_unknown: 'Nobody has confirmed the host key yet: `drover server check`.',
  host_key_mismatch:
    'The host presents another key than the confirmed one. Find out why before you confirm it.',
  host_connection_lost: 'The connection broke off in the middle.',
  host_timeout: 'The host took too long.',
  host_command_failed: 'A command on the host failed; the detail holds what it said.',
  host_tool_missing: 'The host lacks a program that this needs; the detail names it.',
  host_unsupported: 'The host is no Linux system that the service knows.',
  files_not_configured: 'The server has no jail, so there are no file tools for it.',
  jail_unusable:
    'The jail cannot be used: it is not there, leads through a symbolic link, or lies where no jail may be.',
  path_refused:
    'File tools do not touch this: a symbolic link on the way, a name that is denied, a file with several names, or one that is not the account’s own to replace.',
  file_not_found: 'There is no such file or directory in the jail.',
  file_exists: 'There is something of this name already.',
  clock_jumped: 'The clock of the service jumped ahead, so nothing is removed because of its age.',
  master_key_not_ready:
    'A running service does not have the new master key, or secrets are still encrypted by an old one.',
  not_a_file: 'The path names a directory, a link or a device where a file is needed.',
  not_a_directory: 'The path names something else where a directory is needed.',
  directory_not_empty: 'Only empty directories are removed.',
  file_too_large: 'The file is larger than file tools take.',
  changed_since_read: 'The file is not, or no longer, the one that `if_match` names. Read it again.',
  host_permission_denied: 'The account on the server may not do this.',
  disk_full: 'There is not enough free space; the detail says where.',
  source_missing: 'Paths of the backup source are not on the host; the detail names them.',
  snapshot_damaged: 'The snapshot differs from what was backed up; the detail names the first differences.',
  snapshot_in_use: 'The snapshot is being read; it cannot be removed now.',
  restore_target_not_empty: 'The directory has something in it. Take another one, or say `--overwrite`.',
  restore_failed: 'The files were not all given back; the detail names the first ones and says why.',
  backup_failed: 'The backup failed for another reason; the detail and the log of the job hold it.',
  dump_failed: 'A database could not be dumped, so no snapshot was made; the detail says which one and why.',
  dump_restore_failed: 'The dump could not be restored; the detail says why.',
  key_in_use: 'A server is signed in to with the SSH key; it cannot be removed.',
  repository_in_use: 'Backup sources or snapshots need the repository; it cannot be removed.',
  repository_unusable:
    'The backup repository cannot be used: it is not reached, locked, damaged, or opens with another password. The detail tells which.',
  backup_unreadable:
    'The backup of the service cannot be opened: the passphrase or key is another, or the file is damaged.',
  database_not_empty:
    'There is something in the database that the backup would replace. Give an empty one, or say `--replace`.',
  audit_broken:
    'The audit log is not as the service left it, so nothing is sealed in it or removed from it. `drover audit verify` says more.',
  secret_unreadable: 'The master key does not fit, or a stored secret is damaged.',
  database_unavailable: 'The database does not answer.',
  not_ready: 'The service is starting, or waits for another replica to prepare the database.',
  internal: 'A fault of the service; its log says more.',
} as const satisfies Record<ErrorCode, string>;
