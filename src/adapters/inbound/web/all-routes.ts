import { type FileAreaDeps, fileAreaRoutes } from './file-areas.ts';
import { type AboutDeps, aboutRoutes } from './pages/about.tsx';
import { type AccountDeps, accountRoutes } from './pages/account.tsx';
import { type PolicyDeps, policyRoutes } from './pages/alert-policy.tsx';
import { type ApprovalDeps, approvalRoutes } from './pages/approvals.tsx';
import { type AuditDeps, auditRoutes } from './pages/audit.tsx';
import { type BatchDeps, batchRoutes } from './pages/batches.tsx';
import { deliveryRoutes } from './pages/delivery.tsx';
import { type JobHistoryDeps, jobHistoryRoutes } from './pages/job-history.tsx';
import { type JobDeps, jobRoutes } from './pages/jobs.tsx';
import { type NotificationDeps, notificationRoutes } from './pages/notifications.tsx';
import { offlineRoute } from './pages/offline.tsx';
import { type OverviewDeps, overviewRoutes } from './pages/overview.tsx';
import { type PushDeps, pushRoutes } from './pages/push.tsx';
import { type RepositoryDeps, repositoryRoutes } from './pages/repositories.tsx';
import { oneRepositoryRoutes } from './pages/repository.tsx';
import { type ScheduleDeps, scheduleRoutes } from './pages/schedules.tsx';
import { type ServerDeps, serverRoutes } from './pages/server.tsx';
import { type ServerActionDeps, serverActionRoutes } from './pages/server-actions.tsx';
import { type ServerFirstStepDeps, serverFirstStepRoutes } from './pages/server-first-steps.tsx';
import { type ServerNewDeps, serverNewRoutes } from './pages/server-new.tsx';
import { type ServerScheduleDeps, serverScheduleRoutes } from './pages/server-schedules.tsx';
import { type ServerSettingsDeps, serverSettingsRoutes } from './pages/server-settings.tsx';
import { type ServerSetupDeps, serverSetupRoutes } from './pages/server-setup.tsx';
import { type ServerSourceDeps, serverSourceRoutes } from './pages/server-sources.tsx';
import { type ServerListDeps, serverListRoutes } from './pages/servers.tsx';
import { type SettingsDeps, settingsRoutes } from './pages/settings.tsx';
import { type SignInDeps, signInRoutes } from './pages/sign-in.tsx';
import { type SshKeyDeps, sshKeyRoutes } from './pages/ssh-keys.tsx';
import { type StartJobDeps, startJobRoutes } from './pages/start-job.tsx';
import { type TemplateDeps, templateRoutes } from './pages/templates.tsx';
import { type OneTokenDeps, oneTokenRoutes } from './pages/token.tsx';
import { type TokenDeps, tokenRoutes } from './pages/tokens.tsx';
import { type UserDeps, userRoutes } from './pages/users.tsx';
import { oneWebhookRoutes } from './pages/webhook.tsx';
import { type WebhookDeps, webhookRoutes } from './pages/webhooks.tsx';
import { type WelcomeDeps, welcomeRoutes } from './pages/welcome.tsx';
import { type WindowDeps, windowRoutes } from './pages/windows.tsx';
import type { WebRoute } from './route.ts';

/** All that pages call. */
export type WebDeps = AboutDeps &
  AccountDeps &
  ApprovalDeps &
  AuditDeps &
  FileAreaDeps &
  JobDeps &
  NotificationDeps &
  OneTokenDeps &
  JobHistoryDeps &
  OverviewDeps &
  ServerActionDeps &
  ServerDeps &
  PolicyDeps &
  PushDeps &
  ServerFirstStepDeps &
  ServerListDeps &
  ServerNewDeps &
  ServerScheduleDeps &
  ServerSettingsDeps &
  ServerSetupDeps &
  ServerSourceDeps &
  RepositoryDeps &
  SettingsDeps &
  SignInDeps &
  StartJobDeps &
  BatchDeps &
  TemplateDeps &
  ScheduleDeps &
  WindowDeps &
  SshKeyDeps &
  TokenDeps &
  UserDeps &
  WebhookDeps &
  WelcomeDeps;

/** Every page and action. */
export const allRoutes = (deps: WebDeps): readonly WebRoute[] => [
  ...overviewRoutes(deps),
  ...serverListRoutes(deps),
  // Before the servers by their ids.
  ...serverNewRoutes(deps),
  ...serverRoutes(deps),
  ...serverActionRoutes(deps),
  ...serverSetupRoutes(deps),
  ...serverFirstStepRoutes(deps),
  ...serverSettingsRoutes(deps),
  ...serverSourceRoutes(deps),
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
  ...templateRoutes(deps),
  ...fileAreaRoutes(deps),
  ...tokenRoutes(deps),
  ...oneTokenRoutes(deps),
  ...notificationRoutes(deps),
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
  ...accountRoutes(deps),
  ...signInRoutes(deps),
  ...welcomeRoutes(deps),
  offlineRoute,
];
