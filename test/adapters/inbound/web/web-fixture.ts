import { STATIC_FILES } from '../../../../src/adapters/bootstrap/version.ts';
import { createHttpServer, type HttpServer } from '../../../../src/adapters/inbound/http/http-server.ts';
import { RateLimits } from '../../../../src/adapters/inbound/http/rate-limit.ts';
import { allRoutes } from '../../../../src/adapters/inbound/web/all-routes.ts';
import { EventStreams } from '../../../../src/adapters/inbound/web/event-streams.ts';
import { NavigationCounter } from '../../../../src/adapters/inbound/web/navigation-counter.ts';
import type { SignedInVisit, WebReply, WebRoute } from '../../../../src/adapters/inbound/web/route.ts';
import { loadStaticFiles } from '../../../../src/adapters/inbound/web/static-files.ts';
import { TOASTS } from '../../../../src/adapters/inbound/web/toasts.ts';
import { type Guest, webHandler } from '../../../../src/adapters/inbound/web/web-handler.ts';
import { Authenticate } from '../../../../src/application/access/authenticate.ts';
import { EditToken } from '../../../../src/application/access/edit-token.ts';
import { IssueToken } from '../../../../src/application/access/issue-token.ts';
import {
  GetToken,
  ListTokens,
  RevokeToken,
  RotateToken,
} from '../../../../src/application/access/manage-tokens.ts';
import type { EnvironmentProvider } from '../../../../src/application/access/sso-providers.ts';
import { TryToken } from '../../../../src/application/access/try-token.ts';
import type { CheckRepository } from '../../../../src/application/backups/check-repository.ts';
import { RepositoryChecks } from '../../../../src/application/backups/repository-checks.ts';
import { ListAudit } from '../../../../src/application/events/list-audit.ts';
import { RecordReads } from '../../../../src/application/events/record-reads.ts';
import { CountForNavigation } from '../../../../src/application/fleet/count-for-navigation.ts';
import { FindCve } from '../../../../src/application/fleet/find-cve.ts';
import { ListCves } from '../../../../src/application/fleet/list-cves.ts';
import { ListHostChanges } from '../../../../src/application/fleet/list-host-changes.ts';
import { ListPackages } from '../../../../src/application/fleet/list-packages.ts';
import { ListServices } from '../../../../src/application/fleet/list-services.ts';
import { SearchPackages } from '../../../../src/application/fleet/search-packages.ts';
import { GetJobDays } from '../../../../src/application/jobs/job-days.ts';
import { type JobRunner, JobRunners } from '../../../../src/application/jobs/runner.ts';
import { DefaultTimeZone } from '../../../../src/application/service/default-time-zone.ts';
import { DescribeService } from '../../../../src/application/service/describe-service.ts';
import { Actor } from '../../../../src/domain/access/actor.ts';
import type { ForwardAuthSettings } from '../../../../src/domain/access/forward-auth.ts';
import type { Role } from '../../../../src/domain/access/role.ts';
import type { FakeClock } from '../../../fakes/fake-clock.ts';
import { FakeDatabaseHealth } from '../../../fakes/fake-database-health.ts';
import { type AccountsScene, accountsScene, BROWSER, PASSWORD } from '../../../support/accounts-scene.ts';
import { applicationScene } from '../../../support/application-scene.ts';
import { approvalsOf } from '../../../support/approvals.ts';
import { type FilePages, filePages } from '../../../support/file-pages.ts';
import { type Messaging, messagingOf } from '../../../support/messaging.ts';
import { ssoScene } from '../../../support/sso-scene.ts';
import { workOf } from '../../../support/web-work.ts';
import { type FleetFixture, fleetParts } from './fleet-parts.ts';

/** The address that the browser knows the service by. */
const PUBLIC = 'https://drover.example.org:8443';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
  /** The same, read as UTF-8. */
  readonly text: string;
  readonly location: string | null;
}

export interface WebFixture {
  readonly scene: AccountsScene;
  readonly work: ReturnType<typeof workOf>;
  /** The data of pages about the fleet beside the stores. */
  readonly fleet: FleetFixture;
  readonly messaging: Messaging;
  /** Backups and files that the pages show. */
  readonly stock: FilePages;
  readonly routes: readonly WebRoute[];
  readonly base: string;
  readonly server: HttpServer;
  /** A browser that keeps its cookie and sends the origin of its requests. */
  browser(): Visitor;
  /** Signed in as a user of that role. */
  readonly recordReads: RecordReads;
  signedIn(role: Role): Promise<Visitor>;
  close(): Promise<void>;
}

export class Visitor {
  cookie = '';
  /** By which the service recognizes the browser, also when no user is signed in. */
  device = '';
  /** A sign-in that goes on at a provider. */
  sso = '';
  /** A challenge to sign in with a passkey. */
  passkey = '';
  #theme = '';
  #density = '';
  /** What the next page says was just done. */
  #flash = '';
  readonly #base: string;

  constructor(base: string) {
    this.#base = base;
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.#ask('GET', path, headers);
  }

  post(
    path: string,
    fields: Record<string, string | readonly string[]> = {},
    headers: Record<string, string> = { 'Sec-Fetch-Site': 'same-origin' },
  ): Promise<Answer> {
    const body = new URLSearchParams();
    for (const [name, value] of Object.entries(fields))
      for (const each of [value].flat()) body.append(name, each);
    return this.#ask('POST', path, headers, body);
  }

  /** Sends a form with a file, as browsers do: the fields first. */
  upload(path: string, fields: Readonly<Record<string, string>>, file: File): Promise<Answer> {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    body.append('file', file);
    return this.#ask('POST', path, { 'Sec-Fetch-Site': 'same-origin' }, body);
  }

  async #ask(
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: URLSearchParams | FormData,
  ): Promise<Answer> {
    const response = await fetch(`${this.#base}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        Cookie: [this.cookie, this.device, this.sso, this.passkey, this.#theme, this.#density, this.#flash]
          .filter(Boolean)
          .join('; '),
        ...headers,
      },
      ...(body ? { body } : {}),
    });
    for (const set of response.headers.getSetCookie()) {
      const pair = set.includes('Max-Age=0') ? '' : (set.split(';')[0] ?? '');
      if (set.startsWith('drover-theme=')) this.#theme = pair;
      else if (set.startsWith('drover-density=')) this.#density = pair;
      else if (set.startsWith('drover-flash=')) this.#flash = pair;
      else if (/^(?:__Host-)?drover-device=/.test(set)) this.device = pair;
      else if (/^(?:__Host-)?drover-sso=/.test(set)) this.sso = pair;
      else if (/^(?:__Host-)?drover-passkey=/.test(set)) this.passkey = pair;
      else this.cookie = pair;
    }
    const bytes = Buffer.from(await response.arrayBuffer());
    return {
      status: response.status,
      headers: response.headers,
      bytes,
      text: bytes.toString(),
      location: response.headers.get('location'),
    };
  }
}

/** Fails if an action redirects to a page that does not say what was done to which object. */
const naming = (route: WebRoute): WebRoute => {
  const named = async (visit: SignedInVisit): Promise<WebReply> => {
    const reply = await route.handle(visit);
    const isSaid = route.method === 'POST' && (TOASTS[route.path] ?? null) !== null;
    if (isSaid && reply.kind === 'redirect' && !reply.about && !reply.toast)
      throw new Error(`${route.path} names nothing`);
    return reply;
  };
  return { ...route, handle: named } as WebRoute;
};

/** Takes any job, and does nothing. */
const IDLE: JobRunner = {
  types: ['backup', 'os_patch', 'os_update_check'],
  timeLimitMs: 1_000,
  plan: () => Promise.reject(new Error('not run here')),
  apply: () => Promise.reject(new Error('not run here')),
};

/** The pages on a real port, over use cases on a separate database, with an administrator named root. */
export async function openWebFixture(
  options: {
    readonly publicUrl?: string | null;
    readonly empty?: true;
    readonly clock?: FakeClock;
    readonly check?: CheckRepository['execute'];
    readonly environmentProvider?: EnvironmentProvider;
    readonly forwardAuth?: ForwardAuthSettings;
    readonly guest?: Guest;
    /** Proxies that may set a browser's address. */
    readonly trustedProxies?: readonly string[];
  } = {},
): Promise<WebFixture> {
  const { publicUrl = PUBLIC, trustedProxies = [] } = options;
  const scene = accountsScene(applicationScene(options.clock), publicUrl);
  const { check = () => Promise.reject(new Error('nobody looks')) } = options;
  if (!options.empty) await scene.setUp();
  const fleet = fleetParts(scene);
  const messaging = messagingOf(scene, scene.clock);
  const sso = ssoScene(scene, { ...options, publicUrl, poster: messaging.poster });
  const work = workOf(scene);
  const streams = new EventStreams({ ...scene, logger: scene.log });
  const approvals = approvalsOf({ ...scene, runners: new JobRunners([IDLE]) });
  const stock = filePages(scene);
  const recordReads = new RecordReads(scene);
  const counts = new NavigationCounter({ ...scene, countForNavigation: new CountForNavigation(scene) });
  const routes = allRoutes({
    ...scene,
    counts,
    ...messaging,
    ...sso,
    ...stock,
    ...fleet.useCases,
    ...work,
    settings: {
      publicUrl,
      httpPort: 8888,
      adapterPath: '/opt/drover/bin/drover-mcp.mjs',
      ...fleet.settings,
      dataDir: '/var/lib/drover',
      trustedProxies: ['192.0.2.0/24'],
      licence: 'MIT',
      licences: () => [{ name: 'koa', version: '3.2.0', licence: 'MIT' }],
    },
    defaultTimeZone: new DefaultTimeZone(scene),
    describeService: new DescribeService({
      ...scene,
      databaseHealth: new FakeDatabaseHealth(),
      version: '1.2.3',
      owner: 'host:1',
    }),
    repositoryChecks: new RepositoryChecks({
      ...scene,
      checkRepository: { execute: (...order) => check(...order) },
      manageRepositories: fleet.useCases.manageRepositories,
    }),
    ...approvals,
    getJobDays: new GetJobDays(scene),
    listAudit: new ListAudit(scene),
    recordReads,
    listHostChanges: new ListHostChanges(scene),
    searchPackages: new SearchPackages(scene),
    findCve: new FindCve(scene),
    listCves: new ListCves(scene),
    listPackages: new ListPackages(scene),
    listServices: new ListServices(scene),
    issueToken: new IssueToken(scene),
    listTokens: new ListTokens(scene),
    getToken: new GetToken(scene),
    editToken: new EditToken(scene),
    tryToken: new TryToken({
      ...scene,
      authenticate: new Authenticate({ ...scene, tokensDisabled: false }),
    }),
    rotateToken: new RotateToken(scene),
    revokeToken: new RevokeToken(scene),
  });
  const files = loadStaticFiles(STATIC_FILES);
  const server = createHttpServer({
    authenticate: { execute: () => Promise.reject(new Error('pages ask for no token')) },
    readiness: { execute: () => Promise.resolve() },
    useCases: { version: 'test' } as never,
    answerOnce: { execute: () => Promise.reject(new Error('not asked')) },
    logger: scene.log,
    limits: new RateLimits({ perToken: 0, perAddress: 0 }),
    connections: { most: 0, mostPerAddress: 0, headersTimeout: 10_000 },
    trustedProxies,
    publicUrl,
    allowedHosts: [],
    observe: () => {},
    mounts: files.mounts,
    closing: () => streams.close(),
    pages: webHandler({
      guest: options.guest ?? null,
      ...scene,
      forwardAuth: sso.forwardAuth,
      recordReads,
      counts,
      routes: routes.map(naming),
      files,
      streams,
      logger: scene.log,
      trustedProxies,
      publicUrl,
      backupStaleHours: 36,
    }),
  });
  const { port } = await server.listen('127.0.0.1', 0);
  const base = `http://127.0.0.1:${port}`;
  const operator = Actor.operator('cli:root');
  let invited = 0;
  return {
    scene,
    recordReads,
    work,
    fleet: fleet.fixture,
    messaging,
    stock,
    routes,
    base,
    server,
    browser: () => new Visitor(base),
    signedIn: async (role) => {
      let name = 'root';
      if (role !== 'administrator') {
        invited += 1;
        name = `${role}${invited}`;
        const { link } = await scene.manageUsers.invite(operator, { name, role });
        await scene.takeUpLink.execute(link.secret, { password: PASSWORD }, BROWSER.address);
      }
      const browser = new Visitor(base);
      const answer = await browser.post('/sign-in', { name, password: PASSWORD });
      if (answer.status !== 303) throw new Error(`${name} could not sign in: ${answer.text}`);
      return browser;
    },
    close: () => {
      messaging.poster.close();
      return server.close();
    },
  };
}
