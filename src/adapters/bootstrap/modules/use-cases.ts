import type { Container } from 'inversify';
import { AnswerOnce } from '../../../application/answer-once.ts';
import { RefusalAuditor } from '../../../application/audit-refusals.ts';
import { Authenticate } from '../../../application/authenticate.ts';
import { ManageDumps } from '../../../application/backup/manage-dumps.ts';
import { SourceDumps } from '../../../application/backup/source-dumps.ts';
import { HOOK_TIMES, SourceHooks } from '../../../application/backup/source-hooks.ts';
import { CancelJob } from '../../../application/cancel-job.ts';
import { CheckReadiness } from '../../../application/check-readiness.ts';
import { CheckRepository } from '../../../application/check-repository.ts';
import { CheckServer } from '../../../application/check-server.ts';
import { ClaimJobs } from '../../../application/claim-jobs.ts';
import { ConfirmHostKey, ScanHostKey } from '../../../application/confirm-host-key.ts';
import { ContactLog } from '../../../application/contact-log.ts';
import { DescribeService } from '../../../application/describe-service.ts';
import { EditToken } from '../../../application/edit-token.ts';
import { EnrolThisMachine } from '../../../application/enrol-this-machine.ts';
import { FollowJob } from '../../../application/follow-job.ts';
import { ForgetHistory } from '../../../application/forget-history.ts';
import { ForgetRequests } from '../../../application/forget-requests.ts';
import { GetHealth } from '../../../application/get-health.ts';
import { GetInventory } from '../../../application/get-inventory.ts';
import { GetJob } from '../../../application/get-job.ts';
import { GetOverview } from '../../../application/get-overview.ts';
import { GetServer } from '../../../application/get-server.ts';
import { GetSummary } from '../../../application/get-summary.ts';
import { HostOpener } from '../../../application/host-opener.ts';
import { IssueToken } from '../../../application/issue-token.ts';
import { JobWakeup } from '../../../application/job-wakeup.ts';
import { BackupRunner } from '../../../application/jobs/backup-runner.ts';
import { DetachedWork } from '../../../application/jobs/detached-work.ts';
import { HostRebootRunner } from '../../../application/jobs/host-reboot-runner.ts';
import { OsPatchRunner } from '../../../application/jobs/os-patch-runner.ts';
import { OsUpdateCheckRunner } from '../../../application/jobs/os-update-check-runner.ts';
import { RetentionRunner } from '../../../application/jobs/retention-runner.ts';
import { JobRunners } from '../../../application/jobs/runner.ts';
import { SnapshotVerifyRunner } from '../../../application/jobs/snapshot-verify-runner.ts';
import { ListJobs } from '../../../application/list-jobs.ts';
import { ListServers } from '../../../application/list-servers.ts';
import { ListServices } from '../../../application/list-services.ts';
import { GetSnapshot, ListSnapshots } from '../../../application/list-snapshots.ts';
import { ManageKeys } from '../../../application/manage-keys.ts';
import { ManageMasterKeys } from '../../../application/manage-master-keys.ts';
import { ManageRepositories } from '../../../application/manage-repositories.ts';
import { ManageSources } from '../../../application/manage-sources.ts';
import { GetToken, ListTokens, RevokeToken, RotateToken } from '../../../application/manage-tokens.ts';
import { ReadJobLog } from '../../../application/read-job-log.ts';
import { RefreshDueInventories } from '../../../application/refresh-due-inventories.ts';
import { RefreshInventory } from '../../../application/refresh-inventory.ts';
import { EditServer, RegisterServer, RemoveServer } from '../../../application/register-server.ts';
import { RepositoryAccess } from '../../../application/repository-access.ts';
import { RepositoryChecks } from '../../../application/repository-checks.ts';
import { RestoreSnapshot } from '../../../application/restore-snapshot.ts';
import { RunClaimedJob } from '../../../application/run-claimed-job.ts';
import { SetFeatures } from '../../../application/set-features.ts';
import { SettleSnapshots } from '../../../application/settle-snapshots.ts';
import { ListStartableJobs } from '../../../application/startable-jobs.ts';
import { SweepJobs } from '../../../application/sweep-jobs.ts';
import { SweepSnapshotStore } from '../../../application/sweep-snapshot-store.ts';
import { TokenCache } from '../../../application/token-cache.ts';
import { TriggerJob } from '../../../application/trigger-job.ts';
import { TryToken } from '../../../application/try-token.ts';
import { WatchClock } from '../../../application/watch-clock.ts';
import { ownProcess } from '../../system/own-process.ts';
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
