import type { OfferSetup } from '../../../application/access/account-links.ts';
import type { EditToken } from '../../../application/access/edit-token.ts';
import type { IssueToken } from '../../../application/access/issue-token.ts';
import type {
  GetToken,
  ListTokens,
  RevokeToken,
  RotateToken,
} from '../../../application/access/manage-tokens.ts';
import type { ManageUsers } from '../../../application/access/manage-users.ts';
import type { TwoFactorPolicy } from '../../../application/access/two-factor-policy.ts';
import type { CancelBatch } from '../../../application/automation/cancel-batch.ts';
import type { FollowBatch } from '../../../application/automation/follow-batch.ts';
import type { GetBatch, ListBatches } from '../../../application/automation/get-batch.ts';
import type { GetSchedule, ListSchedules } from '../../../application/automation/list-schedules.ts';
import type { ListWindows } from '../../../application/automation/list-windows.ts';
import type { ManageSchedules } from '../../../application/automation/manage-schedules.ts';
import type { ManageWindows } from '../../../application/automation/manage-windows.ts';
import type { RunSchedule } from '../../../application/automation/run-schedule.ts';
import type { StartBatch } from '../../../application/automation/start-batch.ts';
import type { CheckRepository } from '../../../application/backups/check-repository.ts';
import type { GetSnapshot, ListSnapshots } from '../../../application/backups/list-snapshots.ts';
import type { ManageDumps } from '../../../application/backups/manage-dumps.ts';
import type { ManageRepositories } from '../../../application/backups/manage-repositories.ts';
import type { ManageSources } from '../../../application/backups/manage-sources.ts';
import type { PreviewExclusions } from '../../../application/backups/preview-exclusions.ts';
import type { RequestDumpRestore } from '../../../application/backups/request-dump-restore.ts';
import type { RestoreSnapshot } from '../../../application/backups/restore-snapshot.ts';
import type {
  GetTemplate,
  ListDeployments,
  ListTemplates,
} from '../../../application/compose/list-templates.ts';
import type { ManageTemplates } from '../../../application/compose/manage-templates.ts';
import type { ListAudit } from '../../../application/events/list-audit.ts';
import type { ListNotifications } from '../../../application/events/list-notifications.ts';
import type { ManageAlerts } from '../../../application/events/manage-alerts.ts';
import type { ManageDeliveries } from '../../../application/events/manage-deliveries.ts';
import type { ManageWebhooks } from '../../../application/events/manage-webhooks.ts';
import type { VerifyAudit } from '../../../application/events/verify-audit.ts';
import type { CheckServer } from '../../../application/fleet/check-server.ts';
import type { ConfirmHostKey, ScanHostKey } from '../../../application/fleet/confirm-host-key.ts';
import type { GetInventory } from '../../../application/fleet/get-inventory.ts';
import type { GetOverview } from '../../../application/fleet/get-overview.ts';
import type { GetServer } from '../../../application/fleet/get-server.ts';
import type { ListServers } from '../../../application/fleet/list-servers.ts';
import type { ManageKeys } from '../../../application/fleet/manage-keys.ts';
import type { EditServer, RegisterServer, RemoveServer } from '../../../application/fleet/register-server.ts';
import type { SetFeatures } from '../../../application/fleet/set-features.ts';
import type { ApprovalPlans } from '../../../application/jobs/approval-plans.ts';
import type { CancelJob } from '../../../application/jobs/cancel-job.ts';
import type { ApproveRequest, RefuseRequest } from '../../../application/jobs/decide-approval.ts';
import type { FollowJob } from '../../../application/jobs/follow-job.ts';
import type { GetJob } from '../../../application/jobs/get-job.ts';
import type { GetApproval, ListApprovals } from '../../../application/jobs/list-approvals.ts';
import type { ListJobs } from '../../../application/jobs/list-jobs.ts';
import type { ReadJobLog } from '../../../application/jobs/read-job-log.ts';
import type { TriggerJob } from '../../../application/jobs/trigger-job.ts';
import type { DescribeService } from '../../../application/service/describe-service.ts';
import type { ManageMasterKeys } from '../../../application/service/manage-master-keys.ts';

/** The public side of a use case. */
type Driving<T extends { execute: unknown }> = Pick<T, 'execute'>;

/** All that the commands call. */
export interface CliUseCases {
  readonly listServers: Driving<ListServers>;
  readonly getServer: Driving<GetServer>;
  readonly getInventory: Driving<GetInventory>;
  readonly registerServer: Driving<RegisterServer>;
  readonly editServer: Driving<EditServer>;
  readonly removeServer: Driving<RemoveServer>;
  readonly checkServer: Driving<CheckServer>;
  readonly scanHostKey: Pick<ScanHostKey, 'execute' | 'beforeAdding'>;
  readonly confirmHostKey: Driving<ConfirmHostKey>;
  readonly setFeatures: Driving<SetFeatures>;
  readonly manageKeys: Pick<ManageKeys, 'create' | 'import' | 'list' | 'findByName' | 'remove'>;
  readonly requestDumpRestore: Driving<RequestDumpRestore>;
  readonly manageDumps: Pick<ManageDumps, 'add' | 'edit' | 'list' | 'ofServer' | 'remove'>;
  readonly manageSources: Pick<ManageSources, 'add' | 'edit' | 'list' | 'remove'>;
  readonly previewExclusions: Driving<PreviewExclusions>;
  readonly manageRepositories: Pick<ManageRepositories, 'add' | 'list' | 'remove'>;
  readonly checkRepository: Driving<CheckRepository>;
  readonly triggerJob: Driving<TriggerJob>;
  readonly cancelJob: Driving<CancelJob>;
  readonly getJob: Driving<GetJob>;
  readonly listJobs: Driving<ListJobs>;
  readonly followJob: Driving<FollowJob>;
  readonly readJobLog: Pick<ReadJobLog, 'text'>;
  readonly getOverview: Driving<GetOverview>;
  readonly describeService: Driving<DescribeService>;
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
  readonly manageWindows: Pick<ManageWindows, 'add' | 'edit' | 'enable' | 'remove'>;
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
