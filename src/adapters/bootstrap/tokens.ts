import type { OfferPasswordLink, OfferSetup, TakeUpLink } from '../../application/accounts/account-links.ts';
import type { ForgetSignIns } from '../../application/accounts/forget-sign-ins.ts';
import type { KnownDevices } from '../../application/accounts/known-devices.ts';
import type { ManageUsers } from '../../application/accounts/manage-users.ts';
import type { OwnAccount } from '../../application/accounts/own-account.ts';
import type { PasswordRules } from '../../application/accounts/password-rules.ts';
import type { SecondFactor } from '../../application/accounts/second-factor.ts';
import type {
  ConfirmPassword,
  GiveCode,
  ManageSessions,
  ResumeSession,
} from '../../application/accounts/sessions.ts';
import type { SignIn } from '../../application/accounts/sign-in.ts';
import type { SignInTries } from '../../application/accounts/sign-in-tries.ts';
import type { TwoFactorPolicy } from '../../application/accounts/two-factor-policy.ts';
import type { AdvanceBatches } from '../../application/advance-batches.ts';
import type { AnswerOnce } from '../../application/answer-once.ts';
import type {
  ApplyEnvironmentWebhook,
  EnvironmentWebhook,
} from '../../application/apply-environment-webhook.ts';
import type { ApprovalPlans } from '../../application/approvals/approval-plans.ts';
import type { ApproveRequest, RefuseRequest } from '../../application/approvals/decide-approval.ts';
import type { ExpireApprovals } from '../../application/approvals/expire-approvals.ts';
import type { GetApproval, ListApprovals } from '../../application/approvals/list-approvals.ts';
import type { ListAudit } from '../../application/audit/list-audit.ts';
import type { PruneAudit } from '../../application/audit/prune-audit.ts';
import type { SealAudit } from '../../application/audit/seal-audit.ts';
import type { VerifyAudit } from '../../application/audit/verify-audit.ts';
import type { RefusalAuditor } from '../../application/audit-refusals.ts';
import type { Authenticate } from '../../application/authenticate.ts';
import type { DumpRestoreRunner } from '../../application/backup/dump-restore-runner.ts';
import type { ManageDumps } from '../../application/backup/manage-dumps.ts';
import type { PreviewExclusions } from '../../application/backup/preview-exclusions.ts';
import type { RequestDumpRestore } from '../../application/backup/request-dump-restore.ts';
import type { SourceDumps } from '../../application/backup/source-dumps.ts';
import type { SourceHooks } from '../../application/backup/source-hooks.ts';
import type { BrowseSnapshot } from '../../application/browse-snapshot.ts';
import type { CancelBatch } from '../../application/cancel-batch.ts';
import type { CancelJob } from '../../application/cancel-job.ts';
import type { CheckReadiness } from '../../application/check-readiness.ts';
import type { CheckRepository } from '../../application/check-repository.ts';
import type { CheckServer } from '../../application/check-server.ts';
import type { ClaimJobs } from '../../application/claim-jobs.ts';
import type { ConfirmHostKey, ScanHostKey } from '../../application/confirm-host-key.ts';
import type { ContactLog } from '../../application/contact-log.ts';
import type { DeliverMessages } from '../../application/deliver-messages.ts';
import type { DescribeService } from '../../application/describe-service.ts';
import type { EditToken } from '../../application/edit-token.ts';
import type { EnrolThisMachine } from '../../application/enrol-this-machine.ts';
import type { FollowBatch } from '../../application/follow-batch.ts';
import type { FollowJob } from '../../application/follow-job.ts';
import type { ForgetEvents } from '../../application/forget-events.ts';
import type { ForgetHistory } from '../../application/forget-history.ts';
import type { ForgetRequests } from '../../application/forget-requests.ts';
import type { GetBatch, ListBatches } from '../../application/get-batch.ts';
import type { GetHealth } from '../../application/get-health.ts';
import type { GetInventory } from '../../application/get-inventory.ts';
import type { GetJob } from '../../application/get-job.ts';
import type { GetOverview } from '../../application/get-overview.ts';
import type { GetServer } from '../../application/get-server.ts';
import type { GetSummary } from '../../application/get-summary.ts';
import type { HandOutEvents } from '../../application/hand-out-events.ts';
import type { HostOpener } from '../../application/host-opener.ts';
import type { IssueToken } from '../../application/issue-token.ts';
import type { JailAccess } from '../../application/jail-access.ts';
import type { JailFileOps } from '../../application/jail-file-ops.ts';
import type { JailSweep } from '../../application/jail-sweep.ts';
import type { JobWakeup } from '../../application/job-wakeup.ts';
import type { BackupRunner } from '../../application/jobs/backup-runner.ts';
import type { LeaseTimes } from '../../application/jobs/claimed-job.ts';
import type { ComposeRun } from '../../application/jobs/compose-run.ts';
import type { AfterContainerWork } from '../../application/jobs/container-aftermath.ts';
import type { LookAtContainers } from '../../application/jobs/container-look.ts';
import type { ContainerPatchRunner } from '../../application/jobs/container-patch-runner.ts';
import type { ContainerUpdateCheckRunner } from '../../application/jobs/container-update-check-runner.ts';
import type { DetachedWork } from '../../application/jobs/detached-work.ts';
import type { HostRebootRunner } from '../../application/jobs/host-reboot-runner.ts';
import type { OsPatchRunner } from '../../application/jobs/os-patch-runner.ts';
import type { OsUpdateCheckRunner } from '../../application/jobs/os-update-check-runner.ts';
import type { RestoreRunner } from '../../application/jobs/restore-runner.ts';
import type { RetentionRunner } from '../../application/jobs/retention-runner.ts';
import type { JobRunners } from '../../application/jobs/runner.ts';
import type { SnapshotVerifyRunner } from '../../application/jobs/snapshot-verify-runner.ts';
import type { StackCheckRunner } from '../../application/jobs/stack-check-runner.ts';
import type { LookAtStack } from '../../application/jobs/stack-look.ts';
import type { StackRunner } from '../../application/jobs/stack-runner.ts';
import type { TemplateDeployRunner } from '../../application/jobs/template-deploy-runner.ts';
import type { ListFleetBackups } from '../../application/list-fleet-backups.ts';
import type { ListJobs } from '../../application/list-jobs.ts';
import type { ListNotifications } from '../../application/list-notifications.ts';
import type { GetSchedule, ListSchedules } from '../../application/list-schedules.ts';
import type { ListServers } from '../../application/list-servers.ts';
import type { ListServices } from '../../application/list-services.ts';
import type { GetSnapshot, ListSnapshots } from '../../application/list-snapshots.ts';
import type { ListWindows } from '../../application/list-windows.ts';
import type { LookAtHost } from '../../application/look-at-host.ts';
import type { MaintenanceGate } from '../../application/maintenance-gate.ts';
import type { ManageAlerts } from '../../application/manage-alerts.ts';
import type { ManageDeliveries } from '../../application/manage-deliveries.ts';
import type { ManageKeys } from '../../application/manage-keys.ts';
import type { ManageMasterKeys } from '../../application/manage-master-keys.ts';
import type { ManagePush } from '../../application/manage-push.ts';
import type { ManageRepositories } from '../../application/manage-repositories.ts';
import type { ManageSchedules } from '../../application/manage-schedules.ts';
import type { ManageSources } from '../../application/manage-sources.ts';
import type { GetToken, ListTokens, RevokeToken, RotateToken } from '../../application/manage-tokens.ts';
import type { ManageWebhooks } from '../../application/manage-webhooks.ts';
import type { ManageWindows } from '../../application/manage-windows.ts';
import type { ApprovalStore } from '../../application/ports/approval-store.ts';
import type { Archiver } from '../../application/ports/archiver.ts';
import type { AuditChain } from '../../application/ports/audit-chain.ts';
import type { AuditLog } from '../../application/ports/audit-log.ts';
import type { ExclusionSurvey } from '../../application/ports/backup/exclusion-survey.ts';
import type { BackupEngines } from '../../application/ports/backup-engine.ts';
import type { BatchStore } from '../../application/ports/batch-store.ts';
import type { Clock } from '../../application/ports/clock.ts';
import type { ClockRecord } from '../../application/ports/clock-record.ts';
import type { ConditionWatch } from '../../application/ports/condition-watch.ts';
import type { ContainerEngine } from '../../application/ports/container-engine.ts';
import type { CronClock } from '../../application/ports/cron-clock.ts';
import type { DatabaseHealth } from '../../application/ports/database-health.ts';
import type { DeliveryStore } from '../../application/ports/delivery-store.ts';
import type { DeploymentStore } from '../../application/ports/deployment-store.ts';
import type { DetachedRuns } from '../../application/ports/detached-runs.ts';
import type { DeviceStore } from '../../application/ports/device-store.ts';
import type { Digest } from '../../application/ports/digest.ts';
import type { DumpClient } from '../../application/ports/dump-client.ts';
import type { DumpStore } from '../../application/ports/dump-store.ts';
import type { EventBodies } from '../../application/ports/event-bodies.ts';
import type { FleetBackups } from '../../application/ports/fleet-backups.ts';
import type { GaugeSource } from '../../application/ports/gauge-source.ts';
import type { HistoryStore } from '../../application/ports/history-store.ts';
import type { HostFacts } from '../../application/ports/host-facts.ts';
import type { IdempotencyStore } from '../../application/ports/idempotency-store.ts';
import type { InventoryStore } from '../../application/ports/inventory-store.ts';
import type { JailFileSystems } from '../../application/ports/jail-fs.ts';
import type { JailWriteJournal } from '../../application/ports/jail-write-journal.ts';
import type { JobQueue } from '../../application/ports/job-queue.ts';
import type { JobStore } from '../../application/ports/job-store.ts';
import type { KeyMaker } from '../../application/ports/key-maker.ts';
import type { KeyStore } from '../../application/ports/key-store.ts';
import type { LeaseStore } from '../../application/ports/lease-store.ts';
import type { Logger } from '../../application/ports/logger.ts';
import type { NotificationStore } from '../../application/ports/notification-store.ts';
import type { OneTimeCodes } from '../../application/ports/one-time-codes.ts';
import type { PackageManagers } from '../../application/ports/package-manager.ts';
import type { PasswordHasher, PasswordStrength } from '../../application/ports/password-hasher.ts';
import type { ProcessList } from '../../application/ports/process-list.ts';
import type { PushSender } from '../../application/ports/push-sender.ts';
import type { PushStore } from '../../application/ports/push-store.ts';
import type { Randomness } from '../../application/ports/randomness.ts';
import type { RemoteHosts } from '../../application/ports/remote-host.ts';
import type { ReplicaStore } from '../../application/ports/replica-store.ts';
import type { RepositoryInspector } from '../../application/ports/repository-inspector.ts';
import type { RepositoryStore } from '../../application/ports/repository-store.ts';
import type { ScheduleStore } from '../../application/ports/schedule-store.ts';
import type { SealedSecrets } from '../../application/ports/sealed-secrets.ts';
import type { SecretBox } from '../../application/ports/secret-box.ts';
import type { ServerSelection } from '../../application/ports/server-selection.ts';
import type { ServerStore } from '../../application/ports/server-store.ts';
import type { ServiceData } from '../../application/ports/service-data.ts';
import type { ServiceStore } from '../../application/ports/service-store.ts';
import type { SessionStore } from '../../application/ports/session-store.ts';
import type { SettingStore } from '../../application/ports/setting-store.ts';
import type { SnapshotStore } from '../../application/ports/snapshot-store.ts';
import type { SourceStore } from '../../application/ports/source-store.ts';
import type { TemplateStore } from '../../application/ports/template-store.ts';
import type { ThrottleStore } from '../../application/ports/throttle-store.ts';
import type { TokenStore } from '../../application/ports/token-store.ts';
import type { UserStore } from '../../application/ports/user-store.ts';
import type { WebhookSender } from '../../application/ports/webhook-sender.ts';
import type { WebhookStore } from '../../application/ports/webhook-store.ts';
import type { WindowStore } from '../../application/ports/window-store.ts';
import type { YamlText } from '../../application/ports/yaml-text.ts';
import type { PreviewRetention } from '../../application/preview-retention.ts';
import type { PreviewTimes } from '../../application/preview-times.ts';
import type { PrivilegedFileOps } from '../../application/privileged-file-ops.ts';
import type { PushChannel } from '../../application/push-channel.ts';
import type { PushIdentity } from '../../application/push-identity.ts';
import type { ReadJobLog } from '../../application/read-job-log.ts';
import type { RefreshDueInventories } from '../../application/refresh-due-inventories.ts';
import type { RefreshInventory } from '../../application/refresh-inventory.ts';
import type { EditServer, RegisterServer, RemoveServer } from '../../application/register-server.ts';
import type { RepositoryAccess } from '../../application/repository-access.ts';
import type { RepositoryChecks } from '../../application/repository-checks.ts';
import type { RequestRestore } from '../../application/request-restore.ts';
import type { RequesterActors } from '../../application/requester-actors.ts';
import type { RestoreSnapshot } from '../../application/restore-snapshot.ts';
import type { RunClaimedJob } from '../../application/run-claimed-job.ts';
import type { RunDueSchedules } from '../../application/run-due-schedules.ts';
import type { RunSchedule } from '../../application/run-schedule.ts';
import type { ScrapeGauges } from '../../application/scrape-gauges.ts';
import type { SetFeatures } from '../../application/set-features.ts';
import type { SettleSnapshots } from '../../application/settle-snapshots.ts';
import type { StartBatch } from '../../application/start-batch.ts';
import type { StartScheduledJob } from '../../application/start-scheduled-job.ts';
import type { ListStartableJobs } from '../../application/startable-jobs.ts';
import type { SweepJobs } from '../../application/sweep-jobs.ts';
import type { SweepSnapshotStore } from '../../application/sweep-snapshot-store.ts';
import type {
  GetTemplate,
  ListDeployments,
  ListTemplates,
} from '../../application/templates/list-templates.ts';
import type { ManageTemplates } from '../../application/templates/manage-templates.ts';
import type { PrepareDeployment } from '../../application/templates/prepare-deployment.ts';
import type { TemplateOrders } from '../../application/templates/template-orders.ts';
import type { TemplateRenderer } from '../../application/templates/template-renderer.ts';
import type { TokenCache } from '../../application/token-cache.ts';
import type { TriggerJob } from '../../application/trigger-job.ts';
import type { TryToken } from '../../application/try-token.ts';
import type { WatchClock } from '../../application/watch-clock.ts';
import type { WatchConditions } from '../../application/watch-conditions.ts';
import type { WebhookChannel } from '../../application/webhook-channel.ts';
import type { KeptDays } from '../../domain/base/kept-days.ts';
import type { HttpPoster } from '../outbound/http-poster.ts';
import type { ProcessMetrics } from '../prometheus/process-metrics.ts';
import type { ServicePlaces } from '../protection/service-places.ts';
import type { Database } from '../sql/database.ts';
import type { Dispatcher } from '../worker/dispatcher.ts';
import type { Housekeeping } from '../worker/housekeeping.ts';
import type { JobLoop } from '../worker/job-loop.ts';
import type { Messenger } from '../worker/messenger.ts';
import { token } from './binding.ts';

/** What is configured or measured at start. */
export const VALUES = {
  version: token<string>('version'),
  dataDir: token<string>('dataDir'),
  ownBootId: token<string | null>('ownBootId'),
  agentSocket: token<string | null>('agentSocket'),
  machineName: token<string>('machineName'),
  backupStaleHours: token<number>('backupStaleHours'),
  metricsPerServer: token<boolean>('metricsPerServer'),
  fileLimitBytes: token<number>('fileLimitBytes'),
  hostFiles: token<boolean>('hostFiles'),
  tokensDisabled: token<boolean>('tokensDisabled'),
  concurrency: token<number>('concurrency'),
  owner: token<string>('owner'),
  instance: token<string>('instance'),
  leaseTimes: token<LeaseTimes>('leaseTimes'),
  leaseMs: token<number>('leaseMs'),
  kept: token<KeptDays>('kept'),
  approvalMs: token<number>('approvalMs'),
  publicUrl: token<string | null>('publicUrl'),
  allowPrivate: token<boolean>('allowPrivate'),
  environmentWebhook: token<EnvironmentWebhook | null>('environmentWebhook'),
};

/** The ports that use cases call. */
export const PORTS = {
  database: token<Database>('database'),
  databaseHealth: token<DatabaseHealth>('databaseHealth'),
  servers: token<ServerStore>('servers'),
  inventories: token<InventoryStore>('inventories'),
  services: token<ServiceStore>('services'),
  keys: token<KeyStore>('keys'),
  repositories: token<RepositoryStore>('repositories'),
  sources: token<SourceStore>('sources'),
  dumps: token<DumpStore>('dumps'),
  dumpClient: token<DumpClient>('dumpClient'),
  snapshots: token<SnapshotStore>('snapshots'),
  fleetBackups: token<FleetBackups>('fleetBackups'),
  jobs: token<JobStore>('jobs'),
  queue: token<JobQueue>('queue'),
  tokens: token<TokenStore>('tokens'),
  users: token<UserStore>('users'),
  sessions: token<SessionStore>('sessions'),
  deviceStore: token<DeviceStore>('deviceStore'),
  throttles: token<ThrottleStore>('throttles'),
  hasher: token<PasswordHasher>('hasher'),
  strength: token<PasswordStrength>('strength'),
  codes: token<OneTimeCodes>('codes'),
  audit: token<AuditLog>('audit'),
  chain: token<AuditChain>('chain'),
  settings: token<SettingStore>('settings'),
  leases: token<LeaseStore>('leases'),
  replicas: token<ReplicaStore>('replicas'),
  schedules: token<ScheduleStore>('schedules'),
  windows: token<WindowStore>('windows'),
  selection: token<ServerSelection>('selection'),
  batches: token<BatchStore>('batches'),
  approvals: token<ApprovalStore>('approvals'),
  templates: token<TemplateStore>('templates'),
  deployments: token<DeploymentStore>('deployments'),
  yaml: token<YamlText>('yaml'),
  requests: token<IdempotencyStore>('requests'),
  gauges: token<GaugeSource>('gauges'),
  history: token<HistoryStore>('history'),
  notifications: token<NotificationStore>('notifications'),
  watch: token<ConditionWatch>('watch'),
  webhooks: token<WebhookStore>('webhooks'),
  subscriptions: token<PushStore>('subscriptions'),
  deliveries: token<DeliveryStore>('deliveries'),
  bodies: token<EventBodies>('bodies'),
  poster: token<HttpPoster>('poster'),
  webhookSender: token<WebhookSender>('webhookSender'),
  pushSender: token<PushSender>('pushSender'),
  serviceData: token<ServiceData>('serviceData'),
  box: token<SecretBox>('box'),
  clockRecord: token<ClockRecord>('clockRecord'),
  sealedSecrets: token<SealedSecrets>('sealedSecrets'),
  clock: token<Clock>('clock'),
  cron: token<CronClock>('cron'),
  randomness: token<Randomness>('randomness'),
  digest: token<Digest>('digest'),
  log: token<Logger>('log'),
  processes: token<ProcessList>('processes'),
  hosts: token<RemoteHosts>('hosts'),
  keyMaker: token<KeyMaker>('keyMaker'),
  facts: token<HostFacts>('facts'),
  packageManagers: token<PackageManagers>('packageManagers'),
  containers: token<ContainerEngine>('containers'),
  detachedRuns: token<DetachedRuns>('detachedRuns'),
  inspector: token<RepositoryInspector>('inspector'),
  engines: token<BackupEngines>('engines'),
  exclusions: token<ExclusionSurvey>('exclusions'),
  places: token<ServicePlaces>('places'),
  jails: token<JailFileSystems>('jails'),
  archiver: token<Archiver>('archiver'),
  jailWrites: token<JailWriteJournal>('jailWrites'),
};

/** What use cases share. */
export const SHARED = {
  cache: token<TokenCache>('cache'),
  wakeup: token<JobWakeup>('wakeup'),
  refusals: token<RefusalAuditor>('refusals'),
  requesters: token<RequesterActors>('requesters'),
  passwordRules: token<PasswordRules>('passwordRules'),
  secondFactor: token<SecondFactor>('secondFactor'),
  devices: token<KnownDevices>('devices'),
  tries: token<SignInTries>('tries'),
  contacts: token<ContactLog>('contacts'),
  opener: token<HostOpener>('opener'),
  clockWatch: token<WatchClock>('clockWatch'),
  settleSnapshots: token<SettleSnapshots>('settleSnapshots'),
  repositoryAccess: token<RepositoryAccess>('repositoryAccess'),
  webhookChannel: token<WebhookChannel>('webhookChannel'),
  pushChannel: token<PushChannel>('pushChannel'),
  pushIdentity: token<PushIdentity>('pushIdentity'),
  jailAccess: token<JailAccess>('jailAccess'),
  gate: token<MaintenanceGate>('gate'),
  renderer: token<TemplateRenderer>('renderer'),
  orders: token<TemplateOrders>('orders'),
  prepareDeployment: token<PrepareDeployment>('prepareDeployment'),
  templateDeployRunner: token<TemplateDeployRunner>('templateDeployRunner'),
  startScheduledJob: token<StartScheduledJob>('startScheduledJob'),
  runners: token<JobRunners>('runners'),
  processMetrics: token<ProcessMetrics>('processMetrics'),
  backupRunner: token<BackupRunner>('backupRunner'),
  sourceHooks: token<SourceHooks>('sourceHooks'),
  retentionRunner: token<RetentionRunner>('retentionRunner'),
  restoreRunner: token<RestoreRunner>('restoreRunner'),
  sourceDumps: token<SourceDumps>('sourceDumps'),
  dumpRestoreRunner: token<DumpRestoreRunner>('dumpRestoreRunner'),
  snapshotVerifyRunner: token<SnapshotVerifyRunner>('snapshotVerifyRunner'),
  detachedWork: token<DetachedWork>('detachedWork'),
  hostRebootRunner: token<HostRebootRunner>('hostRebootRunner'),
  osPatchRunner: token<OsPatchRunner>('osPatchRunner'),
  osUpdateCheckRunner: token<OsUpdateCheckRunner>('osUpdateCheckRunner'),
};

/** What jobs on containers are made of. */
export const CONTAINER_JOBS = {
  look: token<LookAtContainers>('lookAtContainers'),
  stackLook: token<LookAtStack>('lookAtStack'),
  run: token<ComposeRun>('composeRun'),
  after: token<AfterContainerWork>('afterContainerWork'),
  updateCheckRunner: token<ContainerUpdateCheckRunner>('containerUpdateCheckRunner'),
  patchRunner: token<ContainerPatchRunner>('containerPatchRunner'),
  stackCheckRunner: token<StackCheckRunner>('stackCheckRunner'),
  stackRunner: token<StackRunner>('stackRunner'),
};

/** What the doors and the loops call. */
export const USE_CASES = {
  authenticate: token<Authenticate>('authenticate'),
  answerOnce: token<AnswerOnce>('answerOnce'),
  describeService: token<DescribeService>('describeService'),
  checkReadiness: token<CheckReadiness>('checkReadiness'),
  scrapeGauges: token<ScrapeGauges>('scrapeGauges'),
  getHealth: token<GetHealth>('getHealth'),
  getSummary: token<GetSummary>('getSummary'),
  getOverview: token<GetOverview>('getOverview'),
  listServers: token<ListServers>('listServers'),
  getServer: token<GetServer>('getServer'),
  getInventory: token<GetInventory>('getInventory'),
  listServices: token<ListServices>('listServices'),
  registerServer: token<RegisterServer>('registerServer'),
  editServer: token<EditServer>('editServer'),
  removeServer: token<RemoveServer>('removeServer'),
  checkServer: token<CheckServer>('checkServer'),
  scanHostKey: token<ScanHostKey>('scanHostKey'),
  confirmHostKey: token<ConfirmHostKey>('confirmHostKey'),
  setFeatures: token<SetFeatures>('setFeatures'),
  manageKeys: token<ManageKeys>('manageKeys'),
  jailFileOps: token<JailFileOps>('jailFileOps'),
  privilegedFileOps: token<PrivilegedFileOps>('privilegedFileOps'),
  lookAtHost: token<LookAtHost>('lookAtHost'),
  jailSweep: token<JailSweep>('jailSweep'),
  manageSources: token<ManageSources>('manageSources'),
  manageDumps: token<ManageDumps>('manageDumps'),
  checkRepository: token<CheckRepository>('checkRepository'),
  repositoryChecks: token<RepositoryChecks>('repositoryChecks'),
  manageRepositories: token<ManageRepositories>('manageRepositories'),
  triggerJob: token<TriggerJob>('triggerJob'),
  cancelJob: token<CancelJob>('cancelJob'),
  getJob: token<GetJob>('getJob'),
  listJobs: token<ListJobs>('listJobs'),
  followJob: token<FollowJob>('followJob'),
  readJobLog: token<ReadJobLog>('readJobLog'),
  listStartableJobs: token<ListStartableJobs>('listStartableJobs'),
  listAudit: token<ListAudit>('listAudit'),
  sealAudit: token<SealAudit>('sealAudit'),
  masterKeys: token<ManageMasterKeys>('masterKeys'),
  verifyAudit: token<VerifyAudit>('verifyAudit'),
  pruneAudit: token<PruneAudit>('pruneAudit'),
  approvalPlans: token<ApprovalPlans>('approvalPlans'),
  approveRequest: token<ApproveRequest>('approveRequest'),
  refuseRequest: token<RefuseRequest>('refuseRequest'),
  expireApprovals: token<ExpireApprovals>('expireApprovals'),
  listApprovals: token<ListApprovals>('listApprovals'),
  getApproval: token<GetApproval>('getApproval'),
  startBatch: token<StartBatch>('startBatch'),
  getBatch: token<GetBatch>('getBatch'),
  listBatches: token<ListBatches>('listBatches'),
  cancelBatch: token<CancelBatch>('cancelBatch'),
  followBatch: token<FollowBatch>('followBatch'),
  advanceBatches: token<AdvanceBatches>('advanceBatches'),
  manageSchedules: token<ManageSchedules>('manageSchedules'),
  listSchedules: token<ListSchedules>('listSchedules'),
  getSchedule: token<GetSchedule>('getSchedule'),
  runSchedule: token<RunSchedule>('runSchedule'),
  runDueSchedules: token<RunDueSchedules>('runDueSchedules'),
  manageWindows: token<ManageWindows>('manageWindows'),
  listWindows: token<ListWindows>('listWindows'),
  previewTimes: token<PreviewTimes>('previewTimes'),
  manageTemplates: token<ManageTemplates>('manageTemplates'),
  listTemplates: token<ListTemplates>('listTemplates'),
  getTemplate: token<GetTemplate>('getTemplate'),
  listDeployments: token<ListDeployments>('listDeployments'),
  listNotifications: token<ListNotifications>('listNotifications'),
  manageAlerts: token<ManageAlerts>('manageAlerts'),
  manageWebhooks: token<ManageWebhooks>('manageWebhooks'),
  manageDeliveries: token<ManageDeliveries>('manageDeliveries'),
  managePush: token<ManagePush>('managePush'),
  applyEnvironmentWebhook: token<ApplyEnvironmentWebhook>('applyEnvironmentWebhook'),
  watchConditions: token<WatchConditions>('watchConditions'),
  handOutEvents: token<HandOutEvents>('handOutEvents'),
  deliverMessages: token<DeliverMessages>('deliverMessages'),
  forgetEvents: token<ForgetEvents>('forgetEvents'),
  forgetHistory: token<ForgetHistory>('forgetHistory'),
  listSnapshots: token<ListSnapshots>('listSnapshots'),
  getSnapshot: token<GetSnapshot>('getSnapshot'),
  restoreSnapshot: token<RestoreSnapshot>('restoreSnapshot'),
  requestRestore: token<RequestRestore>('requestRestore'),
  requestDumpRestore: token<RequestDumpRestore>('requestDumpRestore'),
  browseSnapshot: token<BrowseSnapshot>('browseSnapshot'),
  previewExclusions: token<PreviewExclusions>('previewExclusions'),
  previewRetention: token<PreviewRetention>('previewRetention'),
  listFleetBackups: token<ListFleetBackups>('listFleetBackups'),
  issueToken: token<IssueToken>('issueToken'),
  listTokens: token<ListTokens>('listTokens'),
  getToken: token<GetToken>('getToken'),
  tryToken: token<TryToken>('tryToken'),
  editToken: token<EditToken>('editToken'),
  rotateToken: token<RotateToken>('rotateToken'),
  revokeToken: token<RevokeToken>('revokeToken'),
  offerSetup: token<OfferSetup>('offerSetup'),
  offerPasswordLink: token<OfferPasswordLink>('offerPasswordLink'),
  takeUpLink: token<TakeUpLink>('takeUpLink'),
  manageUsers: token<ManageUsers>('manageUsers'),
  twoFactorPolicy: token<TwoFactorPolicy>('twoFactorPolicy'),
  signIn: token<SignIn>('signIn'),
  giveCode: token<GiveCode>('giveCode'),
  confirmPassword: token<ConfirmPassword>('confirmPassword'),
  resumeSession: token<ResumeSession>('resumeSession'),
  manageSessions: token<ManageSessions>('manageSessions'),
  ownAccount: token<OwnAccount>('ownAccount'),
  forgetSignIns: token<ForgetSignIns>('forgetSignIns'),
  enrolThisMachine: token<EnrolThisMachine>('enrolThisMachine'),
  refreshInventory: token<RefreshInventory>('refreshInventory'),
  refreshDueInventories: token<RefreshDueInventories>('refreshDueInventories'),
  claimJobs: token<ClaimJobs>('claimJobs'),
  runClaimedJob: token<RunClaimedJob>('runClaimedJob'),
  sweepJobs: token<SweepJobs>('sweepJobs'),
  sweepSnapshotStore: token<SweepSnapshotStore>('sweepSnapshotStore'),
  forgetRequests: token<ForgetRequests>('forgetRequests'),
};

export const LOOPS = {
  jobLoop: token<JobLoop>('jobLoop'),
  housekeeping: token<Housekeeping>('housekeeping'),
  dispatcher: token<Dispatcher>('dispatcher'),
  messenger: token<Messenger>('messenger'),
};
