import { TakeUpLink } from '../../application/access/account-links.ts';
import { EditToken } from '../../application/access/edit-token.ts';
import { ForwardAuth } from '../../application/access/forward-auth.ts';
import { IssueToken } from '../../application/access/issue-token.ts';
import { LinkIdentity } from '../../application/access/link-identity.ts';
import { ManageSso } from '../../application/access/manage-sso.ts';
import { GetToken, ListTokens, RevokeToken, RotateToken } from '../../application/access/manage-tokens.ts';
import { ManageUsers } from '../../application/access/manage-users.ts';
import { OwnAccount } from '../../application/access/own-account.ts';
import { OwnPasskeys } from '../../application/access/own-passkeys.ts';
import { PasskeySignIn } from '../../application/access/passkey-sign-in.ts';
import { RequireSso } from '../../application/access/require-sso.ts';
import {
  ConfirmPassword,
  GiveCode,
  ManageSessions,
  ResumeSession,
} from '../../application/access/sessions.ts';
import { SignIn } from '../../application/access/sign-in.ts';
import { SsoSignIn } from '../../application/access/sso-sign-in.ts';
import { TryToken } from '../../application/access/try-token.ts';
import { TwoFactorPolicy } from '../../application/access/two-factor-policy.ts';
import { CancelBatch } from '../../application/automation/cancel-batch.ts';
import { GetBatch, ListBatches } from '../../application/automation/get-batch.ts';
import { GetSchedule, ListSchedules } from '../../application/automation/list-schedules.ts';
import { ListWindows } from '../../application/automation/list-windows.ts';
import { ManageSchedules } from '../../application/automation/manage-schedules.ts';
import { ManageWindows } from '../../application/automation/manage-windows.ts';
import { NightlyBackup } from '../../application/automation/nightly-backup.ts';
import { PatchPolicies } from '../../application/automation/patch-policies.ts';
import { PreviewTimes } from '../../application/automation/preview-times.ts';
import { PreviewUpdates } from '../../application/automation/preview-updates.ts';
import { RunSchedule } from '../../application/automation/run-schedule.ts';
import { StartBatch } from '../../application/automation/start-batch.ts';
import { BrowseSnapshot } from '../../application/backups/browse-snapshot.ts';
import { CheckSource } from '../../application/backups/check-source.ts';
import { CompareWithServer } from '../../application/backups/compare-with-server.ts';
import { ListFleetBackups } from '../../application/backups/list-fleet-backups.ts';
import { ListSnapshotDumps } from '../../application/backups/list-snapshot-dumps.ts';
import { ListSnapshots } from '../../application/backups/list-snapshots.ts';
import { ManageDumps } from '../../application/backups/manage-dumps.ts';
import { ManageRepositories } from '../../application/backups/manage-repositories.ts';
import { ManageSnapshots } from '../../application/backups/manage-snapshots.ts';
import { ManageSources } from '../../application/backups/manage-sources.ts';
import { PreviewExclusions } from '../../application/backups/preview-exclusions.ts';
import { PreviewRetention } from '../../application/backups/preview-retention.ts';
import { RepositoryChecks } from '../../application/backups/repository-checks.ts';
import { RequestDumpRestore } from '../../application/backups/request-dump-restore.ts';
import { RequestRestore } from '../../application/backups/request-restore.ts';
import { SnapshotFiles } from '../../application/backups/snapshot-files.ts';
import { GetTemplate, ListDeployments, ListTemplates } from '../../application/compose/list-templates.ts';
import { ManageTemplates } from '../../application/compose/manage-templates.ts';
import { ReadContainerLog } from '../../application/compose/read-container-log.ts';
import { ListAudit } from '../../application/events/list-audit.ts';
import { ListNotifications } from '../../application/events/list-notifications.ts';
import { ManageAlerts } from '../../application/events/manage-alerts.ts';
import { ManageChannels } from '../../application/events/manage-channels.ts';
import { ManageDeliveries } from '../../application/events/manage-deliveries.ts';
import { ManagePush } from '../../application/events/manage-push.ts';
import { ManageWebhooks } from '../../application/events/manage-webhooks.ts';
import { RecordReads } from '../../application/events/record-reads.ts';
import { WeeklyReports } from '../../application/events/weekly-reports.ts';
import { CheckText } from '../../application/files/check-text.ts';
import { JailFileOps } from '../../application/files/jail-file-ops.ts';
import { PrivilegedFileOps } from '../../application/files/privileged-file-ops.ts';
import { CheckServer } from '../../application/fleet/check-server.ts';
import { ConfirmHostKey, ScanHostKey } from '../../application/fleet/confirm-host-key.ts';
import { CountForNavigation } from '../../application/fleet/count-for-navigation.ts';
import { FindCve } from '../../application/fleet/find-cve.ts';
import { GetFleetDays } from '../../application/fleet/fleet-days.ts';
import { GetInventory } from '../../application/fleet/get-inventory.ts';
import { GetOverview } from '../../application/fleet/get-overview.ts';
import { GetServer } from '../../application/fleet/get-server.ts';
import { GetServerHistory } from '../../application/fleet/get-server-history.ts';
import { ListCves } from '../../application/fleet/list-cves.ts';
import { ListHostChanges } from '../../application/fleet/list-host-changes.ts';
import { ListPackages } from '../../application/fleet/list-packages.ts';
import { ListServers } from '../../application/fleet/list-servers.ts';
import { ListServices } from '../../application/fleet/list-services.ts';
import { ListUpdateCves } from '../../application/fleet/list-update-cves.ts';
import { LookAtHost } from '../../application/fleet/look-at-host.ts';
import { ManageKeys } from '../../application/fleet/manage-keys.ts';
import { ManageTags } from '../../application/fleet/manage-tags.ts';
import { EditServer, RegisterServer, RemoveServer } from '../../application/fleet/register-server.ts';
import { RequestDowngrade } from '../../application/fleet/request-downgrade.ts';
import { SearchPackages } from '../../application/fleet/search-packages.ts';
import { SetFeatures } from '../../application/fleet/set-features.ts';
import { SurveyData } from '../../application/fleet/survey-data.ts';
import { ApprovalPlans } from '../../application/jobs/approval-plans.ts';
import { ApprovalRules } from '../../application/jobs/approval-rules.ts';
import { CancelJob } from '../../application/jobs/cancel-job.ts';
import { ApproveRequest, RefuseRequest } from '../../application/jobs/decide-approval.ts';
import { FollowJob } from '../../application/jobs/follow-job.ts';
import { GetJob } from '../../application/jobs/get-job.ts';
import { GetJobDays } from '../../application/jobs/job-days.ts';
import { GetApproval, ListApprovals } from '../../application/jobs/list-approvals.ts';
import { ListJobs } from '../../application/jobs/list-jobs.ts';
import { ReadJobLog } from '../../application/jobs/read-job-log.ts';
import { ListStartableJobs } from '../../application/jobs/startable-jobs.ts';
import { TriggerJob } from '../../application/jobs/trigger-job.ts';
import { DefaultTimeZone } from '../../application/service/default-time-zone.ts';
import { DescribeService } from '../../application/service/describe-service.ts';

/** The use cases of the web UI, by name. */
export const PAGE_USE_CASES = {
  approvalPlans: ApprovalPlans,
  approvalRules: ApprovalRules,
  approveRequest: ApproveRequest,
  browseSnapshot: BrowseSnapshot,
  cancelBatch: CancelBatch,
  cancelJob: CancelJob,
  checkServer: CheckServer,
  checkSource: CheckSource,
  compareWithServer: CompareWithServer,
  confirmHostKey: ConfirmHostKey,
  confirmPassword: ConfirmPassword,
  countForNavigation: CountForNavigation,
  describeService: DescribeService,
  editServer: EditServer,
  editToken: EditToken,
  followJob: FollowJob,
  getApproval: GetApproval,
  getBatch: GetBatch,
  getFleetDays: GetFleetDays,
  getInventory: GetInventory,
  getJob: GetJob,
  getJobDays: GetJobDays,
  getOverview: GetOverview,
  getSchedule: GetSchedule,
  getServer: GetServer,
  getServerHistory: GetServerHistory,
  getTemplate: GetTemplate,
  getToken: GetToken,
  giveCode: GiveCode,
  issueToken: IssueToken,
  checkText: CheckText,
  defaultTimeZone: DefaultTimeZone,
  jailFileOps: JailFileOps,
  listApprovals: ListApprovals,
  linkIdentity: LinkIdentity,
  listAudit: ListAudit,
  recordReads: RecordReads,
  listHostChanges: ListHostChanges,
  searchPackages: SearchPackages,
  findCve: FindCve,
  listCves: ListCves,
  listPackages: ListPackages,
  listUpdateCves: ListUpdateCves,
  listBatches: ListBatches,
  listDeployments: ListDeployments,
  listFleetBackups: ListFleetBackups,
  listJobs: ListJobs,
  listNotifications: ListNotifications,
  listSchedules: ListSchedules,
  listServers: ListServers,
  listServices: ListServices,
  listSnapshotDumps: ListSnapshotDumps,
  listSnapshots: ListSnapshots,
  listStartableJobs: ListStartableJobs,
  listTemplates: ListTemplates,
  listTokens: ListTokens,
  listWindows: ListWindows,
  lookAtHost: LookAtHost,
  manageAlerts: ManageAlerts,
  manageChannels: ManageChannels,
  manageDeliveries: ManageDeliveries,
  manageDumps: ManageDumps,
  manageKeys: ManageKeys,
  managePush: ManagePush,
  manageRepositories: ManageRepositories,
  manageSchedules: ManageSchedules,
  manageSessions: ManageSessions,
  manageSnapshots: ManageSnapshots,
  manageSources: ManageSources,
  manageTemplates: ManageTemplates,
  manageUsers: ManageUsers,
  manageWebhooks: ManageWebhooks,
  manageTags: ManageTags,
  manageWindows: ManageWindows,
  nightlyBackup: NightlyBackup,
  ownAccount: OwnAccount,
  ownPasskeys: OwnPasskeys,
  passkeySignIn: PasskeySignIn,
  patchPolicies: PatchPolicies,
  previewExclusions: PreviewExclusions,
  previewRetention: PreviewRetention,
  previewTimes: PreviewTimes,
  previewUpdates: PreviewUpdates,
  privilegedFileOps: PrivilegedFileOps,
  readContainerLog: ReadContainerLog,
  readJobLog: ReadJobLog,
  refuseRequest: RefuseRequest,
  registerServer: RegisterServer,
  removeServer: RemoveServer,
  repositoryChecks: RepositoryChecks,
  requestDowngrade: RequestDowngrade,
  requestDumpRestore: RequestDumpRestore,
  requestRestore: RequestRestore,
  resumeSession: ResumeSession,
  revokeToken: RevokeToken,
  rotateToken: RotateToken,
  runSchedule: RunSchedule,
  scanHostKey: ScanHostKey,
  setFeatures: SetFeatures,
  signIn: SignIn,
  ssoSignIn: SsoSignIn,
  forwardAuth: ForwardAuth,
  manageSso: ManageSso,
  requireSso: RequireSso,
  snapshotFiles: SnapshotFiles,
  startBatch: StartBatch,
  surveyData: SurveyData,
  takeUpLink: TakeUpLink,
  triggerJob: TriggerJob,
  tryToken: TryToken,
  twoFactorPolicy: TwoFactorPolicy,
  weeklyReports: WeeklyReports,
};
