import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { EnvironmentProvider } from '../../../application/access/sso-providers.ts';
import type { EnvironmentWebhook } from '../../../application/events/apply-environment-webhook.ts';
import { LEASE_TIMES } from '../../../application/jobs/claimed-job.ts';
import type { ForwardAuthSettings } from '../../../domain/access/forward-auth.ts';
import { clientSecret, groupRoles, ssoSettings } from '../../../domain/access/sso-provider.ts';
import type { InputProblem } from '../../../domain/base/errors.ts';
import { HOUR } from '../../../domain/base/instant.ts';
import { webhookUrl } from '../../../domain/events/webhook.ts';
import type { KeptPlace } from '../../outbound/hosts/protection/kept-place.ts';
import { kernelHere, ServicePlaces } from '../../outbound/hosts/protection/service-places.ts';
import { masterKeyPath } from '../../outbound/storage/secrets/master-key-file.ts';
import { SQLITE_FILE } from '../../outbound/storage/sql/database.ts';
import { CronerClock } from '../../outbound/system/croner-clock.ts';
import { JsTextDiff } from '../../outbound/system/js-text-diff.ts';
import { LinuxProcessList } from '../../outbound/system/linux-process-list.ts';
import { NodeDigest } from '../../outbound/system/node-digest.ts';
import { SystemRandomness } from '../../outbound/system/system-randomness.ts';
import type { Config } from '../config.ts';
import { BadValue, refusedAs } from '../config-values.ts';
import type { FORWARD_AUTH_VARIABLES } from '../forward-auth-variables.ts';
import type { Makers } from '../program.ts';
import { ConfigurationError } from '../read-variables.ts';
import type { SSO_VARIABLES } from '../sso-variables.ts';
import { PROGRAM_ROOT, VERSION } from '../version.ts';

/** The program, its files, and its start script. */
const PROGRAM = fileURLToPath(PROGRAM_ROOT).replace(/\/$/, '');

/** What no engine reads or writes on the service's own machine. */
function keptPlaces({
  dataDir,
  tls,
  secretFiles,
}: Pick<Config, 'dataDir' | 'tls' | 'secretFiles'>): readonly KeptPlace[] {
  const database = ['', '-wal', '-shm'].map((suffix) => join(dataDir, `${SQLITE_FILE}${suffix}`));
  return [
    { path: dataDir, what: "the service's own data" },
    { path: PROGRAM, what: "the service's program" },
    ...modulesAbove(PROGRAM).map((path) => ({
      path,
      what: "modules that the service's program may load",
      isOnlyLoaded: true,
    })),
    { path: masterKeyPath(dataDir), what: 'the master key', isKey: true },
    ...database.map((path) => ({ path, what: "the service's database" })),
    ...(tls ? [tls.certPath, tls.keyPath] : []).map((path) => ({ path, what: 'a TLS certificate or key' })),
    ...secretFiles.map(({ variable, path }) => ({
      path,
      what: `the file of ${variable}`,
      isKey: variable === 'SERVICE_MASTER_KEY_FILE',
    })),
  ];
}

/** Where Node looks for a package that the program does not include. */
function modulesAbove(directory: string): readonly string[] {
  const found: string[] = [];
  for (let at = directory; at !== '/'; ) {
    at = dirname(at);
    found.push(join(at, 'node_modules'));
  }
  return found;
}

type WebhookConfig = Pick<
  Config,
  'webhookUrl' | 'webhookSecret' | 'webhookEvents' | 'webhookMinSeverity' | 'webhookAllowPrivate'
>;

/** The webhook from the environment, `null` if there is none. Throws `ConfigurationError`. */
export function environmentWebhook(config: WebhookConfig): EnvironmentWebhook | null {
  if (config.webhookUrl === null) return null;
  if (config.webhookSecret === null) throw fault('WEBHOOK_SECRET', 'it is not set, and WEBHOOK_URL is');
  const raw = config.webhookUrl.reveal();
  try {
    return {
      url: refusedAs(() => webhookUrl(raw, { allowPrivate: config.webhookAllowPrivate })),
      secret: config.webhookSecret.reveal(),
      filter: { events: config.webhookEvents, minSeverity: config.webhookMinSeverity, tags: null },
    };
  } catch (error) {
    if (!(error instanceof BadValue)) throw error;
    throw fault('WEBHOOK_URL', error.message);
  }
}

const fault = (name: string, detail: string): ConfigurationError =>
  new ConfigurationError([{ name, detail: `${detail}.` }]);

/** What messages and providers of the demo link to. */
const DEMO_ADDRESS = 'https://drover.example.org';

/** The configuration. */
export const settingsOf = (config: Config) =>
  ({
    version: () => VERSION,
    dataDir: () => config.dataDir,
    ownBootId: () => kernelHere(),
    agentSocket: () => config.agentSocket,
    machineName: () => hostname(),
    backupStaleHours: () => config.backupStaleHours,
    metricsPerServer: () => config.metricsPerServer,
    mostBytes: () => config.fileLimitMib * 1024 * 1024,
    hostFiles: () => config.hostFiles,
    tokensDisabled: () => config.demo,
    concurrency: () => config.concurrency,
    leaseTimes: () => LEASE_TIMES,
    leaseMs: () => LEASE_TIMES.leaseMs,
    approvalMs: () => config.approvalHours * HOUR,
    publicUrl: () => config.publicUrl ?? (config.demo ? DEMO_ADDRESS : null),
    allowPrivate: () => config.webhookAllowPrivate,
    environmentWebhook: () => environmentWebhook(config),
    environmentProvider: () => environmentProvider(config),
    forwardAuth: () => forwardAuth(config),
    kept: () => ({
      jobs: config.keepJobsDays,
      logs: config.keepLogsDays,
      events: config.keepEventsDays,
      notifications: config.keepNotificationsDays,
      audit: config.keepAuditDays,
    }),
    places: () => new ServicePlaces({ places: keptPlaces(config), dataDir: config.dataDir }),
  }) satisfies Partial<Makers>;

/** The resources of this machine and process. */
export const systemPorts = {
  owner: ({ processes }) => processes.self,
  processes: () => new LinuxProcessList(),
  cron: () => new CronerClock(),
  randomness: () => new SystemRandomness(),
  digest: () => new NodeDigest(),
  textDiff: () => new JsTextDiff(),
} satisfies Partial<Makers>;

type ForwardConfig = Pick<Config, keyof typeof FORWARD_AUTH_VARIABLES | 'trustedProxies'>;

/** `null` if it is switched off. Throws `ConfigurationError`. */
export function forwardAuth(config: ForwardConfig): ForwardAuthSettings | null {
  if (!config.forwardAuth) return null;
  const problems: InputProblem[] = [];
  const roles = groupRoles(config.forwardAuthRoles, problems);
  const faults = problems.map(({ message }) => ({ name: 'SERVICE_FORWARD_AUTH_ROLES', detail: message }));
  if (config.trustedProxies.length === 0)
    faults.push({
      name: 'SERVICE_TRUSTED_PROXIES',
      detail: 'it is not set, and SERVICE_FORWARD_AUTH is.',
    });
  if (faults.length > 0) throw new ConfigurationError(faults);
  return {
    headers: {
      user: config.forwardAuthUser,
      email: config.forwardAuthEmail,
      groups: config.forwardAuthGroups,
    },
    roles,
    hasTwoFactors: config.forwardAuthTwoFactor,
    signOutUrl: config.forwardAuthSignOutUrl,
  };
}

type SsoConfig = Pick<Config, keyof typeof SSO_VARIABLES | 'publicUrl'>;

/** The provider from the environment, `null` if there is none. Throws `ConfigurationError`. */
export function environmentProvider(config: SsoConfig): EnvironmentProvider | null {
  if (config.oidcIssuer === null) return null;
  const problems: InputProblem[] = [];
  const settings = ssoSettings(
    {
      label: config.oidcLabel,
      issuer: config.oidcIssuer,
      clientId: config.oidcClientId,
      scopes: config.oidcScopes,
      groupsClaim: config.oidcGroupsClaim,
      roles: config.oidcRoles,
      twoFactor: config.oidcTwoFactor,
      allowPrivate: config.oidcAllowPrivate,
    },
    null,
    problems,
  );
  const secret = clientSecret(config.oidcClientSecret?.reveal() ?? '', problems);
  const faults = problems.map(({ path, message }) => ({
    name: `SERVICE_OIDC_${path.slice(1).toUpperCase()}`,
    detail: message,
  }));
  if (config.publicUrl === null)
    faults.push({ name: 'SERVICE_PUBLIC_URL', detail: 'it is not set, and SERVICE_OIDC_ISSUER is.' });
  if (faults.length > 0) throw new ConfigurationError(faults);
  return { settings, clientSecret: secret };
}
