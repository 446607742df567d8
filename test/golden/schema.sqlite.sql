CREATE TABLE `account_links` (`id` integer not null primary key autoincrement,
  `link_hash` varchar(64) not null,
  `user_id` bigint,
  `expires_at` bigint not null, foreign key(`user_id`) references `users`(`id`) on delete CASCADE);

CREATE UNIQUE INDEX `account_links_link_hash_unique` on `account_links` (`link_hash`);

CREATE TABLE `alert_channels` (`id` integer not null primary key autoincrement,
  `name` varchar(64) not null,
  `kind` varchar(32) not null,
  `fields` text not null,
  `sealed_secrets` text not null,
  `shown_target` text not null,
  `events` text,
  `min_severity` varchar(16) not null,
  `tags` text,
  `allow_private` tinyint not null,
  `enabled` tinyint not null,
  `created_by` varchar(255) not null,
  `created_at` bigint not null,
  `updated_at` bigint not null,
  `timing` text,
  `report_at` bigint);

CREATE UNIQUE INDEX `alert_channels_name_unique` on `alert_channels` (`name`);

CREATE TABLE `api_tokens` (`id` integer not null primary key autoincrement,
  `name` varchar(255) not null,
  `secret_hash` varchar(64) not null,
  `prefix` varchar(32) not null,
  `scopes` text not null,
  `allowed_cidrs` text not null,
  `allowed_server_ids` text,
  `require_approval` tinyint not null,
  `created_by` varchar(255) not null,
  `created_at` bigint not null,
  `last_used_at` bigint,
  `expires_at` bigint,
  `revoked_at` bigint,
  `servers_granted_by` varchar(255) null,
  `servers_granted_user_id` bigint null,
  `calls` text,
  `approval_rule` text,
  `rotated_by` text,
  `approval_in_client` tinyint not null default '0');

CREATE UNIQUE INDEX `api_tokens_secret_hash_unique` on `api_tokens` (`secret_hash`);

CREATE TABLE `approvals` (`id` integer not null primary key autoincrement,
  `job_id` bigint,
  `batch_id` bigint,
  `server_id` bigint,
  `job_type` varchar(64) not null,
  `subject` varchar(255) not null,
  `requester_kind` varchar(16) not null,
  `requester_id` bigint,
  `requester_name` varchar(255) not null,
  `requester_address` varchar(64),
  `requested_by` varchar(255) not null,
  `request_key` varchar(64),
  `state` varchar(16) not null,
  `created_at` bigint not null,
  `expires_at` bigint not null,
  `decided_at` bigint,
  `decided_by` varchar(255),
  `note` text,
  `plan_job_id` bigint,
  `change_kind` varchar(32),
  `change_summary` text,
  `change_basis` varchar(64),
  `change_sealed` text,
  `change_outcome` varchar(16),
  `change_detail` text,
  `votes` text,
  `planners` text, foreign key(`job_id`) references `jobs`(`id`) on delete CASCADE, foreign key(`batch_id`) references `batches`(`id`) on delete CASCADE);

CREATE UNIQUE INDEX `approvals_batch_id_unique` on `approvals` (`batch_id`);

CREATE INDEX `approvals_change_outcome_decided_at_index` on `approvals` (`change_outcome`, `decided_at`);

CREATE UNIQUE INDEX `approvals_job_id_unique` on `approvals` (`job_id`);

CREATE UNIQUE INDEX `approvals_request_key_unique` on `approvals` (`request_key`);

CREATE INDEX `approvals_state_expires_at_index` on `approvals` (`state`, `expires_at`);

CREATE INDEX `approvals_state_id_index` on `approvals` (`state`, `id`);

CREATE INDEX `approvals_state_requester_kind_requester_id_index` on `approvals` (`state`, `requester_kind`, `requester_id`);

CREATE TABLE `audit_chain` (`id` integer not null,
  `version` bigint not null,
  `seq` bigint not null,
  `mac` varchar(64) not null,
  `base_seq` bigint not null,
  `base_mac` varchar(64) not null,
  `unsigned_up_to` bigint not null,
  `began_at` bigint not null,
  `seal` varchar(64) not null, primary key (`id`));

CREATE TABLE `audit_entries` (`id` integer not null primary key autoincrement,
  `at` bigint not null,
  `actor_kind` varchar(16) not null,
  `actor_id` bigint,
  `actor_name` varchar(255) not null,
  `address` varchar(64),
  `action` varchar(128) not null,
  `object` varchar(255) not null,
  `outcome` varchar(64) not null,
  `detail` text not null,
  `seq` bigint,
  `signature` varchar(64),
  `previous` varchar(64),
  `mac` varchar(64),
  `server_id` bigint);

CREATE INDEX `audit_entries_action_id_index` on `audit_entries` (`action`, `id`);

CREATE INDEX `audit_entries_actor_kind_actor_id_id_index` on `audit_entries` (`actor_kind`, `actor_id`, `id`);

CREATE INDEX `audit_entries_actor_name_id_index` on `audit_entries` (`actor_name`, `id`);

CREATE INDEX `audit_entries_at_id_index` on `audit_entries` (`at`, `id`);

CREATE INDEX `audit_entries_object_id_index` on `audit_entries` (`object`, `id`);

CREATE UNIQUE INDEX `audit_entries_seq_unique` on `audit_entries` (`seq`);

CREATE INDEX `audit_entries_server_id_id_index` on `audit_entries` (`server_id`, `id`);

CREATE TABLE `backup_dumps` (`id` integer not null primary key autoincrement,
  `source_id` bigint not null,
  `name` varchar(63) not null,
  `kind` varchar(16) not null,
  `connection` text not null,
  `sealed_password` text,
  `created_at` bigint not null, foreign key(`source_id`) references `backup_sources`(`id`));

CREATE UNIQUE INDEX `backup_dumps_source_id_name_unique` on `backup_dumps` (`source_id`, `name`);

CREATE TABLE `backup_repositories` (`id` integer not null primary key autoincrement,
  `name` varchar(63) not null,
  `name_key` varchar(63),
  `kind` varchar(16) not null,
  `url` text not null,
  `sealed_secrets` text not null,
  `initialised_at` bigint,
  `created_at` bigint not null,
  `removed_at` bigint);

CREATE UNIQUE INDEX `backup_repositories_name_key_unique` on `backup_repositories` (`name_key`);

CREATE TABLE `backup_sources` (`id` integer not null primary key autoincrement,
  `server_id` bigint not null,
  `name` varchar(64) not null,
  `name_key` varchar(64),
  `kind` varchar(16) not null,
  `paths` text not null,
  `excludes` text not null,
  `retention` text not null,
  `last_success_at` bigint,
  `created_at` bigint not null,
  `removed_at` bigint,
  `engine` varchar(16) not null default 'rsync',
  `repository_id` bigint,
  `hooks` text,
  `compare_content_every` integer not null default '0', foreign key(`server_id`) references `servers`(`id`));

CREATE UNIQUE INDEX `backup_sources_server_id_name_key_unique` on `backup_sources` (`server_id`, `name_key`);

CREATE TABLE `batch_members` (`batch_id` bigint not null,
  `position` integer not null,
  `server_id` bigint not null,
  `server_name` varchar(255) not null,
  `status` varchar(16) not null,
  `job_id` bigint,
  `not_before` bigint,
  `code` varchar(64),
  `detail` text,
  `place` text, foreign key(`batch_id`) references `batches`(`id`) on delete CASCADE, foreign key(`server_id`) references `servers`(`id`), primary key (`batch_id`,
  `position`));

CREATE UNIQUE INDEX `batch_members_batch_id_server_id_unique` on `batch_members` (`batch_id`, `server_id`);

CREATE INDEX `batch_members_batch_id_status_position_index` on `batch_members` (`batch_id`, `status`, `position`);

CREATE INDEX `batch_members_job_id_gauge` ON `batch_members` (`job_id`);

CREATE TABLE `batches` (`id` integer not null primary key autoincrement,
  `job_type` varchar(64) not null,
  `params` text not null,
  `selector` text not null,
  `max_parallel` integer not null,
  `canary` integer not null,
  `stop_after_failures` integer,
  `status` varchar(16) not null,
  `version` bigint not null default '0',
  `members_waiting` integer not null default '0',
  `members_active` integer not null default '0',
  `members_success` integer not null default '0',
  `members_failed` integer not null default '0',
  `members_cancelled` integer not null default '0',
  `members_skipped` integer not null default '0',
  `members_left_out` integer not null default '0',
  `requester_kind` varchar(16) not null,
  `requester_id` bigint,
  `requester_name` varchar(255) not null,
  `requester_address` varchar(64),
  `requested_by` varchar(255) not null,
  `scheduled` tinyint not null,
  `schedule_id` bigint,
  `require_approval` tinyint not null,
  `outside_window` tinyint not null,
  `created_at` bigint not null,
  `finished_at` bigint,
  `cancel_requested_at` bigint,
  `stop_reason` text,
  `approved_by` varchar(255),
  `orders` text);

CREATE INDEX `batches_requester_kind_requester_id_id_index` on `batches` (`requester_kind`, `requester_id`, `id`);

CREATE INDEX `batches_schedule_id_id_index` on `batches` (`schedule_id`, `id`);

CREATE INDEX `batches_status_id_index` on `batches` (`status`, `id`);

CREATE TABLE `channel_messages` (`channel_id` bigint not null,
  `problem` varchar(255) not null,
  `ref` varchar(255) not null,
  `severity` varchar(16) not null,
  `at` bigint not null, foreign key(`channel_id`) references `alert_channels`(`id`) on delete CASCADE, primary key (`channel_id`,
  `problem`));

CREATE INDEX `channel_messages_problem_index` on `channel_messages` (`problem`);

CREATE TABLE `clock_jumps` (`id` integer not null primary key autoincrement,
  `kind` varchar(16) not null,
  `from_at` bigint not null,
  `to_at` bigint not null,
  `expected` varchar(32) not null,
  `over_at` bigint);

CREATE INDEX `clock_jumps_over_at_index` on `clock_jumps` (`over_at`);

CREATE TABLE `deliveries` (`id` integer not null primary key autoincrement,
  `event_id` bigint not null,
  `channel` varchar(16) not null,
  `target_id` bigint not null,
  `status` varchar(16) not null,
  `attempts` integer not null,
  `due_at` bigint,
  `created_at` bigint not null,
  `last_attempt_at` bigint,
  `status_code` integer,
  `duration_ms` integer,
  `error` text, foreign key(`event_id`) references `outbox_events`(`id`) on delete CASCADE);

CREATE INDEX `deliveries_channel_status_index` on `deliveries` (`channel`, `status`);

CREATE INDEX `deliveries_channel_target_id_due_at_event_id_index` on `deliveries` (`channel`, `target_id`, `due_at`, `event_id`);

CREATE INDEX `deliveries_channel_target_id_id_index` on `deliveries` (`channel`, `target_id`, `id`);

CREATE UNIQUE INDEX `deliveries_event_id_channel_target_id_unique` on `deliveries` (`event_id`, `channel`, `target_id`);

CREATE TABLE `host_changes` (`id` integer not null primary key autoincrement,
  `server_id` bigint not null,
  `kind` varchar(16) not null,
  `name` text not null,
  `value_before` text,
  `value_after` text,
  `since` bigint not null,
  `at` bigint not null,
  `snapshot_id` bigint, foreign key(`server_id`) references `servers`(`id`));

CREATE INDEX `host_changes_at_index` on `host_changes` (`at`);

CREATE INDEX `host_changes_server_id_at_index` on `host_changes` (`server_id`, `at`);

CREATE INDEX `host_changes_server_id_snapshot_id_index` on `host_changes` (`server_id`, `snapshot_id`);

CREATE TABLE `host_states` (`server_id` bigint not null,
  `at` bigint not null,
  `state` text not null, foreign key(`server_id`) references `servers`(`id`), primary key (`server_id`));

CREATE TABLE `idempotent_requests` (`id` varchar(64) not null,
  `request_hash` varchar(64) not null,
  `owner` varchar(64),
  `lease_until` bigint,
  `status` integer,
  `body` text,
  `created_at` bigint not null, primary key (`id`));

CREATE INDEX `idempotent_requests_created_at_index` on `idempotent_requests` (`created_at`);

CREATE TABLE `job_log_chunks` (`job_id` bigint not null,
  `position` bigint not null,
  `at` bigint not null,
  `content` mediumblob not null, foreign key(`job_id`) references `jobs`(`id`) on delete CASCADE, primary key (`job_id`,
  `position`));

CREATE TABLE `jobs` (`id` integer not null primary key autoincrement,
  `server_id` bigint not null,
  `server_name` varchar(255) not null,
  `job_type` varchar(64) not null,
  `lane` text not null,
  `lane_key` varchar(255),
  `status` varchar(32) not null,
  `params` text not null,
  `created_at` bigint not null,
  `started_at` bigint,
  `finished_at` bigint,
  `current` text,
  `percent` float,
  `summary` text,
  `scheduled` tinyint not null,
  `requested_by` varchar(255) not null,
  `error_code` varchar(64),
  `error_detail` text,
  `result` text,
  `log_tail` text not null,
  `log_bytes` bigint not null default '0',
  `log_head_end` bigint not null default '0',
  `log_tail_start` bigint not null default '0',
  `owner` varchar(255),
  `lease_until` bigint,
  `fence` bigint not null default '0',
  `run_marker` text,
  `cancel_requested_at` bigint,
  `plan_key` bigint,
  `requester_kind` varchar(16),
  `requester_id` bigint,
  `reason` varchar(500),
  `phases` text,
  `next_try_at` bigint,
  `host_wait_since` bigint,
  `host_tries` integer not null default '0',
  `group_uses` text, foreign key(`server_id`) references `servers`(`id`), constraint jobs_lane_held check ((status IN ('pending', 'running')) = (lane_key IS NOT NULL)), constraint jobs_owner_runs check ((status = 'running') = (owner IS NOT NULL)));

CREATE INDEX `jobs_job_type_id_index` on `jobs` (`job_type`, `id`);

CREATE UNIQUE INDEX `jobs_lane_key_unique` on `jobs` (`lane_key`);

CREATE UNIQUE INDEX `jobs_plan_key_unique` on `jobs` (`plan_key`);

CREATE INDEX `jobs_server_id_id_index` on `jobs` (`server_id`, `id`);

CREATE INDEX `jobs_server_id_status_id_index` on `jobs` (`server_id`, `status`, `id`);

CREATE INDEX `jobs_status_finished_at_gauge` ON `jobs` (`status`, `finished_at`);

CREATE INDEX `jobs_status_id_index` on `jobs` (`status`, `id`);

CREATE TABLE `leases` (`name` varchar(255) not null,
  `owner` varchar(255) not null,
  `until` bigint not null, primary key (`name`));

CREATE TABLE `maintenance_windows` (`id` integer not null primary key autoincrement,
  `name` varchar(255) not null,
  `selector` text not null,
  `cron` varchar(255) not null,
  `time_zone` varchar(64) not null,
  `duration_ms` integer not null,
  `created_by` varchar(255) not null,
  `created_at` bigint not null,
  `enabled` tinyint not null default '1');

CREATE UNIQUE INDEX `maintenance_windows_name_unique` on `maintenance_windows` (`name`);

CREATE TABLE `notification_mutes` (`id` integer not null primary key autoincrement,
  `kind` varchar(64),
  `server_id` bigint,
  `until` bigint,
  `created_by` varchar(255) not null,
  `created_at` bigint not null);

CREATE TABLE `notification_policies` (`kind` varchar(64) not null,
  `debounce_ms` bigint not null,
  `remind_ms` bigint,
  `severity` varchar(16), primary key (`kind`));

CREATE TABLE `notifications` (`id` integer not null primary key autoincrement,
  `kind` varchar(64) not null,
  `subject_id` bigint not null,
  `open_key` varchar(255),
  `variant` varchar(64) not null,
  `state` varchar(16) not null,
  `severity` varchar(16) not null,
  `muted` tinyint not null,
  `title` text not null,
  `message` text not null,
  `server_id` bigint,
  `server_name` varchar(255),
  `job_id` bigint,
  `began_at` bigint not null,
  `opened_at` bigint,
  `told_at` bigint,
  `acknowledged_at` bigint,
  `resolved_at` bigint,
  `acknowledged_by` varchar(255));

CREATE INDEX `notifications_kind_state_id_index` on `notifications` (`kind`, `state`, `id`);

CREATE INDEX `notifications_kind_subject_id_state_index` on `notifications` (`kind`, `subject_id`, `state`);

CREATE UNIQUE INDEX `notifications_open_key_unique` on `notifications` (`open_key`);

CREATE INDEX `notifications_resolved_at_index` on `notifications` (`resolved_at`);

CREATE INDEX `notifications_server_id_state_muted_kind_index` on `notifications` (`server_id`, `state`, `muted`, `kind`);

CREATE INDEX `notifications_state_muted_kind_id_index` on `notifications` (`state`, `muted`, `kind`, `id`);

CREATE TABLE `outbox_events` (`id` integer not null primary key autoincrement,
  `uid` varchar(36) not null,
  `type` varchar(64) not null,
  `severity` varchar(16) not null,
  `title` text not null,
  `message` text not null,
  `server_id` bigint,
  `job_id` bigint,
  `at` bigint not null,
  `pending` tinyint default '1',
  `body` text,
  `problem` varchar(255));

CREATE INDEX `outbox_events_at_index` on `outbox_events` (`at`);

CREATE INDEX `outbox_events_pending_id_index` on `outbox_events` (`pending`, `id`);

CREATE UNIQUE INDEX `outbox_events_uid_unique` on `outbox_events` (`uid`);

CREATE TABLE `package_versions` (`id` integer not null primary key autoincrement,
  `key_hash` varchar(64) not null,
  `system` varchar(80) not null,
  `name` varchar(200) not null,
  `version` varchar(200) not null,
  `source` varchar(200) not null,
  `source_version` varchar(200) not null);

CREATE UNIQUE INDEX `package_versions_key_hash_unique` on `package_versions` (`key_hash`);

CREATE INDEX `package_versions_system_name_index` on `package_versions` (`system`, `name`);

CREATE INDEX `package_versions_system_source_index` on `package_versions` (`system`, `source`);

CREATE TABLE `passkey_challenges` (`id` integer not null primary key autoincrement,
  `challenge_hash` varchar(64) not null,
  `purpose` varchar(16) not null,
  `bound_to` varchar(80) not null,
  `started_at` bigint not null);

CREATE INDEX `passkey_challenges_bound_to_index` on `passkey_challenges` (`bound_to`);

CREATE UNIQUE INDEX `passkey_challenges_challenge_hash_unique` on `passkey_challenges` (`challenge_hash`);

CREATE INDEX `passkey_challenges_started_at_index` on `passkey_challenges` (`started_at`);

CREATE TABLE `passkeys` (`id` integer not null primary key autoincrement,
  `user_id` bigint not null,
  `name` varchar(255) not null,
  `credential_hash` varchar(64) not null,
  `credential_id` text not null,
  `public_key` text not null,
  `rp_id` varchar(255) not null,
  `counter` bigint not null,
  `transports` text not null,
  `created_at` bigint not null,
  `last_used_at` bigint, foreign key(`user_id`) references `users`(`id`));

CREATE UNIQUE INDEX `passkeys_credential_hash_unique` on `passkeys` (`credential_hash`);

CREATE INDEX `passkeys_user_id_index` on `passkeys` (`user_id`);

CREATE TABLE `patch_policies` (`id` integer not null primary key autoincrement,
  `name` varchar(255) not null,
  `selector` text not null,
  `rules` text not null,
  `created_by` varchar(255) not null,
  `created_at` bigint not null);

CREATE UNIQUE INDEX `patch_policies_name_unique` on `patch_policies` (`name`);

CREATE TABLE `push_subscriptions` (`id` integer not null primary key autoincrement,
  `endpoint_hash` varchar(64) not null,
  `sealed_subscription` text not null,
  `owner_id` bigint,
  `events` text,
  `min_severity` varchar(16) not null,
  `created_at` bigint not null,
  `tags` text);

CREATE UNIQUE INDEX `push_subscriptions_endpoint_hash_unique` on `push_subscriptions` (`endpoint_hash`);

CREATE INDEX `push_subscriptions_owner_id_index` on `push_subscriptions` (`owner_id`);

CREATE TABLE `recovery_codes` (`id` integer not null primary key autoincrement,
  `user_id` bigint not null,
  `code_hash` varchar(64) not null, foreign key(`user_id`) references `users`(`id`) on delete CASCADE);

CREATE UNIQUE INDEX `recovery_codes_user_id_code_hash_unique` on `recovery_codes` (`user_id`, `code_hash`);

CREATE TABLE `removed_snapshots` (`id` integer not null primary key autoincrement,
  `source_id` bigint not null,
  `name` varchar(255) not null,
  `removed_at` bigint not null, foreign key(`source_id`) references `backup_sources`(`id`));

CREATE UNIQUE INDEX `removed_snapshots_source_id_name_unique` on `removed_snapshots` (`source_id`, `name`);

CREATE TABLE `replicas` (`owner` varchar(255) not null,
  `version` varchar(64) not null,
  `started_at` bigint not null,
  `seen_at` bigint not null,
  `key_ids` varchar(255), primary key (`owner`));

CREATE TABLE `schedule_runs` (`id` integer not null primary key autoincrement,
  `schedule_id` bigint not null,
  `slot_at` bigint not null,
  `manual` tinyint not null,
  `outcome` varchar(16) not null,
  `stamped_at` bigint not null,
  `job_id` bigint,
  `batch_id` bigint,
  `code` varchar(64),
  `detail` text, foreign key(`schedule_id`) references `schedules`(`id`) on delete CASCADE);

CREATE INDEX `schedule_runs_outcome_stamped_at_index` on `schedule_runs` (`outcome`, `stamped_at`);

CREATE UNIQUE INDEX `schedule_runs_schedule_id_slot_at_unique` on `schedule_runs` (`schedule_id`, `slot_at`);

CREATE TABLE `schedules` (`id` integer not null primary key autoincrement,
  `name` varchar(255) not null,
  `selector` text not null,
  `cron` varchar(255) not null,
  `time_zone` varchar(64) not null,
  `job_type` varchar(64) not null,
  `params` text not null,
  `max_parallel` integer not null,
  `canary` integer not null,
  `stop_after_failures` integer,
  `jitter_ms` integer not null,
  `enabled` tinyint not null,
  `require_approval` tinyint not null,
  `handled_to` bigint not null,
  `due_at` bigint,
  `revision` bigint not null default '0',
  `created_by` varchar(255) not null,
  `created_at` bigint not null,
  `updated_at` bigint not null,
  `owner_kind` varchar(16),
  `owner_id` bigint,
  `owner_name` varchar(255),
  `off_reason` text);

CREATE INDEX `schedules_due_at_index` on `schedules` (`due_at`);

CREATE UNIQUE INDEX `schedules_name_unique` on `schedules` (`name`);

CREATE TABLE `schema_migrations` (`id` integer not null primary key autoincrement,
  `name` varchar(255),
  `batch` integer,
  `migration_time` datetime);

CREATE TABLE `schema_migrations_lock` (`index` integer not null primary key autoincrement,
  `is_locked` integer);

CREATE TABLE `server_fixes` (`id` integer not null primary key autoincrement,
  `server_id` bigint not null,
  `cve` varchar(32) not null,
  `advisory` varchar(100) not null,
  `system` varchar(80) not null,
  `package` varchar(200) not null,
  `version` varchar(200) not null,
  `fixed` varchar(200) not null, foreign key(`server_id`) references `servers`(`id`));

CREATE INDEX `server_fixes_cve_index` on `server_fixes` (`cve`);

CREATE INDEX `server_fixes_server_id_index` on `server_fixes` (`server_id`);

CREATE TABLE `server_inventories` (`server_id` bigint not null,
  `at` bigint not null,
  `inventory` text not null, foreign key(`server_id`) references `servers`(`id`), primary key (`server_id`));

CREATE TABLE `server_package_lists` (`server_id` bigint not null,
  `digest` varchar(64) not null, foreign key(`server_id`) references `servers`(`id`), primary key (`server_id`));

CREATE TABLE `server_packages` (`server_id` bigint not null,
  `version_id` bigint not null, foreign key(`server_id`) references `servers`(`id`), foreign key(`version_id`) references `package_versions`(`id`), primary key (`server_id`,
  `version_id`));

CREATE INDEX `server_packages_version_id_server_id_index` on `server_packages` (`version_id`, `server_id`);

CREATE TABLE `server_samples` (`server_id` bigint not null,
  `step` varchar(8) not null,
  `step_at` bigint not null,
  `at` bigint not null,
  `cpu_load` float not null,
  `memory_total_bytes` bigint not null,
  `memory_used_bytes` bigint not null,
  `disks` text not null,
  `os_updates` integer,
  `security_updates` integer,
  `containers` integer,
  `activity` text, foreign key(`server_id`) references `servers`(`id`), primary key (`server_id`,
  `step`,
  `step_at`));

CREATE INDEX `server_samples_step_step_at_index` on `server_samples` (`step`, `step_at`);

CREATE TABLE `servers` (`id` integer not null primary key autoincrement,
  `name` varchar(255) not null,
  `name_key` varchar(255),
  `lane_version` bigint not null default '0',
  `connection` varchar(16) not null,
  `hostname` varchar(255) not null,
  `ssh_port` integer not null,
  `ssh_username` varchar(255) not null,
  `ssh_key_id` bigint null,
  `host_key_algorithm` varchar(64),
  `host_key_blob` text,
  `host_key_fingerprint` varchar(128),
  `become` varchar(16) not null,
  `jump_server_id` bigint null,
  `tags` text not null,
  `search_text` text not null,
  `feature_backup` tinyint not null,
  `feature_os_patch` tinyint not null,
  `feature_docker` tinyint not null,
  `jail` text,
  `os_type` text,
  `os_id` text,
  `os_pretty` text,
  `arch` text,
  `hardware` text,
  `cpu_cores` integer,
  `cpu_load` float,
  `memory_total_bytes` bigint,
  `memory_used_bytes` bigint,
  `disk_total_bytes` bigint,
  `disk_used_bytes` bigint,
  `container_count` integer,
  `last_seen_at` bigint,
  `os_updates_count` integer,
  `security_updates_count` integer,
  `container_updates_count` integer,
  `reboot_pending` tinyint,
  `last_os_check_at` bigint,
  `last_container_check_at` bigint,
  `inventory_at` bigint,
  `last_backup_at` bigint,
  `created_at` bigint not null,
  `updated_at` bigint not null,
  `removed_at` bigint,
  `jail_deny` text,
  `compose_dirs` text,
  `last_verified_at` bigint,
  `contact_failed_since` bigint,
  `contact_error` varchar(64),
  `on_own_machine` tinyint null,
  `disk_full_at` bigint,
  `disk_full_mount` varchar(255),
  `notes` text,
  `os_version` text,
  `support_ends_at` bigint,
  `update_checks` text, foreign key(`ssh_key_id`) references `ssh_keys`(`id`), foreign key(`jump_server_id`) references `servers`(`id`));

CREATE INDEX `servers_contact_failed_since_removed_at_gauge` ON `servers` (`contact_failed_since`, `removed_at`, `reboot_pending`, `security_updates_count`, `feature_backup`, `last_backup_at`);

CREATE INDEX `servers_container_updates_count_removed_at_gauge` ON `servers` (`container_updates_count`, `removed_at`);

CREATE INDEX `servers_disk_full_at_index` on `servers` (`disk_full_at`);

CREATE INDEX `servers_feature_backup_last_backup_at_gauge` ON `servers` (`feature_backup`, `last_backup_at`, `removed_at`, `reboot_pending`, `security_updates_count`);

CREATE INDEX `servers_feature_backup_last_verified_at_gauge` ON `servers` (`feature_backup`, `last_verified_at`, `removed_at`);

CREATE INDEX `servers_feature_docker_last_container_check_at_gauge` ON `servers` (`feature_docker`, `last_container_check_at`, `removed_at`);

CREATE INDEX `servers_feature_os_patch_last_os_check_at_gauge` ON `servers` (`feature_os_patch`, `last_os_check_at`, `removed_at`);

CREATE INDEX `servers_last_seen_at_removed_at_gauge` ON `servers` (`last_seen_at`, `removed_at`, `reboot_pending`, `security_updates_count`, `feature_backup`, `last_backup_at`);

CREATE UNIQUE INDEX `servers_name_key_unique` on `servers` (`name_key`);

CREATE INDEX `servers_os_updates_count_removed_at_gauge` ON `servers` (`os_updates_count`, `removed_at`);

CREATE INDEX `servers_reboot_pending_removed_at_gauge` ON `servers` (`reboot_pending`, `removed_at`);

CREATE INDEX `servers_security_updates_count_removed_at_gauge` ON `servers` (`security_updates_count`, `removed_at`, `reboot_pending`);

CREATE INDEX `servers_support_ends_at_removed_at_index` on `servers` (`support_ends_at`, `removed_at`);

CREATE TABLE `services` (`id` integer not null primary key autoincrement,
  `server_id` bigint not null,
  `kind` varchar(16) not null,
  `label` varchar(255) not null,
  `severity` tinyint not null,
  `message` text not null,
  `project` text,
  `container` text,
  `search_text` text not null,
  `checked_at` bigint not null, foreign key(`server_id`) references `servers`(`id`));

CREATE UNIQUE INDEX `services_server_id_kind_label_unique` on `services` (`server_id`, `kind`, `label`);

CREATE INDEX `services_severity_server_id_label_index` on `services` (`severity`, `server_id`, `label`);

CREATE TABLE `sessions` (`id` integer not null primary key autoincrement,
  `secret_hash` varchar(64) not null,
  `user_id` bigint not null,
  `stage` varchar(16) not null,
  `created_at` bigint not null,
  `seen_at` bigint not null,
  `confirmed_at` bigint not null,
  `address` varchar(64) not null,
  `agent` varchar(255) not null,
  `device_id` bigint,
  `provider` varchar(32),
  `two_factors` tinyint not null default '0', foreign key(`user_id`) references `users`(`id`) on delete CASCADE);

CREATE UNIQUE INDEX `sessions_secret_hash_unique` on `sessions` (`secret_hash`);

CREATE INDEX `sessions_seen_at_index` on `sessions` (`seen_at`);

CREATE TABLE `settings` (`name` varchar(255) not null,
  `value` text not null, primary key (`name`));

CREATE TABLE `sign_in_devices` (`id` integer not null primary key autoincrement,
  `secret_hash` varchar(64) not null,
  `user_id` bigint not null,
  `created_at` bigint not null,
  `seen_at` bigint not null, foreign key(`user_id`) references `users`(`id`) on delete CASCADE);

CREATE UNIQUE INDEX `sign_in_devices_secret_hash_user_id_unique` on `sign_in_devices` (`secret_hash`, `user_id`);

CREATE INDEX `sign_in_devices_seen_at_index` on `sign_in_devices` (`seen_at`);

CREATE TABLE `sign_in_throttles` (`id` integer not null primary key autoincrement,
  `subject` varchar(191) not null,
  `failures` integer not null,
  `next_at` bigint not null,
  `last_at` bigint not null,
  `reported_until` bigint not null default '0');

CREATE INDEX `sign_in_throttles_last_at_index` on `sign_in_throttles` (`last_at`);

CREATE UNIQUE INDEX `sign_in_throttles_subject_unique` on `sign_in_throttles` (`subject`);

CREATE TABLE `snapshots` (`id` integer not null primary key autoincrement,
  `server_id` bigint not null,
  `source_id` bigint not null,
  `source_name` varchar(64) not null,
  `job_id` bigint,
  `engine` varchar(32) not null,
  `name` varchar(255) not null,
  `started_at` bigint not null,
  `finished_at` bigint not null,
  `file_count` bigint not null,
  `total_bytes` bigint not null,
  `transferred_bytes` bigint not null,
  `vanished_count` bigint not null,
  `manifest_sha256` varchar(64) not null,
  `last_verified_at` bigint,
  `held_until` bigint,
  `checked_at` bigint,
  `check_outcome` varchar(16),
  `check_files` bigint,
  `check_bytes` bigint,
  `check_detail` text,
  `pinned_at` bigint, foreign key(`server_id`) references `servers`(`id`), foreign key(`source_id`) references `backup_sources`(`id`));

CREATE INDEX `snapshots_server_id_started_at_id_index` on `snapshots` (`server_id`, `started_at`, `id`);

CREATE UNIQUE INDEX `snapshots_source_id_name_unique` on `snapshots` (`source_id`, `name`);

CREATE INDEX `snapshots_source_id_started_at_id_index` on `snapshots` (`source_id`, `started_at`, `id`);

CREATE TABLE `ssh_keys` (`id` integer not null primary key autoincrement,
  `name` varchar(255) not null,
  `algorithm` varchar(64) not null,
  `public_key` text not null,
  `fingerprint` varchar(128) not null,
  `sealed_private_key` text not null,
  `created_at` bigint not null);

CREATE UNIQUE INDEX `ssh_keys_name_unique` on `ssh_keys` (`name`);

CREATE TABLE `sso_flows` (`id` integer not null primary key autoincrement,
  `secret_hash` varchar(64) not null,
  `provider` varchar(32) not null,
  `purpose` varchar(16) not null,
  `next` text not null,
  `started_at` bigint not null);

CREATE UNIQUE INDEX `sso_flows_secret_hash_unique` on `sso_flows` (`secret_hash`);

CREATE INDEX `sso_flows_started_at_index` on `sso_flows` (`started_at`);

CREATE TABLE `sso_providers` (`id` integer not null primary key autoincrement,
  `name` varchar(32) not null,
  `label` varchar(255) not null,
  `issuer` varchar(255) not null,
  `client_id` varchar(255) not null,
  `sealed_secret` text not null,
  `scopes` varchar(255) not null,
  `groups_claim` varchar(255) not null,
  `roles` text not null,
  `two_factor` varchar(16) not null,
  `allow_private` tinyint not null,
  `enabled` tinyint not null,
  `created_by` varchar(255) not null,
  `created_at` bigint not null,
  `updated_at` bigint not null);

CREATE UNIQUE INDEX `sso_providers_name_unique` on `sso_providers` (`name`);

CREATE TABLE `template_deployments` (`id` integer not null primary key autoincrement,
  `server_id` bigint not null,
  `directory` varchar(500) not null,
  `project` varchar(255) not null,
  `template_name` varchar(63) not null,
  `template_version` integer not null,
  `given` text not null,
  `secret_names` text not null,
  `sealed_secrets` text not null,
  `files` text not null,
  `job_id` bigint not null,
  `deployed_at` bigint not null, foreign key(`server_id`) references `servers`(`id`));

CREATE UNIQUE INDEX `template_deployments_server_id_directory_unique` on `template_deployments` (`server_id`, `directory`);

CREATE INDEX `template_deployments_template_name_index` on `template_deployments` (`template_name`);

CREATE TABLE `template_orders` (`id` integer not null primary key autoincrement,
  `server_id` bigint not null,
  `names` text not null,
  `sealed_values` text not null,
  `created_at` bigint not null, foreign key(`server_id`) references `servers`(`id`));

CREATE INDEX `template_orders_created_at_index` on `template_orders` (`created_at`);

CREATE TABLE `templates` (`id` integer not null primary key autoincrement,
  `name` varchar(63) not null,
  `description` text not null,
  `version` integer not null,
  `variables` text not null,
  `files` text not null,
  `variable_count` integer not null,
  `file_count` integer not null,
  `created_by` varchar(255) not null,
  `created_at` bigint not null,
  `updated_at` bigint not null);

CREATE UNIQUE INDEX `templates_name_unique` on `templates` (`name`);

CREATE TABLE `update_groups` (`tag` varchar(64),
  `version` bigint not null, primary key (`tag`));

CREATE TABLE `users` (`id` integer not null primary key autoincrement,
  `name` varchar(64) not null,
  `role` varchar(32) not null,
  `password_hash` varchar(255),
  `totp_secret` varchar(512),
  `totp_step` bigint not null default '0',
  `created_by` varchar(255) not null,
  `created_at` bigint not null,
  `last_login_at` bigint,
  `disabled_at` bigint,
  `sso_issuer` varchar(255),
  `sso_subject` varchar(255),
  `passkeys` integer not null default '0',
  `tag_roles` text);

CREATE UNIQUE INDEX `users_name_unique` on `users` (`name`);

CREATE UNIQUE INDEX `users_sso_issuer_sso_subject_unique` on `users` (`sso_issuer`, `sso_subject`);

CREATE TABLE `vulnerabilities` (`id` integer not null primary key autoincrement,
  `advisory` varchar(100) not null,
  `cve` varchar(32) not null,
  `system` varchar(80) not null,
  `package` varchar(200) not null,
  `introduced` varchar(200) not null,
  `fixed` varchar(200),
  `severity` varchar(16));

CREATE INDEX `vulnerabilities_advisory_index` on `vulnerabilities` (`advisory`);

CREATE INDEX `vulnerabilities_cve_index` on `vulnerabilities` (`cve`);

CREATE INDEX `vulnerabilities_system_package_index` on `vulnerabilities` (`system`, `package`);

CREATE TABLE `watched_services` (`id` integer not null primary key autoincrement,
  `server_id` bigint not null,
  `directory` text not null,
  `service` text not null,
  `label` varchar(255) not null,
  `checks` integer not null,
  `restarts` text not null,
  `gave_up_at` bigint, foreign key(`server_id`) references `servers`(`id`));

CREATE INDEX `watched_services_server_id_index` on `watched_services` (`server_id`);

CREATE TABLE `webhooks` (`id` integer not null primary key autoincrement,
  `name` varchar(64) not null,
  `origin` varchar(16) not null,
  `sealed_url` text not null,
  `shown_url` text not null,
  `sealed_secret` text not null,
  `sealed_former_secret` text,
  `former_until` bigint,
  `events` text,
  `min_severity` varchar(16) not null,
  `enabled` tinyint not null,
  `disabled_because` varchar(16),
  `disabled_at` bigint,
  `created_by` varchar(255) not null,
  `created_at` bigint not null,
  `updated_at` bigint not null,
  `tags` text);

CREATE UNIQUE INDEX `webhooks_name_unique` on `webhooks` (`name`);
