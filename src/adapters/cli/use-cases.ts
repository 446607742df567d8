import type { OfferSetup } from '../../application/accounts/account-links.ts';
import type { ManageUsers } from '../../application/accounts/manage-users.ts';
import type { TwoFactorPolicy } from '../../application/accounts/two-factor-policy.ts';
import type { ApprovalPlans } from '../../application/approvals/approval-plans.ts';
import type { ApproveRequest, RefuseRequest } from '../../application/approvals/decide-approval.ts';
import type { GetApproval, ListApprovals } from '../../application/approvals/list-approvals.ts';
import type { ListAudit } from '../../application/audit/list-audit.ts';
import type { VerifyAudit } from '../../application/audit/verify-audit.ts';
import type { ManageDumps } from '../../application/backup/manage-dumps.ts';
import type { PreviewExclusions } from '../../application/backup/preview-exclusions.ts';
import type { RequestDumpRestore } from '../../application/backup/request-dump-restore.ts';
import type { CancelBatch } from '../../application/cancel-batch.ts';
import type { CancelJob } from '../../application/cancel-job.ts';
import type { CheckRepository } from '../../application/check-repository.ts';
import type { CheckServer } from '../../application/check-server.ts';
import type { ConfirmHostKey, ScanHostKey } from '../../application/confirm-host-key.ts';
import type { EditToken } from '../../application/edit-token.ts';
import type { FollowBatch } from '../../application/follow-batch.ts';
import type { FollowJob } from '../../application/follow-job.ts';
import type { GetBatch, ListBatches } from '../../application/get-batch.ts';
import type { GetJob } from '../../application/get-job.ts';
import type { GetServer } from '../../application/get-server.ts';
import type { IssueToken } from '../../application/issue-token.ts';
import type { ListJobs } from '../../application/list-jobs.ts';
import type { ListNotifications } from '../../application/list-notifications.ts';
import type { GetSchedule, ListSchedules } from '../../application/list-schedules.ts';
import type { ListServers } from '../../application/list-servers.ts';
import type { GetSnapshot, ListSnapshots } from '../../application/list-snapshots.ts';
import type { ListWindows } from '../../application/list-windows.ts';
import type { ManageAlerts } from '../../application/manage-alerts.ts';
import type { ManageDeliveries } from '../../application/manage-deliveries.ts';
import type { ManageKeys } from '../../application/manage-keys.ts';
import type { ManageMasterKeys } from '../../application/manage-master-keys.ts';
import type { ManageRepositories } from '../../application/manage-repositories.ts';
import type { ManageSchedules } from '../../application/manage-schedules.ts';
import type { ManageSources } from '../../application/manage-sources.ts';
import type { GetToken, ListTokens, RevokeToken, RotateToken } from '../../application/manage-tokens.ts';
import type { ManageWebhooks } from '../../application/manage-webhooks.ts';
import type { ManageWindows } from '../../application/manage-windows.ts';
import type { EditServer, RegisterServer, RemoveServer } from '../../application/register-server.ts';
import type { RestoreSnapshot } from '../../application/restore-snapshot.ts';
import type { RunSchedule } from '../../application/run-schedule.ts';
import type { SetFeatures } from '../../application/set-features.ts';
import type { StartBatch } from '../../application/start-batch.ts';
import type {
  GetTemplate,
  ListDeployments,
  ListTemplates,
} from '../../application/templates/list-templates.ts';
import type { ManageTemplates } from '../../application/templates/manage-templates.ts';
import type { TriggerJob } from '../../application/trigger-job.ts';

/** The public side of a use case. */
type Driving<T extends { execute: unknown }> = Pick<T, 'execute'>;

/** All that the commands call. */
export interface CliUseCases {
  readonly listServers: Driving<ListServers>;
  readonly getServer: Driving<GetServer>;
  readonly registerServer: Driving<RegisterServer>;
  readonly editServer: Driving<EditServer>;
  readonly removeServer: Driving<RemoveServer>;
  readonly checkServer: Driving<CheckServer>;
  readonly scanHostKey: Driving<ScanHostKey>;
  readonly confirmHostKey: Driving<ConfirmHostKey>;
  readonly setFeatures: Driving<SetFeatures>;
  readonly manageKeys: Pick<ManageKeys, 'create' | 'import' | 'list' | 'findByName'>;
  readonly requestDumpRestore: Driving<RequestDumpRestore>;
  readonly manageDumps: Pick<ManageDumps, 'add' | 'list' | 'remove'>;
  readonly manageSources: Pick<ManageSources, 'add' | 'edit' | 'list' | 'remove'>;
  readonly previewExclusions: Driving<PreviewExclusions>;
  readonly manageRepositories: Pick<ManageRepositories, 'add' | 'list' | 'remove'>;
  readonly checkRepository: Driving<CheckRepository>;
  readonly triggerJob: Driving<TriggerJob>;
  readonly cancelJob: Driving<CancelJob>;
  readonly getJob: Driving<GetJob>;
  readonly listJobs: Driving<ListJobs>;
  readonly followJob: Driving<FollowJob>;
  readonly listAudit: Pick<ListAudit, 'execute' | 'export'>;
  readonly masterKeys: Pick<ManageMasterKeys, 'status' | 'create' | 'rotate' | 'retire'>;
  readonly verifyAudit: Driving<VerifyAudit>;
  readonly listApprovals: Driving<ListApprovals>;
  readonly getApproval: Driving<GetApproval>;
  readonly approvalPlans: Driving<ApprovalPlans>;
  readonly approveRequest: Driving<ApproveRequest>;
  readonly refuseRequest: Driving<RefuseRequest>;
  readonly startBatch: Driving<StartBatch>;
  readonly listBatches: Driving<ListBatches>;
  readonly getBatch: Driving<GetBatch>;
  readonly cancelBatch: Driving<CancelBatch>;
  readonly followBatch: Driving<FollowBatch>;
  readonly manageSchedules: Pick<ManageSchedules, 'add' | 'edit' | 'remove'>;
  readonly listSchedules: Driving<ListSchedules>;
  readonly getSchedule: Driving<GetSchedule>;
  readonly runSchedule: Driving<RunSchedule>;
  readonly manageWindows: Pick<ManageWindows, 'add' | 'enable' | 'remove'>;
  readonly listWindows: Driving<ListWindows>;
  readonly manageTemplates: Pick<ManageTemplates, 'read' | 'import' | 'remove'>;
  readonly listTemplates: Driving<ListTemplates>;
  readonly getTemplate: Pick<GetTemplate, 'byName'>;
  readonly listDeployments: Driving<ListDeployments>;
  readonly listNotifications: Driving<ListNotifications>;
  readonly manageAlerts: Pick<
    ManageAlerts,
    'acknowledge' | 'mute' | 'unmute' | 'mutes' | 'policies' | 'setPolicy'
  >;
  readonly manageWebhooks: Pick<ManageWebhooks, 'add' | 'list' | 'edit' | 'rotate' | 'setEnabled' | 'remove'>;
  readonly manageDeliveries: Pick<ManageDeliveries, 'list' | 'ping' | 'resend'>;
  readonly listSnapshots: Driving<ListSnapshots>;
  readonly getSnapshot: Driving<GetSnapshot>;
  readonly restoreSnapshot: Driving<RestoreSnapshot>;
  readonly issueToken: Driving<IssueToken>;
  readonly listTokens: Driving<ListTokens>;
  readonly getToken: Driving<GetToken>;
  readonly editToken: Driving<EditToken>;
  readonly rotateToken: Driving<RotateToken>;
  readonly revokeToken: Driving<RevokeToken>;
  readonly manageUsers: Pick<
    ManageUsers,
    'invite' | 'list' | 'get' | 'offerLink' | 'setRole' | 'disable' | 'enable' | 'removeSecondFactor'
  >;
  readonly twoFactorPolicy: Pick<TwoFactorPolicy, 'get' | 'set'>;
  readonly offerSetup: Driving<OfferSetup>;
}
