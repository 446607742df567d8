import type { ForwardAuthSettings } from '../../domain/access/forward-auth.ts';
import type { KeptDays } from '../../domain/base/instant.ts';
import { OfferPasswordLink } from '../access/account-links.ts';
import { Authenticate } from '../access/authenticate.ts';
import { CallCounter } from '../access/call-counter.ts';
import { KnownDevices } from '../access/known-devices.ts';
import { LinkIdentity } from '../access/link-identity.ts';
import { OwnAccount } from '../access/own-account.ts';
import { PasskeyProofs } from '../access/passkey-proofs.ts';
import { PasswordRules } from '../access/password-rules.ts';
import { RecoveryCodes } from '../access/recovery-codes.ts';
import { RequireSso } from '../access/require-sso.ts';
import { SecondFactor } from '../access/second-factor.ts';
import { SignInTries } from '../access/sign-in-tries.ts';
import { SsoAccounts } from '../access/sso-accounts.ts';
import { type EnvironmentProvider, SsoProviders } from '../access/sso-providers.ts';
import { TokenCache } from '../access/token-cache.ts';
import { TwoFactorPolicy } from '../access/two-factor-policy.ts';
import { ListSchedules } from '../automation/list-schedules.ts';
import { MaintenanceGate } from '../automation/maintenance-gate.ts';
import { ManageSchedules } from '../automation/manage-schedules.ts';
import { OrderForecasts } from '../automation/order-forecasts.ts';
import { OrderedBatches } from '../automation/ordered-batches.ts';
import { PatchPolicies } from '../automation/patch-policies.ts';
import { ScheduleChanges } from '../automation/schedule-changes.ts';
import { StartBatch } from '../automation/start-batch.ts';
import { StartPolicyJob } from '../automation/start-policy-job.ts';
import { StartScheduledJob } from '../automation/start-scheduled-job.ts';
import { BrowseSnapshot } from '../backups/browse-snapshot.ts';
import { CheckRepository } from '../backups/check-repository.ts';
import { ManageRepositories } from '../backups/manage-repositories.ts';
import { RecordFileChanges } from '../backups/record-file-changes.ts';
import { RepositoryAccess } from '../backups/repository-access.ts';
import { SettleSnapshots } from '../backups/settle-snapshots.ts';
import { SourceChecks } from '../backups/source-checks.ts';
import { SourceDumps } from '../backups/source-dumps.ts';
import type { SourceHooks } from '../backups/source-hooks.ts';
import { TakeSnapshots } from '../backups/take-snapshots.ts';
import { ComposeRun } from '../compose/compose-run.ts';
import { AfterContainerWork } from '../compose/container-aftermath.ts';
import { LookAtContainers } from '../compose/container-look.ts';
import { PrepareDeployment } from '../compose/prepare-deployment.ts';
import { LookAtStack } from '../compose/stack-look.ts';
import { TemplateOrders } from '../compose/template-orders.ts';
import { TemplateRenderer } from '../compose/template-renderer.ts';
import { UpdateGuard } from '../compose/update-guard.ts';
import type { EnvironmentWebhook } from '../events/apply-environment-webhook.ts';
import { RefusalAuditor } from '../events/audit-refusals.ts';
import { DeliverMessages } from '../events/deliver-messages.ts';
import { DescribeToHomeAssistant } from '../events/describe-to-home-assistant.ts';
import { HomeAssistantCommands } from '../events/home-assistant-commands.ts';
import { ManageChannels } from '../events/manage-channels.ts';
import { ManageWebhooks } from '../events/manage-webhooks.ts';
import { PeopleChannel } from '../events/people-channel.ts';
import { PruneAudit } from '../events/prune-audit.ts';
import { PushChannel } from '../events/push-channel.ts';
import { PushIdentity } from '../events/push-identity.ts';
import { WebhookChannel } from '../events/webhook-channel.ts';
import { FileChanges } from '../files/file-changes.ts';
import { JailAccess } from '../files/jail-access.ts';
import { JailFileOps } from '../files/jail-file-ops.ts';
import { ContactLog } from '../fleet/contact-log.ts';
import { GetSummary } from '../fleet/get-summary.ts';
import { HostOpener } from '../fleet/host-opener.ts';
import { ListServers } from '../fleet/list-servers.ts';
import { OsSupport } from '../fleet/os-support.ts';
import { PatchGuard } from '../fleet/patch-guard.ts';
import { RebootAfterPatch } from '../fleet/reboot-after-patch.ts';
import { RecordHostState } from '../fleet/record-host-state.ts';
import { RefreshInventory } from '../fleet/refresh-inventory.ts';
import { SetFeatures } from '../fleet/set-features.ts';
import { ApprovalPlans } from '../jobs/approval-plans.ts';
import { ApprovalRules } from '../jobs/approval-rules.ts';
import { CancelJob } from '../jobs/cancel-job.ts';
import { ChangeHandlers } from '../jobs/change-handlers.ts';
import type { LeaseTimes } from '../jobs/claimed-job.ts';
import { DetachedWork } from '../jobs/detached-work.ts';
import { JobWakeup } from '../jobs/job-wakeup.ts';
import { MakeChange } from '../jobs/make-change.ts';
import { RequesterActors } from '../jobs/requester-actors.ts';
import type { JobRunners } from '../jobs/runner.ts';
import { TriggerJob } from '../jobs/trigger-job.ts';
import type { DeviceStore } from '../ports/access/device-store.ts';
import type { IdentityProviders } from '../ports/access/identity-providers.ts';
import type { OneTimeCodes } from '../ports/access/one-time-codes.ts';
import type { PasskeyStore } from '../ports/access/passkey-store.ts';
import type { PasskeyVerifier } from '../ports/access/passkey-verifier.ts';
import type { PasswordHasher, PasswordStrength } from '../ports/access/password-hasher.ts';
import type { SessionStore } from '../ports/access/session-store.ts';
import type { SsoStore } from '../ports/access/sso-store.ts';
import type { ThrottleStore } from '../ports/access/throttle-store.ts';
import type { TokenStore } from '../ports/access/token-store.ts';
import type { UserStore } from '../ports/access/user-store.ts';
import type { BatchStore } from '../ports/automation/batch-store.ts';
import type { CronClock } from '../ports/automation/cron-clock.ts';
import type { PolicyStore } from '../ports/automation/policy-store.ts';
import type { ScheduleStore } from '../ports/automation/schedule-store.ts';
import type { WatchedServices } from '../ports/automation/watched-services.ts';
import type { WindowStore } from '../ports/automation/window-store.ts';
import type { BackupEngines } from '../ports/backups/backup-engine.ts';
import type { DumpClient } from '../ports/backups/dump-client.ts';
import type { DumpStore } from '../ports/backups/dump-store.ts';
import type { ExclusionSurvey } from '../ports/backups/exclusion-survey.ts';
import type { FleetBackups } from '../ports/backups/fleet-backups.ts';
import type { LiveFiles } from '../ports/backups/live-files.ts';
import type { ProtectedPlaces } from '../ports/backups/protected-places.ts';
import type { RepositoryInspector } from '../ports/backups/repository-inspector.ts';
import type { RepositoryStore } from '../ports/backups/repository-store.ts';
import type { SnapshotStore } from '../ports/backups/snapshot-store.ts';
import type { SourceStore } from '../ports/backups/source-store.ts';
import type { StoreSpace } from '../ports/backups/store-space.ts';
import type { Clock } from '../ports/base/clock.ts';
import type { DataVersion } from '../ports/base/data-version.ts';
import type { Digest } from '../ports/base/digest.ts';
import type { IdempotencyStore } from '../ports/base/idempotency-store.ts';
import type { Logger } from '../ports/base/logger.ts';
import type { Randomness } from '../ports/base/randomness.ts';
import type { SecretBox } from '../ports/base/secret-box.ts';
import type { ContainerEngine } from '../ports/compose/container-engine.ts';
import type { DeploymentStore } from '../ports/compose/deployment-store.ts';
import type { TemplateStore } from '../ports/compose/template-store.ts';
import type { YamlText } from '../ports/compose/yaml-text.ts';
import type { AlertChannelStore } from '../ports/events/alert-channel-store.ts';
import type { AuditChain } from '../ports/events/audit-chain.ts';
import type { AuditLog } from '../ports/events/audit-log.ts';
import type { ChannelSender } from '../ports/events/channel-sender.ts';
import type { DeliveryStore } from '../ports/events/delivery-store.ts';
import type { EventBodies } from '../ports/events/event-bodies.ts';
import type { MessageBroker } from '../ports/events/message-broker.ts';
import type { NotificationStore } from '../ports/events/notification-store.ts';
import type { PushSender } from '../ports/events/push-sender.ts';
import type { PushStore } from '../ports/events/push-store.ts';
import type { WebhookSender } from '../ports/events/webhook-sender.ts';
import type { WebhookStore } from '../ports/events/webhook-store.ts';
import type { Archiver } from '../ports/files/archiver.ts';
import type { JailFileSystems } from '../ports/files/jail-fs.ts';
import type { JailWriteJournal } from '../ports/files/jail-write-journal.ts';
import type { TextDiff } from '../ports/files/text-diff.ts';
import type { ConditionWatch } from '../ports/fleet/condition-watch.ts';
import type { HostChangeStore } from '../ports/fleet/host-change-store.ts';
import type { HostFacts } from '../ports/fleet/host-facts.ts';
import type { HostStates } from '../ports/fleet/host-states.ts';
import type { InventoryStore } from '../ports/fleet/inventory-store.ts';
import type { KeyMaker } from '../ports/fleet/key-maker.ts';
import type { KeyStore } from '../ports/fleet/key-store.ts';
import type { PackageManagers } from '../ports/fleet/package-manager.ts';
import type { PackageStore } from '../ports/fleet/package-store.ts';
import type { RemoteHosts } from '../ports/fleet/remote-host.ts';
import type { ServerSelection } from '../ports/fleet/server-selection.ts';
import type { ServerStore } from '../ports/fleet/server-store.ts';
import type { ServiceStore } from '../ports/fleet/service-store.ts';
import type { VulnerabilityStore } from '../ports/fleet/vulnerability-store.ts';
import type { ApprovalStore } from '../ports/jobs/approval-store.ts';
import type { DetachedRuns } from '../ports/jobs/detached-runs.ts';
import type { JobQueue } from '../ports/jobs/job-queue.ts';
import type { JobStore } from '../ports/jobs/job-store.ts';
import type { LeaseStore } from '../ports/jobs/lease-store.ts';
import type { ClockRecord } from '../ports/service/clock-record.ts';
import type { DatabaseHealth } from '../ports/service/database-health.ts';
import type { GaugeSource } from '../ports/service/gauge-source.ts';
import type { HistoryStore } from '../ports/service/history-store.ts';
import type { ProcessList } from '../ports/service/process-list.ts';
import type { ReplicaStore } from '../ports/service/replica-store.ts';
import type { SealedSecrets } from '../ports/service/sealed-secrets.ts';
import type { ServiceData } from '../ports/service/service-data.ts';
import type { SettingStore } from '../ports/service/setting-store.ts';
import { WatchClock } from '../service/watch-clock.ts';

/** The dependencies of use cases, by name. */
export interface Ports {
  readonly databaseHealth: DatabaseHealth;
  readonly dataVersion: DataVersion;
  readonly servers: ServerStore;
  readonly inventories: InventoryStore;
  readonly hostChanges: HostChangeStore;
  readonly packages: PackageStore;
  readonly vulnerabilities: VulnerabilityStore;
  readonly watchedServices: WatchedServices;
  readonly services: ServiceStore;
  readonly keys: KeyStore;
  readonly repositories: RepositoryStore;
  readonly sources: SourceStore;
  readonly dumps: DumpStore;
  readonly dumpClient: DumpClient;
  readonly snapshots: SnapshotStore;
  readonly fleetBackups: FleetBackups;
  readonly jobs: JobStore;
  readonly queue: JobQueue;
  readonly tokens: TokenStore;
  readonly users: UserStore;
  readonly sessions: SessionStore;
  readonly deviceStore: DeviceStore;
  readonly throttles: ThrottleStore;
  readonly sso: SsoStore;
  readonly identityProviders: IdentityProviders;
  readonly passkeys: PasskeyStore;
  readonly passkeyVerifier: PasskeyVerifier;
  readonly hasher: PasswordHasher;
  readonly strength: PasswordStrength;
  readonly codes: OneTimeCodes;
  readonly audit: AuditLog;
  readonly chain: AuditChain;
  readonly settings: SettingStore;
  readonly leases: LeaseStore;
  readonly replicas: ReplicaStore;
  readonly schedules: ScheduleStore;
  readonly windows: WindowStore;
  readonly policies: PolicyStore;
  readonly selection: ServerSelection;
  readonly batches: BatchStore;
  readonly approvals: ApprovalStore;
  readonly templates: TemplateStore;
  readonly deployments: DeploymentStore;
  readonly yaml: YamlText;
  readonly requests: IdempotencyStore;
  readonly gauges: GaugeSource;
  readonly history: HistoryStore;
  readonly notifications: NotificationStore;
  readonly watch: ConditionWatch;
  readonly webhooks: WebhookStore;
  readonly alertChannels: AlertChannelStore;
  readonly subscriptions: PushStore;
  readonly deliveries: DeliveryStore;
  readonly bodies: EventBodies;
  readonly webhookSender: WebhookSender;
  readonly channelSender: ChannelSender;
  readonly broker: MessageBroker;
  readonly pushSender: PushSender;
  readonly serviceData: ServiceData;
  readonly box: SecretBox;
  readonly clockRecord: ClockRecord;
  readonly secrets: SealedSecrets;
  readonly clock: Clock;
  readonly cron: CronClock;
  readonly randomness: Randomness;
  readonly digest: Digest;
  readonly log: Logger;
  readonly processes: ProcessList;
  readonly hosts: RemoteHosts;
  readonly keyMaker: KeyMaker;
  readonly facts: HostFacts;
  readonly hostStates: HostStates;
  readonly packageManagers: PackageManagers;
  readonly engine: ContainerEngine;
  readonly runs: DetachedRuns;
  readonly inspector: RepositoryInspector;
  readonly engines: BackupEngines;
  readonly survey: ExclusionSurvey;
  readonly liveFiles: LiveFiles;
  readonly storeSpace: StoreSpace;
  readonly jails: JailFileSystems;
  readonly archiver: Archiver;
  readonly journal: JailWriteJournal;
  readonly textDiff: TextDiff;
  readonly version: string;
  readonly dataDir: string;
  readonly ownBootId: string | null;
  readonly agentSocket: string | null;
  readonly machineName: string;
  readonly backupStaleHours: number;
  readonly metricsPerServer: boolean;
  readonly mostBytes: number;
  readonly hostFiles: boolean;
  readonly tokensDisabled: boolean;
  readonly concurrency: number;
  readonly owner: string;
  readonly instance: string;
  /** Whether this process created the database. */
  readonly isNewDatabase: boolean;
  readonly leaseTimes: LeaseTimes;
  readonly leaseMs: number;
  readonly kept: KeptDays;
  readonly approvalMs: number;
  readonly publicUrl: string | null;
  readonly allowPrivate: boolean;
  readonly environmentWebhook: EnvironmentWebhook | null;
  readonly environmentProvider: EnvironmentProvider | null;
  readonly forwardAuth: ForwardAuthSettings | null;
  readonly places: ProtectedPlaces;
  readonly runners: JobRunners;
  readonly sourceHooks: SourceHooks;
}

/** Classes that other classes ask for, by that name. All others are asked for by their class only. */
export const SHARED = {
  contacts: ContactLog,
  listServers: ListServers,
  getSummary: GetSummary,
  refusals: RefusalAuditor,
  opener: HostOpener,
  recordHostState: RecordHostState,
  recordFileChanges: RecordFileChanges,
  startPolicyJob: StartPolicyJob,
  patchGuard: PatchGuard,
  rebootAfterPatch: RebootAfterPatch,
  osSupport: OsSupport,
  refreshInventory: RefreshInventory,
  containerLook: LookAtContainers,
  detachedWork: DetachedWork,
  composeRun: ComposeRun,
  afterContainerWork: AfterContainerWork,
  stackLook: LookAtStack,
  settleSnapshots: SettleSnapshots,
  sourceChecks: SourceChecks,
  sourceDumps: SourceDumps,
  takeSnapshots: TakeSnapshots,
  updateGuard: UpdateGuard,
  clockWatch: WatchClock,
  orders: TemplateOrders,
  gate: MaintenanceGate,
  orderedBatches: OrderedBatches,
  orderForecasts: OrderForecasts,
  patchPolicies: PatchPolicies,
  plans: ApprovalPlans,
  approvalRules: ApprovalRules,
  changes: ChangeHandlers,
  makeChange: MakeChange,
  setFeatures: SetFeatures,
  jailFileOps: JailFileOps,
  fileChanges: FileChanges,
  scheduleChanges: ScheduleChanges,
  requesters: RequesterActors,
  triggerJob: TriggerJob,
  cancelJob: CancelJob,
  listSchedules: ListSchedules,
  manageSchedules: ManageSchedules,
  startBatch: StartBatch,
  startScheduledJob: StartScheduledJob,
  renderer: TemplateRenderer,
  prepareDeployment: PrepareDeployment,
  repositoryAccess: RepositoryAccess,
  checkRepository: CheckRepository,
  manageRepositories: ManageRepositories,
  browseSnapshot: BrowseSnapshot,
  authenticate: Authenticate,
  pruneAudit: PruneAudit,
  jailAccess: JailAccess,
  tries: SignInTries,
  passwordRules: PasswordRules,
  offerPasswordLink: OfferPasswordLink,
  twoFactor: TwoFactorPolicy,
  requireSso: RequireSso,
  ssoProviders: SsoProviders,
  ssoAccounts: SsoAccounts,
  linkIdentity: LinkIdentity,
  devices: KnownDevices,
  secondFactor: SecondFactor,
  recoveryCodes: RecoveryCodes,
  ownAccount: OwnAccount,
  passkeyProofs: PasskeyProofs,
  pushIdentity: PushIdentity,
  webhookChannel: WebhookChannel,
  pushChannel: PushChannel,
  peopleChannel: PeopleChannel,
  manageWebhooks: ManageWebhooks,
  manageChannels: ManageChannels,
  describeToHomeAssistant: DescribeToHomeAssistant,
  homeAssistantCommands: HomeAssistantCommands,
  deliverMessages: DeliverMessages,
  cache: TokenCache,
  callCounter: CallCounter,
  wakeup: JobWakeup,
};

type Shared = { readonly [Name in keyof typeof SHARED]: InstanceType<(typeof SHARED)[Name]> };

/** All that a class of the application can ask for. */
export interface Parts extends Ports, Shared {}

/** A class that is made of such parts, and nothing else. */
export type PartClass<T> = new (parts: Parts) => T;

/** Returns the single instance of a class. Does not compile for a class with an unknown dependency. */
export interface UseCases {
  readonly get: <T>(wanted: PartClass<T>) => T;
}
