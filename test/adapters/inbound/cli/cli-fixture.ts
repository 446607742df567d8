import { remotePorts } from '../../../../src/adapters/bootstrap/modules/remote.ts';
import { RestEventBodies } from '../../../../src/adapters/inbound/api/event-bodies.ts';
import type { CliContext, CliSettings } from '../../../../src/adapters/inbound/cli/context.ts';
import { runCli } from '../../../../src/adapters/inbound/cli/run-cli.ts';
import { EemeliYamlText } from '../../../../src/adapters/outbound/system/eemeli-yaml-text.ts';
import { JsTextDiff } from '../../../../src/adapters/outbound/system/js-text-diff.ts';
import { NodeDigest } from '../../../../src/adapters/outbound/system/node-digest.ts';
import { OfferSetup } from '../../../../src/application/access/account-links.ts';
import { LinkIdentity } from '../../../../src/application/access/link-identity.ts';
import { ManageUsers } from '../../../../src/application/access/manage-users.ts';
import { RequireSso } from '../../../../src/application/access/require-sso.ts';
import { TwoFactorPolicy } from '../../../../src/application/access/two-factor-policy.ts';
import { AdvanceBatches } from '../../../../src/application/automation/advance-batches.ts';
import { type RestoreOrder, RestoreSnapshot } from '../../../../src/application/backups/restore-snapshot.ts';
import type { UseCases } from '../../../../src/application/base/parts.ts';
import { READING } from '../../../../src/application/base/reading-classes.ts';
import { type AuditVerdict, VerifyAudit } from '../../../../src/application/events/verify-audit.ts';
import { RequestChange } from '../../../../src/application/jobs/request-change.ts';
import { type JobRunner, JobRunners } from '../../../../src/application/jobs/runner.ts';
import type { ProviderFinding } from '../../../../src/application/ports/access/identity-providers.ts';
import type { Clock } from '../../../../src/application/ports/base/clock.ts';
import type { KeyMaker, KeyPair } from '../../../../src/application/ports/fleet/key-maker.ts';
import { Actor } from '../../../../src/domain/access/actor.ts';
import { DomainError, InvalidInput } from '../../../../src/domain/base/errors.ts';
import { DAY } from '../../../../src/domain/base/instant.ts';
import type { Finding } from '../../../../src/domain/fleet/finding.ts';
import type { Inventory, PendingUpdate } from '../../../../src/domain/fleet/inventory.ts';
import type { Change } from '../../../../src/domain/jobs/requested-change.ts';
import { FakeChannelSender } from '../../../fakes/fake-channel-sender.ts';
import { FakeCronClock } from '../../../fakes/fake-cron-clock.ts';
import { FakeDatabaseHealth } from '../../../fakes/fake-database-health.ts';
import { fakePreviews } from '../../../fakes/fake-exclusion-survey.ts';
import { FakeHostFacts } from '../../../fakes/fake-host-facts.ts';
import { FakeRemoteHosts } from '../../../fakes/fake-remote-hosts.ts';
import { FakeSourceChecks } from '../../../fakes/fake-source-checks.ts';
import { FakeWebhookSender } from '../../../fakes/fake-webhook-sender.ts';
import { InMemoryKeyRing } from '../../../fakes/in-memory-key-ring.ts';
import { InMemorySealedSecrets } from '../../../fakes/in-memory-sealed-secrets.ts';
import { PlainSecretBox } from '../../../fakes/plain-secret-box.ts';
import { RecordingLogger } from '../../../fakes/recording-logger.ts';
import { SeededRandomness } from '../../../fakes/seeded-randomness.ts';
import { accountsScene } from '../../../support/accounts-scene.ts';
import { tokenActor } from '../../../support/application-scene.ts';
import { programOf, type Stub } from '../../../support/program-of.ts';
import { sceneDatabase } from '../../../support/scene-database.ts';
import { FakeIo } from './fake-io.ts';

/** What read-only commands do without. */
const REMOTE = remotePorts({}, () => {
  throw new Error('not asked');
});

export const NOW = Date.UTC(2026, 10, 20, 12);

/** The command line over the real use cases, on a separate database and hosts in memory. */
export class CliFixture {
  readonly io = new FakeIo();
  readonly clock = new ScriptedClock(NOW);
  readonly stores = sceneDatabase(this.clock);
  readonly kept = this.stores.kept;
  readonly jobs = this.stores.jobs;
  readonly queue = this.stores.queue;
  readonly servers = this.stores.servers;
  readonly snapshots = this.stores.snapshots;
  readonly templates = this.stores.templates;
  readonly deployments = this.stores.deployments;
  readonly hosts = new FakeRemoteHosts();
  readonly box = new PlainSecretBox();
  /** The result of `audit verify`. */
  verdict: AuditVerdict = { fault: null, checked: 3, unsealed: 0, pruned: 0, head: null };
  readonly interrupt = new AbortController();
  readonly orders: RestoreOrder[] = [];
  readonly checks = new FakeSourceChecks();
  /** Users have a separate store. */
  readonly accounts = accountsScene();
  readonly sender = new FakeWebhookSender();
  readonly channelSender = new FakeChannelSender();
  /** What a test of a sign-in provider finds. */
  ssoFindings: readonly ProviderFinding[] = [];
  /** The master keys in a file. */
  readonly ring = new InMemoryKeyRing('plainbox');
  readonly secrets = new InMemorySealedSecrets();
  readonly replicas = this.stores.replicas;
  findings: readonly Finding[] = [];
  /** What hosts need to have installed. */
  readonly updates: PendingUpdate[] = [];
  settings: CliSettings = {
    publicUrl: null,
    httpPort: 8888,
    adapterPath: '/here/bin/drover-mcp.mjs',
    keyPassphrase: null,
  };
  served = 0;
  opened = 0;
  readonly useCases: UseCases;
  /** For commands that only read. */
  #reading: UseCases | null = null;
  /** The service's work on batches meanwhile: one run. */
  advance: () => Promise<void> = async () => {};
  /** A token that needs approval requests a change. */
  requestChange: (tokenId: number, change: Change) => Promise<unknown> = async () => {};

  constructor() {
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
      open: async (databaseOnly) => {
        this.opened += 1;
        return {
          useCases: databaseOnly && this.#reading ? this.#reading : this.useCases,
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

  #assemble(): UseCases {
    const { hosts, box, clock, accounts } = this;
    const { devices: deviceStore, kept: _, ...stores } = this.stores;
    const ports = {
      ...stores,
      deviceStore,
      hosts,
      box,
      clock,
      secrets: this.secrets,
      webhookSender: this.sender,
      channelSender: this.channelSender,
      databaseHealth: new FakeDatabaseHealth(),
      version: '1.2.3',
      facts: new FakeHostFacts({ ...INVENTORY, updates: this.updates }),
      keyMaker: new FakeKeyMaker(),
      inspector: { check: async () => ({ snapshots: 4 }) },
      bodies: new RestEventBodies({ publicUrl: null }),
      randomness: new SeededRandomness(),
      digest: new NodeDigest(),
      textDiff: new JsTextDiff(),
      cron: new FakeCronClock(),
      yaml: new EemeliYamlText(),
      log: new RecordingLogger(),
      runners: new JobRunners([IDLE_RUNNER]),
      approvalMs: DAY,
      backupStaleHours: 36,
      agentSocket: null,
      ownBootId: null,
      allowPrivate: false,
      publicUrl: 'https://drover.example.org',
      environmentProvider: null,
      identityProviders: { check: async () => this.ssoFindings } as never,
      owner: 'cli',
      ...fakePreviews(),
      sourceHooks: this.checks.sourceHooks as never,
      dumpClient: this.checks.dumpClient as never,
    };
    const stubs: Stub[] = [
      [ManageUsers, accounts.manageUsers],
      [TwoFactorPolicy, accounts.twoFactorPolicy],
      [RequireSso, accounts.requireSso],
      [LinkIdentity, new LinkIdentity(accounts)],
      [OfferSetup, accounts.offerSetup],
      [VerifyAudit, { execute: async () => this.verdict }],
      [RestoreSnapshot, { execute: this.#restore }],
    ];
    const program = programOf(ports, stubs);
    const kept = Object.entries(ports).filter(([name]) => !(name in REMOTE));
    this.#reading = programOf(Object.fromEntries(kept), stubs, READING);
    this.requestChange = (id, change) =>
      program.get(RequestChange).execute(tokenActor({ id, requireApproval: true }), change);
    this.advance = () => program.get(AdvanceBatches).execute(new AbortController().signal);
    return program;
  }

  readonly #restore: RestoreSnapshot['execute'] = async (_actor, order, watch) => {
    if (order.directory === '/tmp/full' && !order.overwrite)
      throw new DomainError('restore_target_not_empty', 'The directory is not empty.');
    this.orders.push(order);
    watch.progress('copying', 50);
    watch.log('one file differs in its owner');
    const snapshot = await this.snapshots.find(order.snapshotId);
    if (!snapshot) throw new Error('The command looks for the snapshot first.');
    return { snapshot, files: 3, bytes: 2048 };
  };
}

/** Time advances only during a sleep, and then the next step of the script happens. */
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
  types: [
    'backup',
    'retention',
    'os_update_check',
    'os_patch',
    'os_downgrade',
    'template_deploy',
    'template_redeploy',
  ],
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
