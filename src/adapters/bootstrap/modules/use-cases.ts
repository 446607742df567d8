import type { Container } from 'inversify';
import { Authenticate } from '../../../application/access/authenticate.ts';
import { EditToken } from '../../../application/access/edit-token.ts';
import { IssueToken } from '../../../application/access/issue-token.ts';
import { GetToken, ListTokens, RevokeToken, RotateToken } from '../../../application/access/manage-tokens.ts';
import { TokenCache } from '../../../application/access/token-cache.ts';
import { TryToken } from '../../../application/access/try-token.ts';
import { BackupRunner } from '../../../application/backups/backup-runner.ts';
import { CheckRepository } from '../../../application/backups/check-repository.ts';
import { HOOK_TIMES } from '../../../application/backups/hook-runs.ts';
import { GetSnapshot, ListSnapshots } from '../../../application/backups/list-snapshots.ts';
import { ManageDumps } from '../../../application/backups/manage-dumps.ts';
import { ManageRepositories } from '../../../application/backups/manage-repositories.ts';
import { ManageSources } from '../../../application/backups/manage-sources.ts';
import { RepositoryAccess } from '../../../application/backups/repository-access.ts';
import { RepositoryChecks } from '../../../application/backups/repository-checks.ts';
import { RestoreSnapshot } from '../../../application/backups/restore-snapshot.ts';
import { RetentionRunner } from '../../../application/backups/retention-runner.ts';
import { SettleSnapshots } from '../../../application/backups/settle-snapshots.ts';
import { SnapshotVerifyRunner } from '../../../application/backups/snapshot-verify-runner.ts';
import { SourceDumps } from '../../../application/backups/source-dumps.ts';
import { SourceHooks } from '../../../application/backups/source-hooks.ts';
import { SweepSnapshotStore } from '../../../application/backups/sweep-snapshot-store.ts';
import { AnswerOnce } from '../../../application/base/answer-once.ts';
import { ForgetRequests } from '../../../application/base/forget-requests.ts';
import { RefusalAuditor } from '../../../application/events/audit-refusals.ts';
import { CheckServer } from '../../../application/fleet/check-server.ts';
import { ConfirmHostKey, ScanHostKey } from '../../../application/fleet/confirm-host-key.ts';
import { ContactLog } from '../../../application/fleet/contact-log.ts';
import { EnrolThisMachine } from '../../../application/fleet/enrol-this-machine.ts';
import { GetInventory } from '../../../application/fleet/get-inventory.ts';
import { GetOverview } from '../../../application/fleet/get-overview.ts';
import { GetServer } from '../../../application/fleet/get-server.ts';
import { GetSummary } from '../../../application/fleet/get-summary.ts';
import { HostOpener } from '../../../application/fleet/host-opener.ts';
import { HostRebootRunner } from '../../../application/fleet/host-reboot-runner.ts';
import { ListServers } from '../../../application/fleet/list-servers.ts';
import { ListServices } from '../../../application/fleet/list-services.ts';
import { ManageKeys } from '../../../application/fleet/manage-keys.ts';
import { OsPatchRunner } from '../../../application/fleet/os-patch-runner.ts';
import { OsUpdateCheckRunner } from '../../../application/fleet/os-update-check-runner.ts';
import { RefreshDueInventories } from '../../../application/fleet/refresh-due-inventories.ts';
import { RefreshInventory } from '../../../application/fleet/refresh-inventory.ts';
import { EditServer, RegisterServer, RemoveServer } from '../../../application/fleet/register-server.ts';
import { SetFeatures } from '../../../application/fleet/set-features.ts';
import { CancelJob } from '../../../application/jobs/cancel-job.ts';
import { ClaimJobs } from '../../../application/jobs/claim-jobs.ts';
import { DetachedWork } from '../../../application/jobs/detached-work.ts';
import { FollowJob } from '../../../application/jobs/follow-job.ts';
import { GetJob } from '../../../application/jobs/get-job.ts';
import { JobWakeup } from '../../../application/jobs/job-wakeup.ts';
import { ListJobs } from '../../../application/jobs/list-jobs.ts';
import { ReadJobLog } from '../../../application/jobs/read-job-log.ts';
import { RunClaimedJob } from '../../../application/jobs/run-claimed-job.ts';
import { JobRunners } from '../../../application/jobs/runner.ts';
import { ListStartableJobs } from '../../../application/jobs/startable-jobs.ts';
import { SweepJobs } from '../../../application/jobs/sweep-jobs.ts';
import { TriggerJob } from '../../../application/jobs/trigger-job.ts';
import { CheckReadiness } from '../../../application/service/check-readiness.ts';
import { DescribeService } from '../../../application/service/describe-service.ts';
import { ForgetHistory } from '../../../application/service/forget-history.ts';
import { GetHealth } from '../../../application/service/get-health.ts';
import { ManageMasterKeys } from '../../../application/service/manage-master-keys.ts';
import { WatchClock } from '../../../application/service/watch-clock.ts';
import { ownProcess } from '../../outbound/system/own-process.ts';
import { bindClass } from '../binding.ts';
import { CONTAINER_JOBS, PORTS, SHARED, USE_CASES, VALUES } from '../tokens.ts';
import { bindApprovals } from './approvals.ts';
import { bindAutomation } from './automation.ts';
import { bindContainerJobs } from './container-jobs.ts';
import { bindSnapshots } from './snapshots.ts';
import { bindTemplates } from './templates.ts';

const {
  servers,
  repositories,
  sources,
  dumps,
  snapshots,
  jobs,
  queue,
  tokens,
  users,
  inventories,
  keys,
  audit,
  settings,
  replicas,
  leases,
} = PORTS;
const {
  box,
  clock,
  digest,
  randomness,
  log,
  hosts,
  engines,
  facts,
  packageManagers,
  processes,
  serviceData,
} = PORTS;
const { cache, wakeup, refusals, opener, runners } = SHARED;

export function bindUseCases(container: Container): void {
  bindShared(container);
  bindFleet(container);
  bindContainerJobs(container);
  bindJobs(container);
  bindAutomation(container);
  bindApprovals(container);
  bindTemplates(container);
  bindBackups(container);
  bindSnapshots(container);
  bindTokens(container);
  bindUpkeep(container);
}

function bindShared(container: Container): void {
  container.bind(cache).toConstantValue(new TokenCache());
  container.bind(wakeup).toConstantValue(new JobWakeup());
  bindClass(container, refusals, RefusalAuditor, { audit, clock });
  bindClass(container, SHARED.contacts, ContactLog, { servers, clock });
  bindClass(container, opener, HostOpener, {
    hosts,
    servers,
    keys,
    box,
    contacts: SHARED.contacts,
    agentSocket: VALUES.agentSocket,
  });
}

function bindFleet(container: Container): void {
  bindClass(container, USE_CASES.getHealth, GetHealth, {});
  bindClass(container, USE_CASES.getSummary, GetSummary, {
    servers,
    jobs,
    notifications: PORTS.notifications,
    clock,
    backupStaleHours: VALUES.backupStaleHours,
  });
  bindClass(container, USE_CASES.getOverview, GetOverview, {
    getSummary: USE_CASES.getSummary,
    servers,
    jobs,
    notifications: PORTS.notifications,
    clock,
    backupStaleHours: VALUES.backupStaleHours,
  });
  bindClass(container, USE_CASES.listServers, ListServers, {
    servers,
    clock,
    backupStaleHours: VALUES.backupStaleHours,
  });
  bindClass(container, USE_CASES.getServer, GetServer, { servers });
  bindClass(container, USE_CASES.getInventory, GetInventory, { servers, inventories });
  bindClass(container, USE_CASES.listServices, ListServices, { servers, services: PORTS.services });
  bindClass(container, USE_CASES.registerServer, RegisterServer, { servers, keys, clock });
  bindClass(container, USE_CASES.editServer, EditServer, { servers, keys, clock });
  bindClass(container, USE_CASES.removeServer, RemoveServer, { servers, clock });
  bindClass(container, USE_CASES.setFeatures, SetFeatures, { servers, clock, refusals });
  bindClass(container, USE_CASES.scanHostKey, ScanHostKey, { hosts, opener, servers });
  bindClass(container, USE_CASES.confirmHostKey, ConfirmHostKey, { servers, clock });
  bindClass(container, USE_CASES.masterKeys, ManageMasterKeys, {
    secrets: PORTS.sealedSecrets,
    box,
    replicas: PORTS.replicas,
    audit: PORTS.audit,
    clock,
  });
  bindClass(container, USE_CASES.manageKeys, ManageKeys, { keys, maker: PORTS.keyMaker, box, clock });
  bindClass(container, USE_CASES.refreshInventory, RefreshInventory, {
    hosts: opener,
    facts,
    inventories,
    clock,
    ownBootId: VALUES.ownBootId,
  });
  bindClass(container, USE_CASES.checkServer, CheckServer, {
    servers,
    hosts: opener,
    inventory: USE_CASES.refreshInventory,
  });
}

function bindJobs(container: Container): void {
  bindClass(container, SHARED.clockWatch, WatchClock, {
    clockRecord: PORTS.clockRecord,
    databaseHealth: PORTS.databaseHealth,
    clock,
    log,
  });
  bindClass(container, SHARED.settleSnapshots, SettleSnapshots, { engines, snapshots });
  container
    .bind(SHARED.sourceHooks)
    .toResolvedValue(
      (runs, time) => new SourceHooks({ runs, clock: time, process: ownProcess(), times: HOOK_TIMES }),
      [PORTS.detachedRuns, clock],
    );
  bindClass(container, SHARED.backupRunner, BackupRunner, {
    engines,
    hooks: SHARED.sourceHooks,
    settle: SHARED.settleSnapshots,
    sources,
    snapshots,
    dumps: SHARED.sourceDumps,
    serviceData,
    jobs,
    digest,
    clock,
  });
  bindClass(container, SHARED.retentionRunner, RetentionRunner, {
    clockWatch: SHARED.clockWatch,
    engines,
    settle: SHARED.settleSnapshots,
    sources,
    snapshots,
    jobs,
    digest,
    clock,
  });
  bindClass(container, SHARED.snapshotVerifyRunner, SnapshotVerifyRunner, {
    engines,
    sources,
    snapshots,
    hosts,
    randomness,
    clock,
  });
  bindClass(container, SHARED.osUpdateCheckRunner, OsUpdateCheckRunner, {
    inventory: USE_CASES.refreshInventory,
    packageManagers,
    clock,
  });
  bindClass(container, SHARED.hostRebootRunner, HostRebootRunner, {
    inventory: USE_CASES.refreshInventory,
    jobs,
    digest,
    clock,
  });
  bindClass(container, SHARED.detachedWork, DetachedWork, { runs: PORTS.detachedRuns, clock });
  bindClass(container, SHARED.osPatchRunner, OsPatchRunner, {
    inventory: USE_CASES.refreshInventory,
    packageManagers,
    work: SHARED.detachedWork,
    jobs,
    digest,
    clock,
  });
  container
    .bind(runners)
    .toResolvedValue(
      (...each) => new JobRunners(each),
      [
        SHARED.backupRunner,
        SHARED.retentionRunner,
        SHARED.restoreRunner,
        SHARED.dumpRestoreRunner,
        SHARED.snapshotVerifyRunner,
        SHARED.osUpdateCheckRunner,
        SHARED.osPatchRunner,
        SHARED.hostRebootRunner,
        CONTAINER_JOBS.updateCheckRunner,
        CONTAINER_JOBS.patchRunner,
        CONTAINER_JOBS.stackCheckRunner,
        CONTAINER_JOBS.stackRunner,
        SHARED.templateDeployRunner,
      ],
    )
    .inSingletonScope();
  bindClass(container, USE_CASES.triggerJob, TriggerJob, {
    servers,
    sources,
    jobs,
    runners,
    orders: SHARED.orders,
    gate: SHARED.gate,
    plans: USE_CASES.approvalPlans,
    approvalMs: VALUES.approvalMs,
    clock,
    wakeup,
    refusals,
  });
  bindClass(container, USE_CASES.cancelJob, CancelJob, { jobs, clock, wakeup, refusals });
  bindClass(container, USE_CASES.getJob, GetJob, { jobs });
  bindClass(container, USE_CASES.listJobs, ListJobs, { jobs, servers });
  bindClass(container, USE_CASES.followJob, FollowJob, { jobs, clock });
  bindClass(container, USE_CASES.readJobLog, ReadJobLog, { jobs });
  bindClass(container, USE_CASES.listStartableJobs, ListStartableJobs, {
    servers,
    sources,
    inventories,
    deployments: PORTS.deployments,
    templates: PORTS.templates,
    runners,
  });
  bindClass(container, USE_CASES.claimJobs, ClaimJobs, {
    queue,
    clock,
    owner: VALUES.owner,
    leaseMs: VALUES.leaseMs,
  });
  bindClass(container, USE_CASES.runClaimedJob, RunClaimedJob, {
    queue,
    servers,
    runners,
    hosts: opener,
    gate: SHARED.gate,
    clock,
    log,
    wakeup,
    times: VALUES.leaseTimes,
    instance: VALUES.instance,
  });
  bindClass(container, USE_CASES.sweepJobs, SweepJobs, { queue, replicas, leases, processes, clock });
}

function bindBackups(container: Container): void {
  bindClass(container, USE_CASES.manageSources, ManageSources, { servers, sources, repositories, clock });
  bindClass(container, USE_CASES.manageDumps, ManageDumps, { servers, sources, dumps, box, clock });
  bindClass(container, SHARED.sourceDumps, SourceDumps, { dumps, client: PORTS.dumpClient, box });
  bindClass(container, SHARED.repositoryAccess, RepositoryAccess, { repositories, box, clock });
  bindClass(container, USE_CASES.manageRepositories, ManageRepositories, { repositories, box, clock });
  bindClass(container, USE_CASES.checkRepository, CheckRepository, {
    repositories,
    access: SHARED.repositoryAccess,
    sources,
    servers,
    opener,
    inspector: PORTS.inspector,
    audit,
    clock,
  });
  bindClass(container, USE_CASES.repositoryChecks, RepositoryChecks, {
    check: USE_CASES.checkRepository,
    repositories: USE_CASES.manageRepositories,
    audit,
    clock,
    log,
  });
  bindClass(container, USE_CASES.listSnapshots, ListSnapshots, { servers, snapshots });
  bindClass(container, USE_CASES.getSnapshot, GetSnapshot, { snapshots });
  bindClass(container, USE_CASES.sweepSnapshotStore, SweepSnapshotStore, {
    engines,
    sources,
    settle: SHARED.settleSnapshots,
    log,
  });
  bindClass(container, USE_CASES.restoreSnapshot, RestoreSnapshot, {
    snapshots,
    servers,
    hosts,
    opener,
    engines,
    audit,
    clock,
  });
}

function bindTokens(container: Container): void {
  bindClass(container, USE_CASES.authenticate, Authenticate, {
    tokens,
    users,
    cache,
    digest,
    clock,
    log,
    tokensDisabled: VALUES.tokensDisabled,
  });
  bindClass(container, USE_CASES.issueToken, IssueToken, { tokens, servers, randomness, digest, clock });
  bindClass(container, USE_CASES.listTokens, ListTokens, { tokens });
  bindClass(container, USE_CASES.getToken, GetToken, { tokens, audit });
  bindClass(container, USE_CASES.tryToken, TryToken, {
    authenticate: USE_CASES.authenticate,
    tokens,
    digest,
    audit,
    clock,
  });
  bindClass(container, USE_CASES.editToken, EditToken, { tokens, servers, cache, clock });
  bindClass(container, USE_CASES.rotateToken, RotateToken, { tokens, cache, randomness, digest, clock });
  bindClass(container, USE_CASES.revokeToken, RevokeToken, { tokens, cache, clock });
}

function bindUpkeep(container: Container): void {
  const { requests } = PORTS;
  bindClass(container, USE_CASES.answerOnce, AnswerOnce, { requests, digest, randomness, clock, log });
  bindClass(container, USE_CASES.forgetRequests, ForgetRequests, { requests });
  bindClass(container, USE_CASES.forgetHistory, ForgetHistory, {
    history: PORTS.history,
    pruneAudit: USE_CASES.pruneAudit,
    clock,
    kept: VALUES.kept,
  });
  bindClass(container, USE_CASES.describeService, DescribeService, {
    database: PORTS.databaseHealth,
    replicas,
    box,
    version: VALUES.version,
    owner: VALUES.owner,
  });
  bindClass(container, USE_CASES.checkReadiness, CheckReadiness, { database: PORTS.databaseHealth });
  bindClass(container, USE_CASES.enrolThisMachine, EnrolThisMachine, {
    servers,
    sources,
    settings,
    serviceData,
    clock,
    machineName: VALUES.machineName,
  });
  bindClass(container, USE_CASES.refreshDueInventories, RefreshDueInventories, {
    servers,
    inventory: USE_CASES.refreshInventory,
    clock,
    log,
  });
}
