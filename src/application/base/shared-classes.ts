import { OfferPasswordLink } from '../access/account-links.ts';
import { Authenticate } from '../access/authenticate.ts';
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
import { TokenCache } from '../access/token-cache.ts';
import { TwoFactorPolicy } from '../access/two-factor-policy.ts';
import { ListSchedules } from '../automation/list-schedules.ts';
import { ManageSchedules } from '../automation/manage-schedules.ts';
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
import { TakeSnapshots } from '../backups/take-snapshots.ts';
import { ComposeRun } from '../compose/compose-run.ts';
import { AfterContainerWork } from '../compose/container-aftermath.ts';
import { LookAtContainers } from '../compose/container-look.ts';
import { PrepareDeployment } from '../compose/prepare-deployment.ts';
import { LookAtStack } from '../compose/stack-look.ts';
import { TemplateOrders } from '../compose/template-orders.ts';
import { TemplateRenderer } from '../compose/template-renderer.ts';
import { UpdateGuard } from '../compose/update-guard.ts';
import { RefusalAuditor } from '../events/audit-refusals.ts';
import { DeliverMessages } from '../events/deliver-messages.ts';
import { DescribeToHomeAssistant } from '../events/describe-to-home-assistant.ts';
import { HomeAssistantCommands } from '../events/home-assistant-commands.ts';
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
import { CancelJob } from '../jobs/cancel-job.ts';
import { ChangeHandlers } from '../jobs/change-handlers.ts';
import { DetachedWork } from '../jobs/detached-work.ts';
import { JobWakeup } from '../jobs/job-wakeup.ts';
import { MakeChange } from '../jobs/make-change.ts';
import { RequesterActors } from '../jobs/requester-actors.ts';
import { TriggerJob } from '../jobs/trigger-job.ts';
import { WatchClock } from '../service/watch-clock.ts';
import { READING } from './reading-classes.ts';

/** Classes that other classes ask for, by that name. All others are asked for by their class only. */
export const SHARED = {
  ...READING,
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
  patchPolicies: PatchPolicies,
  plans: ApprovalPlans,
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
  describeToHomeAssistant: DescribeToHomeAssistant,
  homeAssistantCommands: HomeAssistantCommands,
  deliverMessages: DeliverMessages,
  cache: TokenCache,
  wakeup: JobWakeup,
};
