CREATE TABLE `account_links` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `link_hash` varchar(64) NOT NULL,
  `user_id` bigint(20) unsigned DEFAULT NULL,
  `expires_at` bigint(20) NOT NULL,
  PRIMARY KEY (`id`),
  CONSTRAINT `account_links_user_id_foreign` FOREIGN KEY (`user_id`) REFERENCES `users` (`id`) ON DELETE CASCADE,
  KEY `account_links_user_id_foreign` (`user_id`),
  UNIQUE KEY `account_links_link_hash_unique` (`link_hash`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `alert_channels` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `name` varchar(64) NOT NULL,
  `kind` varchar(32) NOT NULL,
  `fields` text NOT NULL,
  `sealed_secrets` text NOT NULL,
  `shown_target` text NOT NULL,
  `events` mediumtext DEFAULT NULL,
  `min_severity` varchar(16) NOT NULL,
  `tags` mediumtext DEFAULT NULL,
  `allow_private` tinyint(4) NOT NULL,
  `enabled` tinyint(4) NOT NULL,
  `created_by` varchar(255) NOT NULL,
  `created_at` bigint(20) NOT NULL,
  `updated_at` bigint(20) NOT NULL,
  `timing` mediumtext DEFAULT NULL,
  `report_at` bigint(20) DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `alert_channels_name_unique` (`name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `api_tokens` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `name` varchar(255) NOT NULL,
  `secret_hash` varchar(64) NOT NULL,
  `prefix` varchar(32) NOT NULL,
  `scopes` mediumtext NOT NULL,
  `allowed_cidrs` mediumtext NOT NULL,
  `allowed_server_ids` mediumtext DEFAULT NULL,
  `require_approval` tinyint(4) NOT NULL,
  `created_by` varchar(255) NOT NULL,
  `created_at` bigint(20) NOT NULL,
  `last_used_at` bigint(20) DEFAULT NULL,
  `expires_at` bigint(20) DEFAULT NULL,
  `revoked_at` bigint(20) DEFAULT NULL,
  `servers_granted_by` varchar(255) DEFAULT NULL,
  `servers_granted_user_id` bigint(20) unsigned DEFAULT NULL,
  `calls` mediumtext DEFAULT NULL,
  `approval_rule` text DEFAULT NULL,
  `rotated_by` mediumtext DEFAULT NULL,
  `approval_in_client` tinyint(4) NOT NULL DEFAULT 0,
  PRIMARY KEY (`id`),
  UNIQUE KEY `api_tokens_secret_hash_unique` (`secret_hash`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `approvals` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `job_id` bigint(20) unsigned DEFAULT NULL,
  `batch_id` bigint(20) unsigned DEFAULT NULL,
  `server_id` bigint(20) unsigned DEFAULT NULL,
  `job_type` varchar(64) NOT NULL,
  `subject` varchar(255) NOT NULL,
  `requester_kind` varchar(16) NOT NULL,
  `requester_id` bigint(20) unsigned DEFAULT NULL,
  `requester_name` varchar(255) NOT NULL,
  `requester_address` varchar(64) DEFAULT NULL,
  `requested_by` varchar(255) NOT NULL,
  `request_key` varchar(64) DEFAULT NULL,
  `state` varchar(16) NOT NULL,
  `created_at` bigint(20) NOT NULL,
  `expires_at` bigint(20) NOT NULL,
  `decided_at` bigint(20) DEFAULT NULL,
  `decided_by` varchar(255) DEFAULT NULL,
  `note` text DEFAULT NULL,
  `plan_job_id` bigint(20) unsigned DEFAULT NULL,
  `change_kind` varchar(32) DEFAULT NULL,
  `change_summary` text DEFAULT NULL,
  `change_basis` varchar(64) DEFAULT NULL,
  `change_sealed` mediumtext DEFAULT NULL,
  `change_outcome` varchar(16) DEFAULT NULL,
  `change_detail` text DEFAULT NULL,
  `votes` mediumtext DEFAULT NULL,
  `planners` mediumtext DEFAULT NULL,
  PRIMARY KEY (`id`),
  CONSTRAINT `approvals_batch_id_foreign` FOREIGN KEY (`batch_id`) REFERENCES `batches` (`id`) ON DELETE CASCADE,
  CONSTRAINT `approvals_job_id_foreign` FOREIGN KEY (`job_id`) REFERENCES `jobs` (`id`) ON DELETE CASCADE,
  KEY `approvals_change_outcome_decided_at_index` (`change_outcome`,`decided_at`),
  KEY `approvals_state_expires_at_index` (`state`,`expires_at`),
  KEY `approvals_state_id_index` (`state`,`id`),
  KEY `approvals_state_requester_kind_requester_id_index` (`state`,`requester_kind`,`requester_id`),
  UNIQUE KEY `approvals_batch_id_unique` (`batch_id`),
  UNIQUE KEY `approvals_job_id_unique` (`job_id`),
  UNIQUE KEY `approvals_request_key_unique` (`request_key`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `audit_chain` (
  `id` int(11) NOT NULL,
  `version` bigint(20) NOT NULL,
  `seq` bigint(20) NOT NULL,
  `mac` varchar(64) NOT NULL,
  `base_seq` bigint(20) NOT NULL,
  `base_mac` varchar(64) NOT NULL,
  `unsigned_up_to` bigint(20) NOT NULL,
  `began_at` bigint(20) NOT NULL,
  `seal` varchar(64) NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `audit_entries` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `at` bigint(20) NOT NULL,
  `actor_kind` varchar(16) NOT NULL,
  `actor_id` bigint(20) unsigned DEFAULT NULL,
  `actor_name` varchar(255) NOT NULL,
  `address` varchar(64) DEFAULT NULL,
  `action` varchar(128) NOT NULL,
  `object` varchar(255) NOT NULL,
  `outcome` varchar(64) NOT NULL,
  `detail` mediumtext NOT NULL,
  `seq` bigint(20) unsigned DEFAULT NULL,
  `signature` varchar(64) DEFAULT NULL,
  `previous` varchar(64) DEFAULT NULL,
  `mac` varchar(64) DEFAULT NULL,
  `server_id` bigint(20) unsigned DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `audit_entries_action_id_index` (`action`,`id`),
  KEY `audit_entries_actor_kind_actor_id_id_index` (`actor_kind`,`actor_id`,`id`),
  KEY `audit_entries_actor_name_id_index` (`actor_name`,`id`),
  KEY `audit_entries_at_id_index` (`at`,`id`),
  KEY `audit_entries_object_id_index` (`object`,`id`),
  KEY `audit_entries_server_id_id_index` (`server_id`,`id`),
  UNIQUE KEY `audit_entries_seq_unique` (`seq`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `backup_dumps` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `source_id` bigint(20) unsigned NOT NULL,
  `name` varchar(63) NOT NULL,
  `kind` varchar(16) NOT NULL,
  `connection` mediumtext NOT NULL,
  `sealed_password` mediumtext DEFAULT NULL,
  `created_at` bigint(20) NOT NULL,
  PRIMARY KEY (`id`),
  CONSTRAINT `backup_dumps_source_id_foreign` FOREIGN KEY (`source_id`) REFERENCES `backup_sources` (`id`),
  UNIQUE KEY `backup_dumps_source_id_name_unique` (`source_id`,`name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `backup_repositories` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `name` varchar(63) NOT NULL,
  `name_key` varchar(63) DEFAULT NULL,
  `kind` varchar(16) NOT NULL,
  `url` text NOT NULL,
  `sealed_secrets` mediumtext NOT NULL,
  `initialised_at` bigint(20) DEFAULT NULL,
  `created_at` bigint(20) NOT NULL,
  `removed_at` bigint(20) DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `backup_repositories_name_key_unique` (`name_key`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `backup_sources` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `server_id` bigint(20) unsigned NOT NULL,
  `name` varchar(64) NOT NULL,
  `name_key` varchar(64) DEFAULT NULL,
  `kind` varchar(16) NOT NULL,
  `paths` mediumtext NOT NULL,
  `excludes` mediumtext NOT NULL,
  `retention` text NOT NULL,
  `last_success_at` bigint(20) DEFAULT NULL,
  `created_at` bigint(20) NOT NULL,
  `removed_at` bigint(20) DEFAULT NULL,
  `engine` varchar(16) NOT NULL DEFAULT 'rsync',
  `repository_id` bigint(20) unsigned DEFAULT NULL,
  `hooks` mediumtext DEFAULT NULL,
  `compare_content_every` int(11) NOT NULL DEFAULT 0,
  PRIMARY KEY (`id`),
  CONSTRAINT `backup_sources_server_id_foreign` FOREIGN KEY (`server_id`) REFERENCES `servers` (`id`),
  UNIQUE KEY `backup_sources_server_id_name_key_unique` (`server_id`,`name_key`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `batches` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `job_type` varchar(64) NOT NULL,
  `params` mediumtext NOT NULL,
  `selector` mediumtext NOT NULL,
  `max_parallel` int(11) NOT NULL,
  `canary` int(11) NOT NULL,
  `stop_after_failures` int(11) DEFAULT NULL,
  `status` varchar(32) NOT NULL,
  `version` bigint(20) NOT NULL DEFAULT 0,
  `members_waiting` int(11) NOT NULL DEFAULT 0,
  `members_active` int(11) NOT NULL DEFAULT 0,
  `members_success` int(11) NOT NULL DEFAULT 0,
  `members_failed` int(11) NOT NULL DEFAULT 0,
  `members_cancelled` int(11) NOT NULL DEFAULT 0,
  `members_skipped` int(11) NOT NULL DEFAULT 0,
  `members_left_out` int(11) NOT NULL DEFAULT 0,
  `requester_kind` varchar(16) NOT NULL,
  `requester_id` bigint(20) unsigned DEFAULT NULL,
  `requester_name` varchar(255) NOT NULL,
  `requester_address` varchar(64) DEFAULT NULL,
  `requested_by` varchar(255) NOT NULL,
  `scheduled` tinyint(4) NOT NULL,
  `schedule_id` bigint(20) unsigned DEFAULT NULL,
  `require_approval` tinyint(4) NOT NULL,
  `outside_window` tinyint(4) NOT NULL,
  `created_at` bigint(20) NOT NULL,
  `finished_at` bigint(20) DEFAULT NULL,
  `cancel_requested_at` bigint(20) DEFAULT NULL,
  `stop_reason` text DEFAULT NULL,
  `approved_by` varchar(255) DEFAULT NULL,
  `orders` mediumtext DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `batches_requester_kind_requester_id_id_index` (`requester_kind`,`requester_id`,`id`),
  KEY `batches_schedule_id_id_index` (`schedule_id`,`id`),
  KEY `batches_status_id_index` (`status`,`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `batch_members` (
  `batch_id` bigint(20) unsigned NOT NULL,
  `position` int(11) NOT NULL,
  `server_id` bigint(20) unsigned NOT NULL,
  `server_name` varchar(255) NOT NULL,
  `status` varchar(16) NOT NULL,
  `job_id` bigint(20) unsigned DEFAULT NULL,
  `not_before` bigint(20) DEFAULT NULL,
  `code` varchar(64) DEFAULT NULL,
  `detail` text DEFAULT NULL,
  `place` mediumtext DEFAULT NULL,
  PRIMARY KEY (`batch_id`,`position`),
  CONSTRAINT `batch_members_batch_id_foreign` FOREIGN KEY (`batch_id`) REFERENCES `batches` (`id`) ON DELETE CASCADE,
  CONSTRAINT `batch_members_server_id_foreign` FOREIGN KEY (`server_id`) REFERENCES `servers` (`id`),
  KEY `batch_members_batch_id_status_position_index` (`batch_id`,`status`,`position`),
  KEY `batch_members_job_id_gauge` (`job_id`),
  KEY `batch_members_server_id_foreign` (`server_id`),
  UNIQUE KEY `batch_members_batch_id_server_id_unique` (`batch_id`,`server_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `channel_messages` (
  `channel_id` bigint(20) unsigned NOT NULL,
  `problem` varchar(255) NOT NULL,
  `ref` varchar(255) NOT NULL,
  `severity` varchar(16) NOT NULL,
  `at` bigint(20) NOT NULL,
  PRIMARY KEY (`channel_id`,`problem`),
  CONSTRAINT `channel_messages_channel_id_foreign` FOREIGN KEY (`channel_id`) REFERENCES `alert_channels` (`id`) ON DELETE CASCADE,
  KEY `channel_messages_problem_index` (`problem`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `clock_jumps` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `kind` varchar(16) NOT NULL,
  `from_at` bigint(20) NOT NULL,
  `to_at` bigint(20) NOT NULL,
  `expected` varchar(32) NOT NULL,
  `over_at` bigint(20) DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `clock_jumps_over_at_index` (`over_at`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `deliveries` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `event_id` bigint(20) unsigned NOT NULL,
  `channel` varchar(16) NOT NULL,
  `target_id` bigint(20) unsigned NOT NULL,
  `status` varchar(16) NOT NULL,
  `attempts` int(11) NOT NULL,
  `due_at` bigint(20) DEFAULT NULL,
  `created_at` bigint(20) NOT NULL,
  `last_attempt_at` bigint(20) DEFAULT NULL,
  `status_code` int(11) DEFAULT NULL,
  `duration_ms` int(11) DEFAULT NULL,
  `error` text DEFAULT NULL,
  PRIMARY KEY (`id`),
  CONSTRAINT `deliveries_event_id_foreign` FOREIGN KEY (`event_id`) REFERENCES `outbox_events` (`id`) ON DELETE CASCADE,
  KEY `deliveries_channel_status_index` (`channel`,`status`),
  KEY `deliveries_channel_target_id_due_at_event_id_index` (`channel`,`target_id`,`due_at`,`event_id`),
  KEY `deliveries_channel_target_id_id_index` (`channel`,`target_id`,`id`),
  UNIQUE KEY `deliveries_event_id_channel_target_id_unique` (`event_id`,`channel`,`target_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `host_changes` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `server_id` bigint(20) unsigned NOT NULL,
  `kind` varchar(16) NOT NULL,
  `name` text NOT NULL,
  `value_before` text DEFAULT NULL,
  `value_after` text DEFAULT NULL,
  `since` bigint(20) NOT NULL,
  `at` bigint(20) NOT NULL,
  `snapshot_id` bigint(20) unsigned DEFAULT NULL,
  PRIMARY KEY (`id`),
  CONSTRAINT `host_changes_server_id_foreign` FOREIGN KEY (`server_id`) REFERENCES `servers` (`id`),
  KEY `host_changes_at_index` (`at`),
  KEY `host_changes_server_id_at_index` (`server_id`,`at`),
  KEY `host_changes_server_id_snapshot_id_index` (`server_id`,`snapshot_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `host_states` (
  `server_id` bigint(20) unsigned NOT NULL,
  `at` bigint(20) NOT NULL,
  `state` mediumtext NOT NULL,
  PRIMARY KEY (`server_id`),
  CONSTRAINT `host_states_server_id_foreign` FOREIGN KEY (`server_id`) REFERENCES `servers` (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `idempotent_requests` (
  `id` varchar(64) NOT NULL,
  `request_hash` varchar(64) NOT NULL,
  `owner` varchar(64) DEFAULT NULL,
  `lease_until` bigint(20) DEFAULT NULL,
  `status` int(11) DEFAULT NULL,
  `body` mediumtext DEFAULT NULL,
  `created_at` bigint(20) NOT NULL,
  PRIMARY KEY (`id`),
  KEY `idempotent_requests_created_at_index` (`created_at`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `jobs` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `server_id` bigint(20) unsigned NOT NULL,
  `server_name` varchar(255) NOT NULL,
  `job_type` varchar(64) NOT NULL,
  `lane` text NOT NULL,
  `lane_key` varchar(255) DEFAULT NULL,
  `status` varchar(32) NOT NULL,
  `params` mediumtext NOT NULL,
  `created_at` bigint(20) NOT NULL,
  `started_at` bigint(20) DEFAULT NULL,
  `finished_at` bigint(20) DEFAULT NULL,
  `current` text DEFAULT NULL,
  `percent` double DEFAULT NULL,
  `summary` text DEFAULT NULL,
  `scheduled` tinyint(4) NOT NULL,
  `requested_by` varchar(255) NOT NULL,
  `error_code` varchar(64) DEFAULT NULL,
  `error_detail` text DEFAULT NULL,
  `result` mediumtext DEFAULT NULL,
  `log_tail` mediumtext NOT NULL,
  `log_bytes` bigint(20) NOT NULL DEFAULT 0,
  `log_head_end` bigint(20) NOT NULL DEFAULT 0,
  `log_tail_start` bigint(20) NOT NULL DEFAULT 0,
  `owner` varchar(255) DEFAULT NULL,
  `lease_until` bigint(20) DEFAULT NULL,
  `fence` bigint(20) NOT NULL DEFAULT 0,
  `run_marker` text DEFAULT NULL,
  `cancel_requested_at` bigint(20) DEFAULT NULL,
  `plan_key` bigint(20) unsigned DEFAULT NULL,
  `requester_kind` varchar(16) DEFAULT NULL,
  `requester_id` bigint(20) DEFAULT NULL,
  `reason` varchar(500) DEFAULT NULL,
  `phases` mediumtext DEFAULT NULL,
  `next_try_at` bigint(20) DEFAULT NULL,
  `host_wait_since` bigint(20) DEFAULT NULL,
  `host_tries` int(11) NOT NULL DEFAULT 0,
  `group_uses` mediumtext DEFAULT NULL,
  PRIMARY KEY (`id`),
  CONSTRAINT `jobs_lane_held` CHECK (`status` in ('pending','running') = (`lane_key` is not null)),
  CONSTRAINT `jobs_owner_runs` CHECK (`status` = 'running' = (`owner` is not null)),
  CONSTRAINT `jobs_server_id_foreign` FOREIGN KEY (`server_id`) REFERENCES `servers` (`id`),
  KEY `jobs_job_type_id_index` (`job_type`,`id`),
  KEY `jobs_server_id_id_index` (`server_id`,`id`),
  KEY `jobs_server_id_status_id_index` (`server_id`,`status`,`id`),
  KEY `jobs_status_finished_at_gauge` (`status`,`finished_at`),
  KEY `jobs_status_id_index` (`status`,`id`),
  UNIQUE KEY `jobs_lane_key_unique` (`lane_key`),
  UNIQUE KEY `jobs_plan_key_unique` (`plan_key`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `job_log_chunks` (
  `job_id` bigint(20) unsigned NOT NULL,
  `position` bigint(20) NOT NULL,
  `at` bigint(20) NOT NULL,
  `content` mediumblob NOT NULL,
  PRIMARY KEY (`job_id`,`position`),
  CONSTRAINT `job_log_chunks_job_id_foreign` FOREIGN KEY (`job_id`) REFERENCES `jobs` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `leases` (
  `name` varchar(255) NOT NULL,
  `owner` varchar(255) NOT NULL,
  `until` bigint(20) NOT NULL,
  PRIMARY KEY (`name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `maintenance_windows` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `name` varchar(255) NOT NULL,
  `selector` mediumtext NOT NULL,
  `cron` varchar(255) NOT NULL,
  `time_zone` varchar(64) NOT NULL,
  `duration_ms` int(11) NOT NULL,
  `created_by` varchar(255) NOT NULL,
  `created_at` bigint(20) NOT NULL,
  `enabled` tinyint(4) NOT NULL DEFAULT 1,
  PRIMARY KEY (`id`),
  UNIQUE KEY `maintenance_windows_name_unique` (`name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `notifications` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `kind` varchar(64) NOT NULL,
  `subject_id` bigint(20) unsigned NOT NULL,
  `open_key` varchar(255) DEFAULT NULL,
  `variant` varchar(64) NOT NULL,
  `state` varchar(16) NOT NULL,
  `severity` varchar(16) NOT NULL,
  `muted` tinyint(4) NOT NULL,
  `title` text NOT NULL,
  `message` text NOT NULL,
  `server_id` bigint(20) unsigned DEFAULT NULL,
  `server_name` varchar(255) DEFAULT NULL,
  `job_id` bigint(20) unsigned DEFAULT NULL,
  `began_at` bigint(20) NOT NULL,
  `opened_at` bigint(20) DEFAULT NULL,
  `told_at` bigint(20) DEFAULT NULL,
  `acknowledged_at` bigint(20) DEFAULT NULL,
  `resolved_at` bigint(20) DEFAULT NULL,
  `acknowledged_by` varchar(255) DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `notifications_kind_state_id_index` (`kind`,`state`,`id`),
  KEY `notifications_kind_subject_id_state_index` (`kind`,`subject_id`,`state`),
  KEY `notifications_resolved_at_index` (`resolved_at`),
  KEY `notifications_server_id_state_muted_kind_index` (`server_id`,`state`,`muted`,`kind`),
  KEY `notifications_state_muted_kind_id_index` (`state`,`muted`,`kind`,`id`),
  UNIQUE KEY `notifications_open_key_unique` (`open_key`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `notification_mutes` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `kind` varchar(64) DEFAULT NULL,
  `server_id` bigint(20) unsigned DEFAULT NULL,
  `until` bigint(20) DEFAULT NULL,
  `created_by` varchar(255) NOT NULL,
  `created_at` bigint(20) NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `notification_policies` (
  `kind` varchar(64) NOT NULL,
  `debounce_ms` bigint(20) NOT NULL,
  `remind_ms` bigint(20) DEFAULT NULL,
  `severity` varchar(16) DEFAULT NULL,
  PRIMARY KEY (`kind`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `outbox_events` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `uid` varchar(36) NOT NULL,
  `type` varchar(64) NOT NULL,
  `severity` varchar(16) NOT NULL,
  `title` text NOT NULL,
  `message` text NOT NULL,
  `server_id` bigint(20) unsigned DEFAULT NULL,
  `job_id` bigint(20) unsigned DEFAULT NULL,
  `at` bigint(20) NOT NULL,
  `pending` tinyint(4) DEFAULT 1,
  `body` mediumtext DEFAULT NULL,
  `problem` varchar(255) DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `outbox_events_at_index` (`at`),
  KEY `outbox_events_pending_id_index` (`pending`,`id`),
  UNIQUE KEY `outbox_events_uid_unique` (`uid`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `package_versions` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `key_hash` varchar(64) NOT NULL,
  `system` varchar(80) NOT NULL,
  `name` varchar(200) NOT NULL,
  `version` varchar(200) NOT NULL,
  `source` varchar(200) NOT NULL,
  `source_version` varchar(200) NOT NULL,
  PRIMARY KEY (`id`),
  KEY `package_versions_system_name_index` (`system`,`name`),
  KEY `package_versions_system_source_index` (`system`,`source`),
  UNIQUE KEY `package_versions_key_hash_unique` (`key_hash`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `passkeys` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `user_id` bigint(20) unsigned NOT NULL,
  `name` varchar(255) NOT NULL,
  `credential_hash` varchar(64) NOT NULL,
  `credential_id` text NOT NULL,
  `public_key` text NOT NULL,
  `rp_id` varchar(255) NOT NULL,
  `counter` bigint(20) NOT NULL,
  `transports` mediumtext NOT NULL,
  `created_at` bigint(20) NOT NULL,
  `last_used_at` bigint(20) DEFAULT NULL,
  PRIMARY KEY (`id`),
  CONSTRAINT `passkeys_user_id_foreign` FOREIGN KEY (`user_id`) REFERENCES `users` (`id`),
  KEY `passkeys_user_id_index` (`user_id`),
  UNIQUE KEY `passkeys_credential_hash_unique` (`credential_hash`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `passkey_challenges` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `challenge_hash` varchar(64) NOT NULL,
  `purpose` varchar(16) NOT NULL,
  `bound_to` varchar(80) NOT NULL,
  `started_at` bigint(20) NOT NULL,
  PRIMARY KEY (`id`),
  KEY `passkey_challenges_bound_to_index` (`bound_to`),
  KEY `passkey_challenges_started_at_index` (`started_at`),
  UNIQUE KEY `passkey_challenges_challenge_hash_unique` (`challenge_hash`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `patch_policies` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `name` varchar(255) NOT NULL,
  `selector` mediumtext NOT NULL,
  `rules` mediumtext NOT NULL,
  `created_by` varchar(255) NOT NULL,
  `created_at` bigint(20) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `patch_policies_name_unique` (`name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `push_subscriptions` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `endpoint_hash` varchar(64) NOT NULL,
  `sealed_subscription` text NOT NULL,
  `owner_id` bigint(20) unsigned DEFAULT NULL,
  `events` mediumtext DEFAULT NULL,
  `min_severity` varchar(16) NOT NULL,
  `created_at` bigint(20) NOT NULL,
  `tags` mediumtext DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `push_subscriptions_owner_id_index` (`owner_id`),
  UNIQUE KEY `push_subscriptions_endpoint_hash_unique` (`endpoint_hash`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `recovery_codes` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `user_id` bigint(20) unsigned NOT NULL,
  `code_hash` varchar(64) NOT NULL,
  PRIMARY KEY (`id`),
  CONSTRAINT `recovery_codes_user_id_foreign` FOREIGN KEY (`user_id`) REFERENCES `users` (`id`) ON DELETE CASCADE,
  UNIQUE KEY `recovery_codes_user_id_code_hash_unique` (`user_id`,`code_hash`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `removed_snapshots` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `source_id` bigint(20) unsigned NOT NULL,
  `name` varchar(255) NOT NULL,
  `removed_at` bigint(20) NOT NULL,
  PRIMARY KEY (`id`),
  CONSTRAINT `removed_snapshots_source_id_foreign` FOREIGN KEY (`source_id`) REFERENCES `backup_sources` (`id`),
  UNIQUE KEY `removed_snapshots_source_id_name_unique` (`source_id`,`name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `replicas` (
  `owner` varchar(255) NOT NULL,
  `version` varchar(64) NOT NULL,
  `started_at` bigint(20) NOT NULL,
  `seen_at` bigint(20) NOT NULL,
  `key_ids` varchar(255) DEFAULT NULL,
  PRIMARY KEY (`owner`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `schedules` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `name` varchar(255) NOT NULL,
  `selector` mediumtext NOT NULL,
  `cron` varchar(255) NOT NULL,
  `time_zone` varchar(64) NOT NULL,
  `job_type` varchar(64) NOT NULL,
  `params` mediumtext NOT NULL,
  `max_parallel` int(11) NOT NULL,
  `canary` int(11) NOT NULL,
  `stop_after_failures` int(11) DEFAULT NULL,
  `jitter_ms` int(11) NOT NULL,
  `enabled` tinyint(4) NOT NULL,
  `require_approval` tinyint(4) NOT NULL,
  `handled_to` bigint(20) NOT NULL,
  `due_at` bigint(20) DEFAULT NULL,
  `revision` bigint(20) NOT NULL DEFAULT 0,
  `created_by` varchar(255) NOT NULL,
  `created_at` bigint(20) NOT NULL,
  `updated_at` bigint(20) NOT NULL,
  `owner_kind` varchar(16) DEFAULT NULL,
  `owner_id` bigint(20) DEFAULT NULL,
  `owner_name` varchar(255) DEFAULT NULL,
  `off_reason` text DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `schedules_due_at_index` (`due_at`),
  UNIQUE KEY `schedules_name_unique` (`name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `schedule_runs` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `schedule_id` bigint(20) unsigned NOT NULL,
  `slot_at` bigint(20) NOT NULL,
  `manual` tinyint(4) NOT NULL,
  `outcome` varchar(16) NOT NULL,
  `stamped_at` bigint(20) NOT NULL,
  `job_id` bigint(20) unsigned DEFAULT NULL,
  `batch_id` bigint(20) unsigned DEFAULT NULL,
  `code` varchar(64) DEFAULT NULL,
  `detail` text DEFAULT NULL,
  PRIMARY KEY (`id`),
  CONSTRAINT `schedule_runs_schedule_id_foreign` FOREIGN KEY (`schedule_id`) REFERENCES `schedules` (`id`) ON DELETE CASCADE,
  KEY `schedule_runs_outcome_stamped_at_index` (`outcome`,`stamped_at`),
  UNIQUE KEY `schedule_runs_schedule_id_slot_at_unique` (`schedule_id`,`slot_at`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `schema_migrations` (
  `id` int(10) unsigned NOT NULL AUTO_INCREMENT,
  `name` varchar(255) DEFAULT NULL,
  `batch` int(11) DEFAULT NULL,
  `migration_time` timestamp NULL DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

CREATE TABLE `schema_migrations_lock` (
  `index` int(10) unsigned NOT NULL AUTO_INCREMENT,
  `is_locked` int(11) DEFAULT NULL,
  PRIMARY KEY (`index`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

CREATE TABLE `servers` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `name` varchar(255) NOT NULL,
  `name_key` varchar(255) DEFAULT NULL,
  `lane_version` bigint(20) NOT NULL DEFAULT 0,
  `connection` varchar(16) NOT NULL,
  `hostname` varchar(255) NOT NULL,
  `ssh_port` int(11) NOT NULL,
  `ssh_username` varchar(255) NOT NULL,
  `ssh_key_id` bigint(20) unsigned DEFAULT NULL,
  `host_key_algorithm` varchar(64) DEFAULT NULL,
  `host_key_blob` text DEFAULT NULL,
  `host_key_fingerprint` varchar(128) DEFAULT NULL,
  `become` varchar(16) NOT NULL,
  `jump_server_id` bigint(20) unsigned DEFAULT NULL,
  `tags` mediumtext NOT NULL,
  `search_text` mediumtext NOT NULL,
  `feature_backup` tinyint(4) NOT NULL,
  `feature_os_patch` tinyint(4) NOT NULL,
  `feature_docker` tinyint(4) NOT NULL,
  `jail` text DEFAULT NULL,
  `os_type` text DEFAULT NULL,
  `os_id` text DEFAULT NULL,
  `os_pretty` text DEFAULT NULL,
  `arch` text DEFAULT NULL,
  `hardware` text DEFAULT NULL,
  `cpu_cores` int(11) DEFAULT NULL,
  `cpu_load` double DEFAULT NULL,
  `memory_total_bytes` bigint(20) DEFAULT NULL,
  `memory_used_bytes` bigint(20) DEFAULT NULL,
  `disk_total_bytes` bigint(20) DEFAULT NULL,
  `disk_used_bytes` bigint(20) DEFAULT NULL,
  `container_count` int(11) DEFAULT NULL,
  `last_seen_at` bigint(20) DEFAULT NULL,
  `os_updates_count` int(11) DEFAULT NULL,
  `security_updates_count` int(11) DEFAULT NULL,
  `container_updates_count` int(11) DEFAULT NULL,
  `reboot_pending` tinyint(4) DEFAULT NULL,
  `last_os_check_at` bigint(20) DEFAULT NULL,
  `last_container_check_at` bigint(20) DEFAULT NULL,
  `inventory_at` bigint(20) DEFAULT NULL,
  `last_backup_at` bigint(20) DEFAULT NULL,
  `created_at` bigint(20) NOT NULL,
  `updated_at` bigint(20) NOT NULL,
  `removed_at` bigint(20) DEFAULT NULL,
  `jail_deny` mediumtext DEFAULT NULL,
  `compose_dirs` mediumtext DEFAULT NULL,
  `last_verified_at` bigint(20) DEFAULT NULL,
  `contact_failed_since` bigint(20) DEFAULT NULL,
  `contact_error` varchar(64) DEFAULT NULL,
  `on_own_machine` tinyint(4) DEFAULT NULL,
  `disk_full_at` bigint(20) DEFAULT NULL,
  `disk_full_mount` varchar(255) DEFAULT NULL,
  `notes` mediumtext DEFAULT NULL,
  `os_version` text DEFAULT NULL,
  `support_ends_at` bigint(20) DEFAULT NULL,
  `update_checks` mediumtext DEFAULT NULL,
  PRIMARY KEY (`id`),
  CONSTRAINT `servers_jump_server_id_foreign` FOREIGN KEY (`jump_server_id`) REFERENCES `servers` (`id`),
  CONSTRAINT `servers_ssh_key_id_foreign` FOREIGN KEY (`ssh_key_id`) REFERENCES `ssh_keys` (`id`),
  KEY `servers_contact_failed_since_removed_at_gauge` (`contact_failed_since`,`removed_at`,`reboot_pending`,`security_updates_count`,`feature_backup`,`last_backup_at`),
  KEY `servers_container_updates_count_removed_at_gauge` (`container_updates_count`,`removed_at`),
  KEY `servers_disk_full_at_index` (`disk_full_at`),
  KEY `servers_feature_backup_last_backup_at_gauge` (`feature_backup`,`last_backup_at`,`removed_at`,`reboot_pending`,`security_updates_count`),
  KEY `servers_feature_backup_last_verified_at_gauge` (`feature_backup`,`last_verified_at`,`removed_at`),
  KEY `servers_feature_docker_last_container_check_at_gauge` (`feature_docker`,`last_container_check_at`,`removed_at`),
  KEY `servers_feature_os_patch_last_os_check_at_gauge` (`feature_os_patch`,`last_os_check_at`,`removed_at`),
  KEY `servers_jump_server_id_foreign` (`jump_server_id`),
  KEY `servers_last_seen_at_removed_at_gauge` (`last_seen_at`,`removed_at`,`reboot_pending`,`security_updates_count`,`feature_backup`,`last_backup_at`),
  KEY `servers_os_updates_count_removed_at_gauge` (`os_updates_count`,`removed_at`),
  KEY `servers_reboot_pending_removed_at_gauge` (`reboot_pending`,`removed_at`),
  KEY `servers_security_updates_count_removed_at_gauge` (`security_updates_count`,`removed_at`,`reboot_pending`),
  KEY `servers_ssh_key_id_foreign` (`ssh_key_id`),
  KEY `servers_support_ends_at_removed_at_index` (`support_ends_at`,`removed_at`),
  UNIQUE KEY `servers_name_key_unique` (`name_key`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `server_fixes` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `server_id` bigint(20) unsigned NOT NULL,
  `cve` varchar(32) NOT NULL,
  `advisory` varchar(100) NOT NULL,
  `system` varchar(80) NOT NULL,
  `package` varchar(200) NOT NULL,
  `version` varchar(200) NOT NULL,
  `fixed` varchar(200) NOT NULL,
  PRIMARY KEY (`id`),
  CONSTRAINT `server_fixes_server_id_foreign` FOREIGN KEY (`server_id`) REFERENCES `servers` (`id`),
  KEY `server_fixes_cve_index` (`cve`),
  KEY `server_fixes_server_id_index` (`server_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `server_inventories` (
  `server_id` bigint(20) unsigned NOT NULL,
  `at` bigint(20) NOT NULL,
  `inventory` mediumtext NOT NULL,
  PRIMARY KEY (`server_id`),
  CONSTRAINT `server_inventories_server_id_foreign` FOREIGN KEY (`server_id`) REFERENCES `servers` (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `server_packages` (
  `server_id` bigint(20) unsigned NOT NULL,
  `version_id` bigint(20) unsigned NOT NULL,
  PRIMARY KEY (`server_id`,`version_id`),
  CONSTRAINT `server_packages_server_id_foreign` FOREIGN KEY (`server_id`) REFERENCES `servers` (`id`),
  CONSTRAINT `server_packages_version_id_foreign` FOREIGN KEY (`version_id`) REFERENCES `package_versions` (`id`),
  KEY `server_packages_version_id_server_id_index` (`version_id`,`server_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `server_package_lists` (
  `server_id` bigint(20) unsigned NOT NULL,
  `digest` varchar(64) NOT NULL,
  PRIMARY KEY (`server_id`),
  CONSTRAINT `server_package_lists_server_id_foreign` FOREIGN KEY (`server_id`) REFERENCES `servers` (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `server_samples` (
  `server_id` bigint(20) unsigned NOT NULL,
  `step` varchar(8) NOT NULL,
  `step_at` bigint(20) NOT NULL,
  `at` bigint(20) NOT NULL,
  `cpu_load` double NOT NULL,
  `memory_total_bytes` bigint(20) NOT NULL,
  `memory_used_bytes` bigint(20) NOT NULL,
  `disks` text NOT NULL,
  `os_updates` int(11) DEFAULT NULL,
  `security_updates` int(11) DEFAULT NULL,
  `containers` int(11) DEFAULT NULL,
  `activity` text DEFAULT NULL,
  PRIMARY KEY (`server_id`,`step`,`step_at`),
  CONSTRAINT `server_samples_server_id_foreign` FOREIGN KEY (`server_id`) REFERENCES `servers` (`id`),
  KEY `server_samples_step_step_at_index` (`step`,`step_at`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `services` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `server_id` bigint(20) unsigned NOT NULL,
  `kind` varchar(16) NOT NULL,
  `label` varchar(255) NOT NULL,
  `severity` tinyint(4) NOT NULL,
  `message` text NOT NULL,
  `project` text DEFAULT NULL,
  `container` text DEFAULT NULL,
  `search_text` mediumtext NOT NULL,
  `checked_at` bigint(20) NOT NULL,
  PRIMARY KEY (`id`),
  CONSTRAINT `services_server_id_foreign` FOREIGN KEY (`server_id`) REFERENCES `servers` (`id`),
  KEY `services_severity_server_id_label_index` (`severity`,`server_id`,`label`),
  UNIQUE KEY `services_server_id_kind_label_unique` (`server_id`,`kind`,`label`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `sessions` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `secret_hash` varchar(64) NOT NULL,
  `user_id` bigint(20) unsigned NOT NULL,
  `stage` varchar(16) NOT NULL,
  `created_at` bigint(20) NOT NULL,
  `seen_at` bigint(20) NOT NULL,
  `confirmed_at` bigint(20) NOT NULL,
  `address` varchar(64) NOT NULL,
  `agent` varchar(255) NOT NULL,
  `device_id` bigint(20) DEFAULT NULL,
  `provider` varchar(32) DEFAULT NULL,
  `two_factors` tinyint(4) NOT NULL DEFAULT 0,
  PRIMARY KEY (`id`),
  CONSTRAINT `sessions_user_id_foreign` FOREIGN KEY (`user_id`) REFERENCES `users` (`id`) ON DELETE CASCADE,
  KEY `sessions_seen_at_index` (`seen_at`),
  KEY `sessions_user_id_foreign` (`user_id`),
  UNIQUE KEY `sessions_secret_hash_unique` (`secret_hash`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `settings` (
  `name` varchar(255) NOT NULL,
  `value` mediumtext NOT NULL,
  PRIMARY KEY (`name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `sign_in_devices` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `secret_hash` varchar(64) NOT NULL,
  `user_id` bigint(20) unsigned NOT NULL,
  `created_at` bigint(20) NOT NULL,
  `seen_at` bigint(20) NOT NULL,
  PRIMARY KEY (`id`),
  CONSTRAINT `sign_in_devices_user_id_foreign` FOREIGN KEY (`user_id`) REFERENCES `users` (`id`) ON DELETE CASCADE,
  KEY `sign_in_devices_seen_at_index` (`seen_at`),
  KEY `sign_in_devices_user_id_foreign` (`user_id`),
  UNIQUE KEY `sign_in_devices_secret_hash_user_id_unique` (`secret_hash`,`user_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `sign_in_throttles` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `subject` varchar(191) NOT NULL,
  `failures` int(11) NOT NULL,
  `next_at` bigint(20) NOT NULL,
  `last_at` bigint(20) NOT NULL,
  `reported_until` bigint(20) NOT NULL DEFAULT 0,
  PRIMARY KEY (`id`),
  KEY `sign_in_throttles_last_at_index` (`last_at`),
  UNIQUE KEY `sign_in_throttles_subject_unique` (`subject`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `snapshots` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `server_id` bigint(20) unsigned NOT NULL,
  `source_id` bigint(20) unsigned NOT NULL,
  `source_name` varchar(64) NOT NULL,
  `job_id` bigint(20) unsigned DEFAULT NULL,
  `engine` varchar(32) NOT NULL,
  `name` varchar(255) NOT NULL,
  `started_at` bigint(20) NOT NULL,
  `finished_at` bigint(20) NOT NULL,
  `file_count` bigint(20) NOT NULL,
  `total_bytes` bigint(20) NOT NULL,
  `transferred_bytes` bigint(20) NOT NULL,
  `vanished_count` bigint(20) NOT NULL,
  `manifest_sha256` varchar(64) NOT NULL,
  `last_verified_at` bigint(20) DEFAULT NULL,
  `held_until` bigint(20) DEFAULT NULL,
  `checked_at` bigint(20) DEFAULT NULL,
  `check_outcome` varchar(16) DEFAULT NULL,
  `check_files` bigint(20) DEFAULT NULL,
  `check_bytes` bigint(20) DEFAULT NULL,
  `check_detail` mediumtext DEFAULT NULL,
  `pinned_at` bigint(20) DEFAULT NULL,
  PRIMARY KEY (`id`),
  CONSTRAINT `snapshots_server_id_foreign` FOREIGN KEY (`server_id`) REFERENCES `servers` (`id`),
  CONSTRAINT `snapshots_source_id_foreign` FOREIGN KEY (`source_id`) REFERENCES `backup_sources` (`id`),
  KEY `snapshots_server_id_started_at_id_index` (`server_id`,`started_at`,`id`),
  KEY `snapshots_source_id_started_at_id_index` (`source_id`,`started_at`,`id`),
  UNIQUE KEY `snapshots_source_id_name_unique` (`source_id`,`name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `ssh_keys` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `name` varchar(255) NOT NULL,
  `algorithm` varchar(64) NOT NULL,
  `public_key` text NOT NULL,
  `fingerprint` varchar(128) NOT NULL,
  `sealed_private_key` text NOT NULL,
  `created_at` bigint(20) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `ssh_keys_name_unique` (`name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `sso_flows` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `secret_hash` varchar(64) NOT NULL,
  `provider` varchar(32) NOT NULL,
  `purpose` varchar(16) NOT NULL,
  `next` text NOT NULL,
  `started_at` bigint(20) NOT NULL,
  PRIMARY KEY (`id`),
  KEY `sso_flows_started_at_index` (`started_at`),
  UNIQUE KEY `sso_flows_secret_hash_unique` (`secret_hash`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `sso_providers` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `name` varchar(32) NOT NULL,
  `label` varchar(255) NOT NULL,
  `issuer` varchar(255) NOT NULL,
  `client_id` varchar(255) NOT NULL,
  `sealed_secret` text NOT NULL,
  `scopes` varchar(255) NOT NULL,
  `groups_claim` varchar(255) NOT NULL,
  `roles` mediumtext NOT NULL,
  `two_factor` varchar(16) NOT NULL,
  `allow_private` tinyint(4) NOT NULL,
  `enabled` tinyint(4) NOT NULL,
  `created_by` varchar(255) NOT NULL,
  `created_at` bigint(20) NOT NULL,
  `updated_at` bigint(20) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `sso_providers_name_unique` (`name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `templates` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `name` varchar(63) NOT NULL,
  `description` text NOT NULL,
  `version` int(11) NOT NULL,
  `variables` mediumtext NOT NULL,
  `files` mediumtext NOT NULL,
  `variable_count` int(11) NOT NULL,
  `file_count` int(11) NOT NULL,
  `created_by` varchar(255) NOT NULL,
  `created_at` bigint(20) NOT NULL,
  `updated_at` bigint(20) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `templates_name_unique` (`name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `template_deployments` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `server_id` bigint(20) unsigned NOT NULL,
  `directory` varchar(500) NOT NULL,
  `project` varchar(255) NOT NULL,
  `template_name` varchar(63) NOT NULL,
  `template_version` int(11) NOT NULL,
  `given` mediumtext NOT NULL,
  `secret_names` mediumtext NOT NULL,
  `sealed_secrets` mediumtext NOT NULL,
  `files` mediumtext NOT NULL,
  `job_id` bigint(20) unsigned NOT NULL,
  `deployed_at` bigint(20) NOT NULL,
  PRIMARY KEY (`id`),
  CONSTRAINT `template_deployments_server_id_foreign` FOREIGN KEY (`server_id`) REFERENCES `servers` (`id`),
  KEY `template_deployments_template_name_index` (`template_name`),
  UNIQUE KEY `template_deployments_server_id_directory_unique` (`server_id`,`directory`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `template_orders` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `server_id` bigint(20) unsigned NOT NULL,
  `names` mediumtext NOT NULL,
  `sealed_values` mediumtext NOT NULL,
  `created_at` bigint(20) NOT NULL,
  PRIMARY KEY (`id`),
  CONSTRAINT `template_orders_server_id_foreign` FOREIGN KEY (`server_id`) REFERENCES `servers` (`id`),
  KEY `template_orders_created_at_index` (`created_at`),
  KEY `template_orders_server_id_foreign` (`server_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `update_groups` (
  `tag` varchar(64) NOT NULL,
  `version` bigint(20) NOT NULL,
  PRIMARY KEY (`tag`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `users` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `name` varchar(64) NOT NULL,
  `role` varchar(32) NOT NULL,
  `password_hash` varchar(255) DEFAULT NULL,
  `totp_secret` varchar(512) DEFAULT NULL,
  `totp_step` bigint(20) NOT NULL DEFAULT 0,
  `created_by` varchar(255) NOT NULL,
  `created_at` bigint(20) NOT NULL,
  `last_login_at` bigint(20) DEFAULT NULL,
  `disabled_at` bigint(20) DEFAULT NULL,
  `sso_issuer` varchar(255) DEFAULT NULL,
  `sso_subject` varchar(255) DEFAULT NULL,
  `passkeys` int(11) NOT NULL DEFAULT 0,
  `tag_roles` mediumtext DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `users_name_unique` (`name`),
  UNIQUE KEY `users_sso_issuer_sso_subject_unique` (`sso_issuer`,`sso_subject`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `vulnerabilities` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `advisory` varchar(100) NOT NULL,
  `cve` varchar(32) NOT NULL,
  `system` varchar(80) NOT NULL,
  `package` varchar(200) NOT NULL,
  `introduced` varchar(200) NOT NULL,
  `fixed` varchar(200) DEFAULT NULL,
  `severity` varchar(16) DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `vulnerabilities_advisory_index` (`advisory`),
  KEY `vulnerabilities_cve_index` (`cve`),
  KEY `vulnerabilities_system_package_index` (`system`,`package`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `watched_services` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `server_id` bigint(20) unsigned NOT NULL,
  `directory` text NOT NULL,
  `service` text NOT NULL,
  `label` varchar(255) NOT NULL,
  `checks` int(11) NOT NULL,
  `restarts` mediumtext NOT NULL,
  `gave_up_at` bigint(20) DEFAULT NULL,
  PRIMARY KEY (`id`),
  CONSTRAINT `watched_services_server_id_foreign` FOREIGN KEY (`server_id`) REFERENCES `servers` (`id`),
  KEY `watched_services_server_id_index` (`server_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `webhooks` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `name` varchar(64) NOT NULL,
  `origin` varchar(16) NOT NULL,
  `sealed_url` text NOT NULL,
  `shown_url` text NOT NULL,
  `sealed_secret` text NOT NULL,
  `sealed_former_secret` text DEFAULT NULL,
  `former_until` bigint(20) DEFAULT NULL,
  `events` mediumtext DEFAULT NULL,
  `min_severity` varchar(16) NOT NULL,
  `enabled` tinyint(4) NOT NULL,
  `disabled_because` varchar(16) DEFAULT NULL,
  `disabled_at` bigint(20) DEFAULT NULL,
  `created_by` varchar(255) NOT NULL,
  `created_at` bigint(20) NOT NULL,
  `updated_at` bigint(20) NOT NULL,
  `tags` mediumtext DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `webhooks_name_unique` (`name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
