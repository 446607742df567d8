import { request as httpRequest } from 'node:http';
import { VERSION } from '../../../../src/adapters/bootstrap/version.ts';
import type { ConnectionLimits } from '../../../../src/adapters/inbound/http/connection-limits.ts';
import type { FixedRoute } from '../../../../src/adapters/inbound/http/context.ts';
import { createHttpServer } from '../../../../src/adapters/inbound/http/http-server.ts';
import { RateLimits, type RateSettings } from '../../../../src/adapters/inbound/http/rate-limit.ts';
import { mcpRoute } from '../../../../src/adapters/inbound/mcp/mcp-route.ts';
import { metricsRoutes } from '../../../../src/adapters/inbound/metrics/metrics-routes.ts';
import { ProcessMetrics } from '../../../../src/adapters/inbound/metrics/process-metrics.ts';
import { InMemoryFiles } from '../../../../src/adapters/outbound/hosts/jail/memory/in-memory-files.ts';
import { InMemoryJails } from '../../../../src/adapters/outbound/hosts/jail/memory/in-memory-jails.ts';
import { EemeliYamlText } from '../../../../src/adapters/outbound/system/eemeli-yaml-text.ts';
import { JsTextDiff } from '../../../../src/adapters/outbound/system/js-text-diff.ts';
import { NodeDigest } from '../../../../src/adapters/outbound/system/node-digest.ts';
import { SystemRandomness } from '../../../../src/adapters/outbound/system/system-randomness.ts';
import { Authenticate } from '../../../../src/application/access/authenticate.ts';
import { IssueToken } from '../../../../src/application/access/issue-token.ts';
import { AdvanceBatches } from '../../../../src/application/automation/advance-batches.ts';
import { AnswerOnce } from '../../../../src/application/base/answer-once.ts';
import type { HostOpener } from '../../../../src/application/fleet/host-opener.ts';
import { type JobRunner, JobRunners } from '../../../../src/application/jobs/runner.ts';
import type { ServerStore } from '../../../../src/application/ports/fleet/server-store.ts';
import type { GaugeSource } from '../../../../src/application/ports/service/gauge-source.ts';
import { ScrapeGauges } from '../../../../src/application/service/scrape-gauges.ts';
import { Actor } from '../../../../src/domain/access/actor.ts';
import type { TokenRequest } from '../../../../src/domain/access/api-token.ts';
import { describeSource } from '../../../../src/domain/backups/backup-source.ts';
import { DAY } from '../../../../src/domain/base/instant.ts';
import { type NewServer, NO_FEATURES, type Server } from '../../../../src/domain/fleet/server.ts';
import { FakeClock } from '../../../fakes/fake-clock.ts';
import { FakeCronClock } from '../../../fakes/fake-cron-clock.ts';
import { fakePreviews, idleOpener } from '../../../fakes/fake-exclusion-survey.ts';
import { PlainSecretBox } from '../../../fakes/plain-secret-box.ts';
import { RecordingLogger } from '../../../fakes/recording-logger.ts';
import { SeededRandomness } from '../../../fakes/seeded-randomness.ts';
import { programOf, type Stub } from '../../../support/program-of.ts';
import { sceneDatabase } from '../../../support/scene-database.ts';
import type { StoresSubject } from '../../../support/stores-subject.ts';
import { undocumented } from './documented.ts';

export interface ApiFixtureOptions {
  readonly trustedProxies?: readonly string[];
  readonly allowedHosts?: readonly string[];
  readonly publicUrl?: string;
  readonly demo?: boolean;
  readonly confirmChanges?: boolean;
  /** Without them there are none. */
  readonly rates?: Partial<RateSettings>;
  readonly connections?: Partial<ConnectionLimits>;
  /** Takes the place of the database's ping. */
  readonly ping?: () => Promise<void>;
  /** Takes the place of single use cases. */
  readonly useCases?: readonly Stub[];
  readonly metricsToken?: string;
  readonly perServer?: boolean;
  /** Takes the place of parts of the one that finds this machine behind every server. */
  readonly opener?: Partial<HostOpener>;
  /** Takes the place of Drover's `/mcp`. */
  readonly mcp?: FixedRoute;
  /** Takes the place of the one in memory. */
  readonly gauges?: GaugeSource;
  /** Replace its own; one database may have several interfaces. */
  readonly stores?: FixtureStores;
}

export type FixtureStores = Pick<
  StoresSubject,
  | 'servers'
  | 'sources'
  | 'dumps'
  | 'jobs'
  | 'queue'
  | 'snapshots'
  | 'inventories'
  | 'hostChanges'
  | 'services'
  | 'tokens'
  | 'requests'
  | 'audit'
  | 'schedules'
  | 'repositories'
  | 'windows'
  | 'selection'
  | 'batches'
  | 'approvals'
  | 'users'
  | 'templates'
  | 'deployments'
  | 'notifications'
>;

/** A reply with its body read; `json` is undefined without a body. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // Replies are checked member by member; their schemas are checked elsewhere.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly json: any;
}

/** Runs the backup, the retention and the update check: nothing here claims jobs, so that they stay pending. */
const runner: JobRunner = {
  types: ['backup', 'retention', 'os_update_check', 'template_deploy', 'template_redeploy'],
  timeLimitMs: 1_000,
  plan: () => Promise.reject(new Error('not run here')),
  apply: () => Promise.reject(new Error('not run here')),
};

/** Every server is this machine. */
const LOCAL: Partial<HostOpener> = {
  ...idleOpener,
  accessTo: async ({ id, name }) => ({ kind: 'local', serverId: id, serverName: name, become: 'none' }),
};

const operator = Actor.operator('operator');

/**
 * The real interfaces with the real use cases on stores on SQLite, on a free loopback port. Server 1 (alpha) has
 * backup and os_patch on, a source and a file root, server 2 (beta) has all features off.
 */
export async function openApiFixture(options: ApiFixtureOptions = {}) {
  const clock = new FakeClock(Date.UTC(2026, 10, 20, 5));
  const scene = sceneDatabase(clock);
  const logger = new RecordingLogger();
  const stores = options.stores ?? scene;
  const files = new InMemoryFiles();
  files.now = () => clock.now();
  files.file('/srv/compose/app/compose.yaml', 'services:\n  app:\n    image: app:1.4\n');
  const program = programOf(
    {
      ...stores,
      dataVersion: options.stores ? { version: () => null } : scene.database,
      ...fakePreviews(),
      opener: { ...LOCAL, ...options.opener } as HostOpener,
      approvalMs: DAY,
      backupStaleHours: 36,
      mostBytes: 2 * 1024 * 1024,
      metricsPerServer: options.perServer ?? false,
      tokensDisabled: options.demo ?? false,
      gauges: options.gauges ?? scene.gauges,
      runners: new JobRunners([runner]),
      jails: new InMemoryJails(() => files),
      box: new PlainSecretBox(),
      cron: new FakeCronClock(),
      digest: new NodeDigest(),
      textDiff: new JsTextDiff(),
      randomness: new SystemRandomness(),
      yaml: new EemeliYamlText(),
      log: logger,
      clock,
    },
    options.useCases,
  );
  const useCases = { get: program.get, version: VERSION };
  const metrics = new ProcessMetrics({ pool: () => ({ used: 1, free: 2, waiting: 3 }) });
  const authenticate = program.get(Authenticate);
  const limits = new RateLimits({ perToken: 0, perAddress: 0, ...options.rates });
  const server = createHttpServer({
    authenticate,
    readiness: { execute: options.ping ?? (() => Promise.resolve()) },
    useCases,
    answerOnce: program.get(AnswerOnce),
    logger,
    limits,
    connections: { most: 0, mostPerAddress: 0, headersTimeout: 10_000, ...options.connections },
    trustedProxies: options.trustedProxies ?? [],
    publicUrl: options.publicUrl ?? null,
    allowedHosts: options.allowedHosts ?? [],
    observe: (route, status, ms) => metrics.request(route, status, ms),
    mounts: [
      options.mcp ??
        mcpRoute({
          authenticate,
          limits,
          useCases,
          answerOnce: program.get(AnswerOnce),
          logger,
          publicUrl: options.publicUrl ?? null,
          confirmChanges: options.confirmChanges ?? true,
          observe: (tool, status, ms) => metrics.tool(tool, status, ms),
        }),
      ...metricsRoutes({
        scrape: program.get(ScrapeGauges),
        process: metrics,
        version: useCases.version,
        token: options.metricsToken ?? null,
        trustedProxies: options.trustedProxies ?? [],
      }),
    ],
    pages: (_, next) => next(),
    closing: () => {},
  });

  const issue = new IssueToken({ ...program.parts, randomness: new SeededRandomness() });
  const alpha = await addServer(
    stores.servers,
    'alpha',
    { backup: true, os_patch: true, docker: false },
    clock,
  );
  const beta = await addServer(stores.servers, 'beta', NO_FEATURES, clock);
  if ((await stores.sources.ofServer(alpha.id)).length === 0) {
    await stores.sources.add(
      describeSource({ serverId: alpha.id, name: 'etc', paths: ['/etc'], at: clock.now() }),
      () => ({}),
    );
  }
  const { port } = await server.listen('127.0.0.1', 0);
  const base = `http://127.0.0.1:${port}`;

  return {
    base,
    port,
    kept: scene.kept,
    users: scene.users,
    database: scene.database,
    /** The work of a service's loop. */
    advanceBatches: () => program.get(AdvanceBatches).execute(new AbortController().signal),
    files,
    clock,
    logger,
    useCases,
    stores,
    server,
    alpha,
    beta,
    close: () => server.close(),
    /** A new token's secret. */
    async token(scopes: readonly string[], more: Partial<TokenRequest> = {}): Promise<string> {
      return (await issue.execute(operator, { name: `test ${scopes.join(' ')}`, scopes, ...more })).secret;
    },
    /** Fails if the reply differs from the API's document. */
    async request(path: string, init: Ask = {}): Promise<Answer> {
      const reply = await ask(base, path, init);
      const fault = undocumented(init.method ?? 'GET', path, reply);
      if (fault !== '') throw new Error(`${init.method ?? 'GET'} ${path}: ${fault}\n${reply.text}`);
      return reply;
    },
    /** One JSON-RPC request to `/mcp`. */
    rpc: (token: string, method: string, params?: object, headers: Record<string, string> = {}) =>
      ask(base, '/mcp', { token, method: 'POST', headers, json: { jsonrpc: '2.0', id: 1, method, params } }),
  };
}

export type ApiFixture = Awaited<ReturnType<typeof openApiFixture>>;

export interface Ask {
  readonly method?: string;
  readonly token?: string;
  readonly headers?: Record<string, string | string[]>;
  readonly json?: unknown;
  readonly body?: string | Buffer;
}

/** Not `fetch`: tests set Host and Origin, and send what `fetch` would fix or refuse. */
function ask(base: string, path: string, init: Ask): Promise<Answer> {
  const body = init.json === undefined ? init.body : JSON.stringify(init.json);
  const headers = {
    ...(init.token === undefined ? {} : { authorization: `Bearer ${init.token}` }),
    ...(body === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    ...init.headers,
  };
  return new Promise((resolve, reject) => {
    const url = new URL(base);
    const sent = httpRequest(
      { hostname: url.hostname, port: url.port, path, method: init.method ?? 'GET', headers, agent: false },
      (res) => {
        const chunks: Buffer[] = [];
        res.on('data', (chunk: Buffer) => chunks.push(chunk));
        res.on('error', reject);
        res.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          const received = new Headers();
          for (const [name, values] of Object.entries(res.headersDistinct)) {
            for (const value of values ?? []) received.append(name, value);
          }
          resolve({ status: res.statusCode ?? 0, headers: received, text, json: parsed(text) });
        });
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

/** A form as browsers and curl send it. */
export function formOf(fields: object, filename: string, content: string | Buffer) {
  const boundary = '----of-a-test';
  const parts = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const file = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${filename}"\r\nContent-Type: application/octet-stream\r\n\r\n`;
  const body = Buffer.concat([
    Buffer.from(parts.join('') + file),
    Buffer.from(content),
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  return { body, headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function addServer(
  servers: ServerStore,
  name: string,
  features: NewServer['features'],
  clock: FakeClock,
): Promise<Server> {
  const there = await servers.findByName(name);
  if (there) return there;
  return servers.add(
    {
      name,
      address: {
        connection: 'ssh',
        hostname: `${name}.example.org`,
        sshPort: 22,
        sshUsername: 'drover',
        sshKeyId: null,
        hostKey: null,
        become: 'sudo',
        jumpServerId: null,
      },
      tags: ['test'],
      features,
      jail: name === 'alpha' ? '/srv/compose' : null,
      jailDeny: [],
      notes: '',
      composeDirs: [],
      updateChecks: [],
    },
    clock.now(),
    () => ({}),
  );
}
