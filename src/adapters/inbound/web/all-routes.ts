import { type AccountDeps, accountRoutes } from './pages/access/account.tsx';
import { type PasskeyDeps, passkeyRoutes } from './pages/access/passkeys.tsx';
import { type SignInDeps, signInRoutes } from './pages/access/sign-in.tsx';
import { type SsoDeps, ssoRoutes } from './pages/access/sso.tsx';
import { ssoProviderRoutes } from './pages/access/sso-provider.tsx';
import { type SsoSettingsDeps, ssoSettingsRoutes } from './pages/access/sso-settings.tsx';
import { type OneTokenDeps, oneTokenRoutes } from './pages/access/token.tsx';
import { type TokenDeps, tokenRoutes } from './pages/access/tokens.tsx';
import { type UserRolesDeps, userRoleRoutes } from './pages/access/user.tsx';
import { type UserDeps, userRoutes } from './pages/access/users.tsx';
import { type BatchDeps, batchRoutes } from './pages/automation/batches.tsx';
import { type PatchPolicyDeps, patchPolicyRoutes } from './pages/automation/policies.tsx';
import { type PolicyPreviewDeps, policyPreviewRoutes } from './pages/automation/policy-preview.tsx';
import { type ScheduleDeps, scheduleRoutes } from './pages/automation/schedules.tsx';
import { type ServerScheduleDeps, serverScheduleRoutes } from './pages/automation/server-schedules.tsx';
import { type WindowDeps, windowRoutes } from './pages/automation/windows.tsx';
import { type BackupDeps, backupRoutes } from './pages/backups/backups.tsx';
import { type RepositoryDeps, repositoryRoutes } from './pages/backups/repositories.tsx';
import { oneRepositoryRoutes } from './pages/backups/repository.tsx';
import { type ServerSourceDeps, serverSourceRoutes } from './pages/backups/server-sources.tsx';
import { type SnapshotDeps, snapshotRoutes } from './pages/backups/snapshots.tsx';
import type { SourceDumpDeps } from './pages/backups/source-dump-place.ts';
import { sourceDumpRoutes } from './pages/backups/source-dumps.ts';
import { type AboutDeps, aboutRoutes } from './pages/base/about.tsx';
import { type LiveCountDeps, liveCountRoutes } from './pages/base/live-counts.ts';
import { offlineRoute } from './pages/base/offline.tsx';
import { type SearchDeps, searchRoutes } from './pages/base/search.tsx';
import { type SettingsDeps, settingsRoutes } from './pages/base/settings.tsx';
import { type TemplateDeps, templateRoutes } from './pages/compose/templates.tsx';
import type { NotificationDeps } from './pages/events/alert-actions.ts';
import { type PolicyDeps, policyRoutes } from './pages/events/alert-policy.tsx';
import { type AuditDeps, auditRoutes } from './pages/events/audit.tsx';
import { oneChannelRoutes } from './pages/events/channel.tsx';
import { type ChannelDeps, channelRoutes } from './pages/events/channels.tsx';
import { deliveryRoutes } from './pages/events/delivery.tsx';
import { notificationRoutes } from './pages/events/notifications.tsx';
import { type PushDeps, pushRoutes } from './pages/events/push.tsx';
import { oneWebhookRoutes } from './pages/events/webhook.tsx';
import { type WebhookDeps, webhookRoutes } from './pages/events/webhooks.tsx';
import { editFileRoutes } from './pages/files/edit-file.tsx';
import { type FileDeps, fileRoutes } from './pages/files/files.tsx';
import { type HostFileDeps, hostFileRoutes } from './pages/files/host-files.tsx';
import { type PrivilegedFileDeps, privilegedFileRoutes } from './pages/files/privileged-files.tsx';
import { type HostChangeDeps, hostChangeRoutes } from './pages/fleet/host-changes.tsx';
import { type OverviewDeps, overviewRoutes } from './pages/fleet/overview.tsx';
import { type PackageDeps, packageRoutes } from './pages/fleet/packages.tsx';
import { type ServerDeps, serverRoutes } from './pages/fleet/server.tsx';
import { type ServerActionDeps, serverActionRoutes } from './pages/fleet/server-actions.tsx';
import { type ServerNewDeps, serverNewRoutes } from './pages/fleet/server-new.tsx';
import { type ServerSettingsDeps, serverSettingsRoutes } from './pages/fleet/server-settings.tsx';
import { type ServerSetupDeps, serverSetupRoutes } from './pages/fleet/server-setup.tsx';
import { type ServerTagDeps, serverTagRoutes } from './pages/fleet/server-tags.tsx';
import { type ServerListDeps, serverListRoutes } from './pages/fleet/servers.tsx';
import { type SshKeyDeps, sshKeyRoutes } from './pages/fleet/ssh-keys.tsx';
import { type TagDeps, tagRoutes } from './pages/fleet/tags.tsx';
import { type WelcomeDeps, welcomeRoutes } from './pages/fleet/welcome.tsx';
import { type ApprovalDeps, approvalRoutes } from './pages/jobs/approvals.tsx';
import { type JobHistoryDeps, jobHistoryRoutes } from './pages/jobs/job-history.tsx';
import { type JobDeps, jobRoutes } from './pages/jobs/jobs.tsx';
import { type StartJobDeps, startJobRoutes } from './pages/jobs/start-job.tsx';
import type { WebRoute } from './route.ts';

/** All that pages call. */
export type WebDeps = AboutDeps &
  AccountDeps &
  ApprovalDeps &
  AuditDeps &
  FileAreaDeps &
  HostChangeDeps &
  PackageDeps &
  JobDeps &
  NotificationDeps &
  OneTokenDeps &
  JobHistoryDeps &
  OverviewDeps &
  ServerActionDeps &
  ServerDeps &
  PolicyDeps &
  PushDeps &
  ServerListDeps &
  ServerNewDeps &
  ServerScheduleDeps &
  ServerSettingsDeps &
  ServerSetupDeps &
  ServerSourceDeps &
  ServerTagDeps &
  TagDeps &
  SourceDumpDeps &
  RepositoryDeps &
  SearchDeps &
  SettingsDeps &
  SignInDeps &
  PasskeyDeps &
  SsoDeps &
  SsoSettingsDeps &
  StartJobDeps &
  BatchDeps &
  ChannelDeps &
  TemplateDeps &
  ScheduleDeps &
  WindowDeps &
  PatchPolicyDeps &
  PolicyPreviewDeps &
  SshKeyDeps &
  TokenDeps &
  UserDeps &
  UserRolesDeps &
  WebhookDeps &
  WelcomeDeps &
  LiveCountDeps;

/** Every page and action. */
export const allRoutes = (deps: WebDeps): readonly WebRoute[] => [
  ...overviewRoutes(deps),
  ...searchRoutes(deps),
  ...liveCountRoutes(deps),
  ...serverListRoutes(deps),
  ...hostChangeRoutes(deps),
  ...packageRoutes(deps),
  // Before the servers by their ids.
  ...serverNewRoutes(deps),
  ...serverRoutes(deps),
  ...serverActionRoutes(deps),
  ...serverSetupRoutes(deps),
  ...serverSettingsRoutes(deps),
  ...serverSourceRoutes(deps),
  ...serverTagRoutes(deps),
  ...tagRoutes(deps),
  ...sourceDumpRoutes(deps),
  ...serverScheduleRoutes(deps),
  ...jobHistoryRoutes(deps),
  ...jobRoutes(deps),
  ...approvalRoutes(deps),
  ...auditRoutes(deps),
  ...settingsRoutes(deps),
  ...startJobRoutes(deps),
  ...batchRoutes(deps),
  ...scheduleRoutes(deps),
  ...windowRoutes(deps),
  ...patchPolicyRoutes(deps),
  ...policyPreviewRoutes(deps),
  ...templateRoutes(deps),
  ...fileAreaRoutes(deps),
  ...tokenRoutes(deps),
  ...oneTokenRoutes(deps),
  ...notificationRoutes(deps),
  ...channelRoutes(deps),
  ...oneChannelRoutes(deps),
  ...webhookRoutes(deps),
  ...oneWebhookRoutes(deps),
  ...deliveryRoutes(deps),
  ...policyRoutes(deps),
  ...pushRoutes(deps),
  ...repositoryRoutes(deps),
  ...oneRepositoryRoutes(deps),
  ...sshKeyRoutes(deps),
  ...aboutRoutes(deps),
  ...userRoutes(deps),
  ...userRoleRoutes(deps),
  ...accountRoutes(deps),
  ...passkeyRoutes(deps),
  ...signInRoutes(deps),
  ...ssoRoutes(deps),
  ...ssoSettingsRoutes(deps),
  ...ssoProviderRoutes(deps),
  ...welcomeRoutes(deps),
  offlineRoute,
];

type FileAreaDeps = BackupDeps & FileDeps & HostFileDeps & PrivilegedFileDeps & SnapshotDeps;

/** Files as they are and as they were. */
const fileAreaRoutes = (deps: FileAreaDeps): readonly WebRoute[] => [
  ...backupRoutes(deps),
  ...snapshotRoutes(deps),
  ...fileRoutes(deps),
  ...editFileRoutes(deps),
  ...privilegedFileRoutes(deps),
  ...hostFileRoutes(deps),
];
