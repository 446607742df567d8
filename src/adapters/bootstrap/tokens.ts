import type { OfferPasswordLink, OfferSetup, TakeUpLink } from '../../application/access/account-links.ts';
import type { Authenticate } from '../../application/access/authenticate.ts';
import type { EditToken } from '../../application/access/edit-token.ts';
import type { ForgetSignIns } from '../../application/access/forget-sign-ins.ts';
import type { IssueToken } from '../../application/access/issue-token.ts';
import type { KnownDevices } from '../../application/access/known-devices.ts';
import type {
  GetToken,
  ListTokens,
  RevokeToken,
  RotateToken,
} from '../../application/access/manage-tokens.ts';
import type { ManageUsers } from '../../application/access/manage-users.ts';
import type { OwnAccount } from '../../application/access/own-account.ts';
import type { PasswordRules } from '../../application/access/password-rules.ts';
import type { SecondFactor } from '../../application/access/second-factor.ts';
import type {
  ConfirmPassword,
  GiveCode,
  ManageSessions,
  ResumeSession,
} from '../../application/access/sessions.ts';
import type { SignIn } from '../../application/access/sign-in.ts';
import type { SignInTries } from '../../application/access/sign-in-tries.ts';
import type { TokenCache } from '../../application/access/token-cache.ts';
import type { TryToken } from '../../application/access/try-token.ts';
import type { TwoFactorPolicy } from '../../application/access/two-factor-policy.ts';
import type { AdvanceBatches } from '../../application/automation/advance-batches.ts';
import type { CancelBatch } from '../../application/automation/cancel-batch.ts';
import type { FollowBatch } from '../../application/automation/follow-batch.ts';
import type { GetBatch, ListBatches } from '../../application/automation/get-batch.ts';
import type { GetSchedule, ListSchedules } from '../../application/automation/list-schedules.ts';
import type { ListWindows } from '../../application/automation/list-windows.ts';
import type { MaintenanceGate } from '../../application/automation/maintenance-gate.ts';
import type { ManageSchedules } from '../../application/automation/manage-schedules.ts';
import type { ManageWindows } from '../../application/automation/manage-windows.ts';
import type { PreviewTimes } from '../../application/automation/preview-times.ts';
import type { RunDueSchedules } from '../../application/automation/run-due-schedules.ts';
import type { RunSchedule } from '../../application/automation/run-schedule.ts';
import type { StartBatch } from '../../application/automation/start-batch.ts';
import type { StartScheduledJob } from '../../application/automation/start-scheduled-job.ts';
import type { BackupRunner } from '../../application/backups/backup-runner.ts';
import type { BrowseSnapshot } from '../../application/backups/browse-snapshot.ts';
import type { CheckRepository } from '../../application/backups/check-repository.ts';
import type { DumpRestoreRunner } from '../../application/backups/dump-restore-runner.ts';
import type { ListFleetBackups } from '../../application/backups/list-fleet-backups.ts';
import type { ListSnapshotDumps } from '../../application/backups/list-snapshot-dumps.ts';
import type { GetSnapshot, ListSnapshots } from '../../application/backups/list-snapshots.ts';
import type { ManageDumps } from '../../application/backups/manage-dumps.ts';
import type { ManageRepositories } from '../../application/backups/manage-repositories.ts';
import type { ManageSources } from '../../application/backups/manage-sources.ts';
import type { PreviewExclusions } from '../../application/backups/preview-exclusions.ts';
import type { PreviewRetention } from '../../application/backups/preview-retention.ts';
import type { RepositoryAccess } from '../../application/backups/repository-access.ts';
import type { RepositoryChecks } from '../../application/backups/repository-checks.ts';
import type { RequestDumpRestore } from '../../application/backups/request-dump-restore.ts';
import type { RequestRestore } from '../../application/backups/request-restore.ts';
import type { RestoreRunner } from '../../application/backups/restore-runner.ts';
import type { RestoreSnapshot } from '../../application/backups/restore-snapshot.ts';
import type { RetentionRunner } from '../../application/backups/retention-runner.ts';
import type { SettleSnapshots } from '../../application/backups/settle-snapshots.ts';
import type { SnapshotVerifyRunner } from '../../application/backups/snapshot-verify-runner.ts';
import type { SourceDumps } from '../../application/backups/source-dumps.ts';
import type { SourceHooks } from '../../application/backups/source-hooks.ts';
import type { SweepSnapshotStore } from '../../application/backups/sweep-snapshot-store.ts';
import type { AnswerOnce } from '../../application/base/answer-once.ts';
import type { ForgetRequests } from '../../application/base/forget-requests.ts';
import type { ComposeRun } from '../../application/compose/compose-run.ts';
import type { AfterContainerWork } from '../../application/compose/container-aftermath.ts';
import type { LookAtContainers } from '../../application/compose/container-look.ts';
import type { ContainerPatchRunner } from '../../application/compose/container-patch-runner.ts';
import type { ContainerUpdateCheckRunner } from '../../application/compose/container-update-check-runner.ts';
import type {
  GetTemplate,
  ListDeployments,
  ListTemplates,
} from '../../application/compose/list-templates.ts';
import type { ManageTemplates } from '../../application/compose/manage-templates.ts';
import type { PrepareDeployment } from '../../application/compose/prepare-deployment.ts';
import type { StackCheckRunner } from '../../application/compose/stack-check-runner.ts';
import type { LookAtStack } from '../../application/compose/stack-look.ts';
import type { StackRunner } from '../../application/compose/stack-runner.ts';
import type { TemplateDeployRunner } from '../../application/compose/template-deploy-runner.ts';
import type { TemplateOrders } from '../../application/compose/template-orders.ts';
import type { TemplateRenderer } from '../../application/compose/template-renderer.ts';
import type {
  ApplyEnvironmentWebhook,
  EnvironmentWebhook,
} from '../../application/events/apply-environment-webhook.ts';
import type { RefusalAuditor } from '../../application/events/audit-refusals.ts';
import type { DeliverMessages } from '../../application/events/deliver-messages.ts';
import type { ForgetEvents } from '../../application/events/forget-events.ts';
import type { HandOutEvents } from '../../application/events/hand-out-events.ts';
import type { ListAudit } from '../../application/events/list-audit.ts';
import type { ListNotifications } from '../../application/events/list-notifications.ts';
import type { ManageAlerts } from '../../application/events/manage-alerts.ts';
import type { ManageDeliveries } from '../../application/events/manage-deliveries.ts';
import type { ManagePush } from '../../application/events/manage-push.ts';
import type { ManageWebhooks } from '../../application/events/manage-webhooks.ts';
import type { PruneAudit } from '../../application/events/prune-audit.ts';
import type { PushChannel } from '../../application/events/push-channel.ts';
import type { PushIdentity } from '../../application/events/push-identity.ts';
import type { SealAudit } from '../../application/events/seal-audit.ts';
import type { VerifyAudit } from '../../application/events/verify-audit.ts';
import type { WebhookChannel } from '../../application/events/webhook-channel.ts';
import type { JailAccess } from '../../application/files/jail-access.ts';
import type { JailFileOps } from '../../application/files/jail-file-ops.ts';
import type { JailSweep } from '../../application/files/jail-sweep.ts';
import type { PrivilegedFileOps } from '../../application/files/privileged-file-ops.ts';
import type { CheckServer } from '../../application/fleet/check-server.ts';
import type { ConfirmHostKey, ScanHostKey } from '../../application/fleet/confirm-host-key.ts';
import type { ContactLog } from '../../application/fleet/contact-log.ts';
import type { EnrolThisMachine } from '../../application/fleet/enrol-this-machine.ts';
import type { GetInventory } from '../../application/fleet/get-inventory.ts';
import type { GetOverview } from '../../application/fleet/get-overview.ts';
import type { GetServer } from '../../application/fleet/get-server.ts';
import type { GetSummary } from '../../application/fleet/get-summary.ts';
import type { HostOpener } from '../../application/fleet/host-opener.ts';
import type { HostRebootRunner } from '../../application/fleet/host-reboot-runner.ts';
import type { ListServers } from '../../application/fleet/list-servers.ts';
import type { ListServices } from '../../application/fleet/list-services.ts';
import type { LookAtHost } from '../../application/fleet/look-at-host.ts';
import type { ManageKeys } from '../../application/fleet/manage-keys.ts';
import type { OsPatchRunner } from '../../application/fleet/os-patch-runner.ts';
import type { OsUpdateCheckRunner } from '../../application/fleet/os-update-check-runner.ts';
import type { RefreshDueInventories } from '../../application/fleet/refresh-due-inventories.ts';
import type { RefreshInventory } from '../../application/fleet/refresh-inventory.ts';
import type { EditServer, RegisterServer, RemoveServer } from '../../application/fleet/register-server.ts';
import type { SetFeatures } from '../../application/fleet/set-features.ts';
import type { WatchConditions } from '../../application/fleet/watch-conditions.ts';
import type { ApprovalPlans } from '../../application/jobs/approval-plans.ts';
import type { CancelJob } from '../../application/jobs/cancel-job.ts';
import type { ClaimJobs } from '../../application/jobs/claim-jobs.ts';
import type { LeaseTimes } from '../../application/jobs/claimed-job.ts';
import type { ApproveRequest, RefuseRequest } from '../../application/jobs/decide-approval.ts';
import type { DetachedWork } from '../../application/jobs/detached-work.ts';
import type { ExpireApprovals } from '../../application/jobs/expire-approvals.ts';
import type { FollowJob } from '../../application/jobs/follow-job.ts';
import type { GetJob } from '../../application/jobs/get-job.ts';
import type { JobWakeup } from '../../application/jobs/job-wakeup.ts';
import type { GetApproval, ListApprovals } from '../../application/jobs/list-approvals.ts';
import type { ListJobs } from '../../application/jobs/list-jobs.ts';
import type { ReadJobLog } from '../../application/jobs/read-job-log.ts';
import type { RequesterActors } from '../../application/jobs/requester-actors.ts';
import type { RunClaimedJob } from '../../application/jobs/run-claimed-job.ts';
import type { JobRunners } from '../../application/jobs/runner.ts';
import type { ListStartableJobs } from '../../application/jobs/startable-jobs.ts';
import type { SweepJobs } from '../../application/jobs/sweep-jobs.ts';
import type { TriggerJob } from '../../application/jobs/trigger-job.ts';
import type { DeviceStore } from '../../application/ports/access/device-store.ts';
import type { OneTimeCodes } from '../../application/ports/access/one-time-codes.ts';
import type { PasswordHasher, PasswordStrength } from '../../application/ports/access/password-hasher.ts';
import type { SessionStore } from '../../application/ports/access/session-store.ts';
import type { ThrottleStore } from '../../application/ports/access/throttle-store.ts';
import type { TokenStore } from '../../application/ports/access/token-store.ts';
import type { UserStore } from '../../application/ports/access/user-store.ts';
import type { BatchStore } from '../../application/ports/automation/batch-store.ts';
import type { CronClock } from '../../application/ports/automation/cron-clock.ts';
import type { ScheduleStore } from '../../application/ports/automation/schedule-store.ts';
import type { WindowStore } from '../../application/ports/automation/window-store.ts';
import type { BackupEngines } from '../../application/ports/backups/backup-engine.ts';
import type { DumpClient } from '../../application/ports/backups/dump-client.ts';
import type { DumpStore } from '../../application/ports/backups/dump-store.ts';
import type { ExclusionSurvey } from '../../application/ports/backups/exclusion-survey.ts';
import type { FleetBackups } from '../../application/ports/backups/fleet-backups.ts';
import type { RepositoryInspector } from '../../application/ports/backups/repository-inspector.ts';
import type { RepositoryStore } from '../../application/ports/backups/repository-store.ts';
import type { SnapshotStore } from '../../application/ports/backups/snapshot-store.ts';
import type { SourceStore } from '../../application/ports/backups/source-store.ts';
import type { Clock } from '../../application/ports/base/clock.ts';
import type { Digest } from '../../application/ports/base/digest.ts';
import type { IdempotencyStore } from '../../application/ports/base/idempotency-store.ts';
import type { Logger } from '../../application/ports/base/logger.ts';
import type { Randomness } from '../../application/ports/base/randomness.ts';
import type { SecretBox } from '../../application/ports/base/secret-box.ts';
import type { ContainerEngine } from '../../application/ports/compose/container-engine.ts';
import type { DeploymentStore } from '../../application/ports/compose/deployment-store.ts';
import type { TemplateStore } from '../../application/ports/compose/template-store.ts';
import type { YamlText } from '../../application/ports/compose/yaml-text.ts';
import type { AuditChain } from '../../application/ports/events/audit-chain.ts';
import type { AuditLog } from '../../application/ports/events/audit-log.ts';
import type { DeliveryStore } from '../../application/ports/events/delivery-store.ts';
import type { EventBodies } from '../../application/ports/events/event-bodies.ts';
import type { NotificationStore } from '../../application/ports/events/notification-store.ts';
import type { PushSender } from '../../application/ports/events/push-sender.ts';
import type { PushStore } from '../../application/ports/events/push-store.ts';
import type { WebhookSender } from '../../application/ports/events/webhook-sender.ts';
import type { WebhookStore } from '../../application/ports/events/webhook-store.ts';
import type { Archiver } from '../../application/ports/files/archiver.ts';
import type { JailFileSystems } from '../../application/ports/files/jail-fs.ts';
import type { JailWriteJournal } from '../../application/ports/files/jail-write-journal.ts';
import type { ConditionWatch } from '../../application/ports/fleet/condition-watch.ts';
import type { HostFacts } from '../../application/ports/fleet/host-facts.ts';
import type { InventoryStore } from '../../application/ports/fleet/inventory-store.ts';
import type { KeyMaker } from '../../application/ports/fleet/key-maker.ts';
import type { KeyStore } from '../../application/ports/fleet/key-store.ts';
import type { PackageManagers } from '../../application/ports/fleet/package-manager.ts';
import type { RemoteHosts } from '../../application/ports/fleet/remote-host.ts';
import type { ServerSelection } from '../../application/ports/fleet/server-selection.ts';
import type { ServerStore } from '../../application/ports/fleet/server-store.ts';
import type { ServiceStore } from '../../application/ports/fleet/service-store.ts';
import type { ApprovalStore } from '../../application/ports/jobs/approval-store.ts';
import type { DetachedRuns } from '../../application/ports/jobs/detached-runs.ts';
import type { JobQueue } from '../../application/ports/jobs/job-queue.ts';
import type { JobStore } from '../../application/ports/jobs/job-store.ts';
import type { LeaseStore } from '../../application/ports/jobs/lease-store.ts';
import type { ClockRecord } from '../../application/ports/service/clock-record.ts';
import type { DatabaseHealth } from '../../application/ports/service/database-health.ts';
import type { GaugeSource } from '../../application/ports/service/gauge-source.ts';
import type { HistoryStore } from '../../application/ports/service/history-store.ts';
import type { ProcessList } from '../../application/ports/service/process-list.ts';
import type { ReplicaStore } from '../../application/ports/service/replica-store.ts';
import type { SealedSecrets } from '../../application/ports/service/sealed-secrets.ts';
import type { ServiceData } from '../../application/ports/service/service-data.ts';
import type { SettingStore } from '../../application/ports/service/setting-store.ts';
import type { CheckReadiness } from '../../application/service/check-readiness.ts';
import type { DescribeService } from '../../application/service/describe-service.ts';
import type { ForgetHistory } from '../../application/service/forget-history.ts';
import type { GetHealth } from '../../application/service/get-health.ts';
import type { ManageMasterKeys } from '../../application/service/manage-master-keys.ts';
import type { ScrapeGauges } from '../../application/service/scrape-gauges.ts';
import type { WatchClock } from '../../application/service/watch-clock.ts';
import type { KeptDays } from '../../domain/base/instant.ts';
import type { ProcessMetrics } from '../inbound/metrics/process-metrics.ts';
import type { Dispatcher } from '../inbound/worker/dispatcher.ts';
import type { Housekeeping } from '../inbound/worker/housekeeping.ts';
import type { JobLoop } from '../inbound/worker/job-loop.ts';
import type { Messenger } from '../inbound/worker/messenger.ts';
import type { ServicePlaces } from '../outbound/hosts/protection/service-places.ts';
import type { HttpPoster } from '../outbound/notifications/http-poster.ts';
import type { Database } from '../outbound/storage/sql/database.ts';
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
  listSnapshotDumps: token<ListSnapshotDumps>('listSnapshotDumps'),
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
