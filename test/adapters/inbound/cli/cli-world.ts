import { RestEventBodies } from '../../../../src/adapters/inbound/api/event-bodies.ts';
import type { CliContext, CliSettings } from '../../../../src/adapters/inbound/cli/context.ts';
import { runCli } from '../../../../src/adapters/inbound/cli/run-cli.ts';
import type { CliUseCases } from '../../../../src/adapters/inbound/cli/use-cases.ts';
import { EemeliYamlText } from '../../../../src/adapters/outbound/system/eemeli-yaml-text.ts';
import { NodeDigest } from '../../../../src/adapters/outbound/system/node-digest.ts';
import { EditToken } from '../../../../src/application/access/edit-token.ts';
import { IssueToken } from '../../../../src/application/access/issue-token.ts';
import {
  GetToken,
  ListTokens,
  RevokeToken,
  RotateToken,
} from '../../../../src/application/access/manage-tokens.ts';
import { TokenCache } from '../../../../src/application/access/token-cache.ts';
import { MaintenanceGate } from '../../../../src/application/automation/maintenance-gate.ts';
import { CheckRepository } from '../../../../src/application/backups/check-repository.ts';
import { GetSnapshot, ListSnapshots } from '../../../../src/application/backups/list-snapshots.ts';
import { ManageDumps } from '../../../../src/application/backups/manage-dumps.ts';
import { ManageRepositories } from '../../../../src/application/backups/manage-repositories.ts';
import { ManageSources } from '../../../../src/application/backups/manage-sources.ts';
import { PreviewExclusions } from '../../../../src/application/backups/preview-exclusions.ts';
import { RepositoryAccess } from '../../../../src/application/backups/repository-access.ts';
import { RequestDumpRestore } from '../../../../src/application/backups/request-dump-restore.ts';
import type { RestoreOrder } from '../../../../src/application/backups/restore-snapshot.ts';
import {
  GetTemplate,
  ListDeployments,
  ListTemplates,
} from '../../../../src/application/compose/list-templates.ts';
import { ManageTemplates } from '../../../../src/application/compose/manage-templates.ts';
import { TemplateRenderer } from '../../../../src/application/compose/template-renderer.ts';
import { RefusalAuditor } from '../../../../src/application/events/audit-refusals.ts';
import { DeliverMessages } from '../../../../src/application/events/deliver-messages.ts';
import { ListAudit } from '../../../../src/application/events/list-audit.ts';
import { ListNotifications } from '../../../../src/application/events/list-notifications.ts';
import { ManageAlerts } from '../../../../src/application/events/manage-alerts.ts';
import { ManageDeliveries } from '../../../../src/application/events/manage-deliveries.ts';
import { ManageWebhooks } from '../../../../src/application/events/manage-webhooks.ts';
import type { AuditVerdict } from '../../../../src/application/events/verify-audit.ts';
import { WebhookChannel } from '../../../../src/application/events/webhook-channel.ts';
import { CheckServer } from '../../../../src/application/fleet/check-server.ts';
import { ConfirmHostKey, ScanHostKey } from '../../../../src/application/fleet/confirm-host-key.ts';
import { GetInventory } from '../../../../src/application/fleet/get-inventory.ts';
import { GetOverview } from '../../../../src/application/fleet/get-overview.ts';
import { GetServer } from '../../../../src/application/fleet/get-server.ts';
import { GetSummary } from '../../../../src/application/fleet/get-summary.ts';
import { HostOpener } from '../../../../src/application/fleet/host-opener.ts';
import { ListServers } from '../../../../src/application/fleet/list-servers.ts';
import { ManageKeys } from '../../../../src/application/fleet/manage-keys.ts';
import { RefreshInventory } from '../../../../src/application/fleet/refresh-inventory.ts';
import {
  EditServer,
  RegisterServer,
  RemoveServer,
} from '../../../../src/application/fleet/register-server.ts';
import { SetFeatures } from '../../../../src/application/fleet/set-features.ts';
import { ApprovalPlans } from '../../../../src/application/jobs/approval-plans.ts';
import { CancelJob } from '../../../../src/application/jobs/cancel-job.ts';
import { FollowJob } from '../../../../src/application/jobs/follow-job.ts';
import { GetJob } from '../../../../src/application/jobs/get-job.ts';
import { JobWakeup } from '../../../../src/application/jobs/job-wakeup.ts';
import { ListJobs } from '../../../../src/application/jobs/list-jobs.ts';
import { ReadJobLog } from '../../../../src/application/jobs/read-job-log.ts';
import { RequesterActors } from '../../../../src/application/jobs/requester-actors.ts';
import { type JobRunner, JobRunners } from '../../../../src/application/jobs/runner.ts';
import { TriggerJob } from '../../../../src/application/jobs/trigger-job.ts';
import type { Clock } from '../../../../src/application/ports/base/clock.ts';
import type { KeyMaker, KeyPair } from '../../../../src/application/ports/fleet/key-maker.ts';
import { DescribeService } from '../../../../src/application/service/describe-service.ts';
import { ManageMasterKeys } from '../../../../src/application/service/manage-master-keys.ts';
import { Actor } from '../../../../src/domain/access/actor.ts';
import { snapshotNotFound } from '../../../../src/domain/backups/snapshot.ts';
import { InvalidInput } from '../../../../src/domain/base/errors.ts';
import { DAY } from '../../../../src/domain/base/instant.ts';
import type { Finding } from '../../../../src/domain/fleet/finding.ts';
import type { Inventory, PendingUpdate } from '../../../../src/domain/fleet/inventory.ts';
import { FakeCronClock } from '../../../fakes/fake-cron-clock.ts';
import { fakePreviews } from '../../../fakes/fake-exclusion-survey.ts';
import { FakeHostFacts } from '../../../fakes/fake-host-facts.ts';
import { FakeRemoteHosts } from '../../../fakes/fake-remote-hosts.ts';
import { FakeWebhookSender } from '../../../fakes/fake-webhook-sender.ts';
import { InMemoryApprovalStore } from '../../../fakes/in-memory-approval-store.ts';
import { InMemoryAuditLog } from '../../../fakes/in-memory-audit-log.ts';
import { InMemoryBatchStore } from '../../../fakes/in-memory-batch-store.ts';
import { InMemoryDeliveryStore } from '../../../fakes/in-memory-delivery-store.ts';
import { InMemoryDeploymentStore } from '../../../fakes/in-memory-deployment-store.ts';
import { InMemoryDumpStore } from '../../../fakes/in-memory-dump-store.ts';
import { InMemoryInventoryStore } from '../../../fakes/in-memory-inventory-store.ts';
import { InMemoryJobs } from '../../../fakes/in-memory-jobs.ts';
import { InMemoryKeyRing } from '../../../fakes/in-memory-key-ring.ts';
import { InMemoryKeyStore } from '../../../fakes/in-memory-key-store.ts';
import { InMemoryLeaseStore } from '../../../fakes/in-memory-lease-store.ts';
import { InMemoryNotificationStore } from '../../../fakes/in-memory-notification-store.ts';
import { InMemoryReplicaStore } from '../../../fakes/in-memory-replica-store.ts';
import { InMemoryRepositoryStore } from '../../../fakes/in-memory-repository-store.ts';
import { InMemoryScheduleStore } from '../../../fakes/in-memory-schedule-store.ts';
import { InMemorySealedSecrets } from '../../../fakes/in-memory-sealed-secrets.ts';
import { InMemoryServerSelection } from '../../../fakes/in-memory-server-selection.ts';
import { InMemoryServerStore } from '../../../fakes/in-memory-server-store.ts';
import { InMemorySnapshotStore } from '../../../fakes/in-memory-snapshot-store.ts';
import { InMemorySourceStore } from '../../../fakes/in-memory-source-store.ts';
import { InMemoryTemplateStore } from '../../../fakes/in-memory-template-store.ts';
import { InMemoryTokenStore } from '../../../fakes/in-memory-token-store.ts';
import { InMemoryUserStore } from '../../../fakes/in-memory-user-store.ts';
import { InMemoryWebhookStore } from '../../../fakes/in-memory-webhook-store.ts';
import { InMemoryWindowStore } from '../../../fakes/in-memory-window-store.ts';
import { InMemoryWorld } from '../../../fakes/in-memory-world.ts';
import { PlainSecretBox } from '../../../fakes/plain-secret-box.ts';
import { RecordingLogger } from '../../../fakes/recording-logger.ts';
import { SeededRandomness } from '../../../fakes/seeded-randomness.ts';
import { accountsScene } from '../../../support/accounts-scene.ts';
import { approvalsOf } from '../../../support/approvals.ts';
import { automationOf } from '../../../support/automation.ts';
import { templateOrders } from '../../../support/templates.ts';
import { FakeIo } from './fake-io.ts';

export const NOW = Date.UTC(2026, 10, 20, 12);

/** The command line over the real use cases, on stores and hosts in memory. */
export class CliWorld {
  readonly io = new FakeIo();
  readonly world = new InMemoryWorld();
  readonly jobs = new InMemoryJobs(this.world);
  readonly servers = new InMemoryServerStore(this.world);
  readonly snapshots = new InMemorySnapshotStore(this.world);
  readonly templates = new InMemoryTemplateStore(this.world);
  readonly deployments = new InMemoryDeploymentStore(this.world);
  readonly hosts = new FakeRemoteHosts();
  readonly box = new PlainSecretBox();
  /** What `audit verify` finds. */
  verdict: AuditVerdict = { fault: null, checked: 3, unsealed: 0, pruned: 0, head: null };
  readonly clock = new ScriptedClock(NOW);
  readonly interrupt = new AbortController();
  readonly orders: RestoreOrder[] = [];
  /** People have a world of their own. */
  readonly accounts = accountsScene();
  readonly sender = new FakeWebhookSender();
  /** The master keys in a file. */
  readonly ring = new InMemoryKeyRing('plainbox');
  readonly secrets = new InMemorySealedSecrets();
  readonly replicas = new InMemoryReplicaStore(this.world);
  findings: readonly Finding[] = [];
  /** What hosts have to install. */
  readonly updates: PendingUpdate[] = [];
  settings: CliSettings = {
    publicUrl: null,
    httpPort: 8888,
    adapterPath: '/here/bin/drover-mcp.mjs',
    keyPassphrase: null,
  };
  served = 0;
  opened = 0;
  readonly useCases: CliUseCases;
  /** What the service does with batches meanwhile: one look. */
  advance: () => Promise<void> = async () => {};

  constructor() {
    this.world.now = () => this.clock.now();
    this.useCases = this.#assemble();
  }

  /** Runs a command line, as typed, on a screen that is empty. Quotes keep words together. */
  async run(line: string): Promise<{ code: number; out: string; err: string }> {
    this.io.stdout = '';
    this.io.stderr = '';
    const args = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
    const code = await runCli(args, this.#context());
    return { code, out: this.io.stdout, err: this.io.stderr };
  }

  /** The one JSON value that a command prints with --json. */
  async json(line: string) {
    const { out } = await this.run(`${line} --json`);
    return JSON.parse(out);
  }

  #context(): CliContext {
    return {
      version: '1.2.3',
      io: this.io,
      clock: this.clock,
      actor: Actor.operator('cli:tester'),
      directory: '/home/tester',
      signal: this.interrupt.signal,
      open: async () => {
        this.opened += 1;
        return {
          useCases: this.useCases,
          settings: this.settings,
          keyRing: () => this.ring,
        };
      },
      serve: async () => {
        this.served += 1;
        return 0;
      },
      diagnose: async () => this.findings,
      backups: () => {
        throw new Error('no backups here');
      },
    };
  }

  #assemble(): CliUseCases {
    const { world, jobs, servers, snapshots, templates, deployments, hosts, box, clock } = this;
    const keys = new InMemoryKeyStore(world);
    const sources = new InMemorySourceStore(world);
    const dumps = new InMemoryDumpStore(world);
    const repositories = new InMemoryRepositoryStore(world);
    const tokens = new InMemoryTokenStore(world);
    const audit = new InMemoryAuditLog(world);
    const opener = new HostOpener({
      hosts,
      servers,
      keys,
      box,
      contacts: { succeeded: async () => {}, failed: async () => {} },
      agentSocket: null,
    });
    const refusals = new RefusalAuditor({ audit, clock });
    const wakeup = new JobWakeup();
    const randomness = new SeededRandomness();
    const digest = new NodeDigest();
    const cache = new TokenCache();
    const inventories = new InMemoryInventoryStore(this.world);
    const facts = new FakeHostFacts({ ...INVENTORY, updates: this.updates });
    const inventory = new RefreshInventory({ hosts: opener, facts, inventories, clock });
    const runners = new JobRunners([IDLE_RUNNER]);
    const cron = new FakeCronClock();
    const windows = new InMemoryWindowStore(world);
    const gate = new MaintenanceGate({ windows, cron, clock });
    const orders = templateOrders({ templates, deployments, jobs, clock, box });
    const approvals = new InMemoryApprovalStore(world);
    const users = new InMemoryUserStore(world);
    const requesters = new RequesterActors({ tokens, users, clock });
    const plans = new ApprovalPlans({ approvals, jobs, clock, wakeup });
    const trigger = new TriggerJob({
      plans,
      approvalMs: DAY,
      servers,
      sources,
      jobs,
      runners,
      orders,
      gate,
      clock,
      wakeup,
      refusals,
    });
    const renderer = new TemplateRenderer({ yaml: new EemeliYamlText() });
    const cancel = new CancelJob({ jobs, clock, wakeup, refusals });
    const batches = new InMemoryBatchStore(world);
    const automation = automationOf({
      schedules: new InMemoryScheduleStore(world),
      selection: new InMemoryServerSelection(world),
      batches,
      jobs,
      log: new RecordingLogger(),
      windows,
      requesters,
      approvalMs: DAY,
      audit,
      runners,
      gate,
      cron,
      clock,
      refusals,
      trigger,
      cancel,
      wakeup,
    });
    this.advance = () => automation.advanceBatches.execute(new AbortController().signal);
    const notifications = new InMemoryNotificationStore(world);
    const webhooks = new InMemoryWebhookStore(world);
    const deliveries = new InMemoryDeliveryStore(world);
    const bodies = new RestEventBodies({ publicUrl: null });
    const manageWebhooks = new ManageWebhooks({ webhooks, box, randomness, clock, allowPrivate: false });
    const webhookChannel = new WebhookChannel({ webhooks, sender: this.sender, box, clock });
    const deliver = new DeliverMessages({
      deliveries,
      webhookChannel,
      pushChannel: { open: async () => null },
      leases: new InMemoryLeaseStore(world),
      owner: 'cli',
      clock,
      log: new RecordingLogger(),
    });
    return {
      ...automation,
      listNotifications: new ListNotifications({ notifications }),
      manageAlerts: new ManageAlerts({ notifications, servers, clock }),
      manageWebhooks,
      manageDeliveries: new ManageDeliveries({
        deliveries,
        webhooks: manageWebhooks,
        subscriptions: { find: async () => null },
        deliver,
        bodies,
        randomness,
        clock,
      }),
      listServers: new ListServers({ servers, clock, backupStaleHours: 36 }),
      getServer: new GetServer({ servers }),
      getInventory: new GetInventory({ servers, inventories }),
      getOverview: new GetOverview({
        getSummary: new GetSummary({ servers, jobs, notifications, clock, backupStaleHours: 36 }),
        servers,
        jobs,
        notifications,
        clock,
        backupStaleHours: 36,
      }),
      describeService: new DescribeService({
        database: { product: async () => 'memory' },
        replicas: this.replicas,
        box,
        version: '1.2.3',
        owner: 'cli',
      }),
      readJobLog: new ReadJobLog({ jobs }),
      registerServer: new RegisterServer({ servers, keys, clock }),
      editServer: new EditServer({ servers, keys, clock }),
      removeServer: new RemoveServer({ servers, clock }),
      checkServer: new CheckServer({ servers, hosts: opener, inventory }),
      scanHostKey: new ScanHostKey({ hosts, opener, servers }),
      confirmHostKey: new ConfirmHostKey({ servers, clock }),
      setFeatures: new SetFeatures({ servers, clock, refusals }),
      manageKeys: new ManageKeys({ keys, maker: new FakeKeyMaker(), box, clock }),
      manageSources: new ManageSources({ servers, sources, repositories, clock }),
      previewExclusions: new PreviewExclusions({ servers, sources, opener, ...fakePreviews() }),
      requestDumpRestore: new RequestDumpRestore({
        browseSnapshot: {
          admit: async (_actor, id) => {
            const found = await snapshots.find(id);
            if (!found) throw snapshotNotFound(id);
            return found;
          },
        },
        servers,
        dumps,
        triggerJob: trigger,
      }),
      manageDumps: new ManageDumps({ servers, sources, dumps, box, clock }),
      manageRepositories: new ManageRepositories({ repositories, box, clock }),
      checkRepository: new CheckRepository({
        repositories,
        access: new RepositoryAccess({ repositories, box, clock }),
        sources,
        servers,
        opener,
        inspector: { check: async () => ({ snapshots: 4 }) },
        audit,
        clock,
      }),
      triggerJob: trigger,
      listAudit: new ListAudit({ audit, clock }),
      masterKeys: new ManageMasterKeys({
        secrets: this.secrets,
        box,
        replicas: this.replicas,
        audit,
        clock,
      }),
      verifyAudit: { execute: async () => this.verdict },
      ...approvalsOf({
        approvals,
        jobs,
        servers,
        sources,
        runners,
        gate,
        requesters,
        clock,
        wakeup,
        refusals,
        plans,
        batches,
      }),
      cancelJob: cancel,
      getJob: new GetJob({ jobs }),
      listJobs: new ListJobs({ jobs, servers }),
      followJob: new FollowJob({ jobs, clock }),
      manageTemplates: new ManageTemplates({ templates, deployments, servers, renderer, clock, refusals }),
      listTemplates: new ListTemplates({ templates }),
      getTemplate: new GetTemplate({ templates }),
      listDeployments: new ListDeployments({ deployments, servers }),
      listSnapshots: new ListSnapshots({ servers, snapshots }),
      getSnapshot: new GetSnapshot({ snapshots }),
      restoreSnapshot: {
        execute: async (_actor, order, watch) => {
          this.orders.push(order);
          watch.progress('copying', 50);
          watch.log('one file differs in its owner');
          const snapshot = await snapshots.find(order.snapshotId);
          if (!snapshot) throw new Error('The command looks for the snapshot first.');
          return { snapshot, files: 3, bytes: 2048 };
        },
      },
      issueToken: new IssueToken({ tokens, servers, randomness, digest, clock }),
      listTokens: new ListTokens({ tokens }),
      getToken: new GetToken({ tokens, audit }),
      editToken: new EditToken({ tokens, servers, cache, clock }),
      rotateToken: new RotateToken({ tokens, cache, randomness, digest, clock }),
      revokeToken: new RevokeToken({ tokens, cache, clock }),
      manageUsers: this.accounts.manageUsers,
      twoFactorPolicy: this.accounts.twoFactorPolicy,
      offerSetup: this.accounts.offerSetup,
    };
  }
}

/** Time goes on only while somebody sleeps, and then the next step of the script happens. */
class ScriptedClock implements Clock {
  #now: number;
  readonly steps: (() => Promise<unknown> | void)[] = [];

  constructor(now: number) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  async sleep(ms: number): Promise<void> {
    this.#now += ms;
    const step = this.steps.shift();
    if (step === undefined) throw new Error('Somebody waits, and nothing more will happen.');
    await step();
  }
}

const nothing = async () => ({ summary: '', result: {} });
const IDLE_RUNNER: JobRunner = {
  types: ['backup', 'retention', 'os_update_check', 'os_patch', 'template_deploy', 'template_redeploy'],
  timeLimitMs: 1000,
  plan: nothing,
  apply: nothing,
};

class FakeKeyMaker implements KeyMaker {
  #made = 0;

  async generate(comment: string): Promise<KeyPair> {
    this.#made += 1;
    return pairOf(`AAAA${this.#made}`, comment);
  }

  async import(pem: string, passphrase?: string): Promise<KeyPair> {
    if (!pem.includes('PRIVATE KEY'))
      throw new InvalidInput([{ path: '/private_key', message: 'This is no key.' }]);
    if (pem.includes('ENCRYPTED') && passphrase !== 'opensesame') {
      throw new InvalidInput([{ path: '/passphrase', message: 'The key needs its passphrase.' }]);
    }
    return pairOf('IMPORTED', 'imported');
  }
}

const pairOf = (blob: string, comment: string): KeyPair => ({
  algorithm: 'ssh-ed25519',
  publicKey: `ssh-ed25519 ${blob} ${comment}`,
  fingerprint: `SHA256:${blob}`,
  privateKey: `private half of ${blob}`,
});

const INVENTORY: Omit<Inventory, 'at'> = {
  hostname: 'web',
  osType: 'linux',
  osId: 'debian',
  osFamily: 'debian',
  osVersion: '12',
  osPretty: 'Debian GNU/Linux 12 (bookworm)',
  kernel: '6.1.0',
  arch: 'x86_64',
  hardware: 'kvm',
  cpuModel: null,
  cpuCores: 4,
  cpuLoad: 0.25,
  memoryTotalBytes: 8 * 1024 ** 3,
  memoryUsedBytes: 1024 ** 3,
  diskTotalBytes: 100 * 1024 ** 3,
  diskUsedBytes: 40 * 1024 ** 3,
  disks: [],
  uptimeSeconds: 90_000,
  bootId: null,
  packagesCount: 321,
  updates: [],
  packagesStamp: null,
  packagesNotes: [],
  packageLists: null,
  rebootPending: false,
  containerEngine: null,
  containers: null,
  failedUnits: [{ name: 'smartd.service', description: 'disk health' }],
};
