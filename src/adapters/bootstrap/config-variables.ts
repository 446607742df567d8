import { SEVERITIES, type Severity } from '../../domain/events/event.ts';
import type { EventFilter } from '../../domain/events/event-filter.ts';
import type { MasterKey } from '../outbound/storage/secrets/master-key.ts';
import type { LogLevel } from '../outbound/system/pino-logger.ts';
import {
  addressRanges,
  BadValue,
  backupPassphrase,
  databaseUrl,
  directory,
  eventTypes,
  hostNames,
  listenAddress,
  masterKeys,
  metricsSecret,
  oneOf,
  origin,
  webhookSecretValue,
  wholeNumber,
} from './config-values.ts';
import { FORWARD_AUTH_VARIABLES } from './forward-auth-variables.ts';
import { FRONT_VARIABLES } from './front-variables.ts';
import { flag, integer, port, variable } from './read-variables.ts';
import { SecretValue } from './secret-value.ts';
import { SSO_VARIABLES } from './sso-variables.ts';

const MAX_DAYS = 36_500;
/** A delivery is tried for some three days. */
const LAST_TRY_DAYS = 7;

const days = (name: string, fallback: number, least: number, description: string) =>
  variable({
    name,
    type: `whole number from ${least} to ${MAX_DAYS}, or 0`,
    otherwise: String(fallback),
    description: `${description} 0: keep forever.`,
    example: String(fallback),
    read: (raw) => {
      const value = wholeNumber(0, MAX_DAYS)(raw);
      if (value === 0 || value >= least) return value;
      throw new BadValue(`${value} is neither 0 nor a whole number from ${least} to ${MAX_DAYS}`);
    },
    fallback,
  });

/** Data retention. */
const KEEPING_VARIABLES = {
  keepJobsDays: days(
    'SERVICE_KEEP_JOBS_DAYS',
    365,
    1,
    'Days after which ended jobs are deleted with their logs, and batches. The latest job of each kind per server is kept.',
  ),
  keepLogsDays: days(
    'SERVICE_KEEP_JOB_LOGS_DAYS',
    90,
    1,
    'Days after which job logs are deleted, except their last lines.',
  ),
  keepEventsDays: days(
    'SERVICE_KEEP_EVENTS_DAYS',
    14,
    LAST_TRY_DAYS,
    'Days after which events and their delivery log are deleted.',
  ),
  keepNotificationsDays: days(
    'SERVICE_KEEP_NOTIFICATIONS_DAYS',
    90,
    1,
    'Days after which resolved alerts are deleted.',
  ),
  keepAuditDays: days(
    'SERVICE_KEEP_AUDIT_DAYS',
    0,
    1,
    'Days after which audit log entries are deleted, oldest first. The deletion is recorded, and `drover audit verify` still works for the remaining entries.',
  ),
} as const;

/** Every variable of the service, by the name that it has in `Config`. */
export const VARIABLES = {
  httpPort: port({
    name: 'SERVICE_HTTP_PORT',
    fallback: 8888,
    description: 'The port that the service listens on for HTTP. 0 takes any free port.',
  }),
  ...FRONT_VARIABLES,
  host: variable<string | null>({
    name: 'SERVICE_HOST',
    type: 'IP address or host name',
    otherwise: '`127.0.0.1` for HTTP, all addresses for HTTPS',
    description:
      'The address that the service listens on, for HTTP and HTTPS. When unset, plain HTTP is answered on the machine itself only. Set `0.0.0.0` (all addresses) behind a reverse proxy on another machine or in a container.',
    example: '0.0.0.0',
    read: listenAddress,
    fallback: null,
  }),
  dataDir: variable({
    name: 'SERVICE_DATA_DIR',
    type: 'directory',
    otherwise: './data',
    description:
      'The directory of the SQLite database, the master key and the snapshots. Created if it does not exist. A relative path starts from the directory in which the service or the command is started.',
    example: '/var/lib/drover',
    read: directory,
    fallback: directory('./data'),
  }),
  databaseUrl: variable<SecretValue | null>({
    name: 'SERVICE_DATABASE_URL',
    type: 'address with mysql:// or mariadb://',
    otherwise: 'SQLite in the data directory',
    secret: true,
    description:
      'The MySQL or MariaDB database, with user, password and database name. Characters such as `@` and `/` in the password are percent-encoded. Several comma-separated hosts are the nodes of a Galera cluster, tried in this order.',
    example: 'mysql://USER:PASSWORD@HOST:3306/DATABASE',
    read: databaseUrl,
    fallback: null,
  }),
  masterKeys: variable<readonly MasterKey[]>({
    name: 'SERVICE_MASTER_KEY',
    type: '32 bytes in base64 or hexadecimal; several separated by commas',
    otherwise: 'the file `master.key` in the data directory, created at the first start',
    secret: true,
    description:
      'The key that encrypts all secrets in the database. All replicas and commands that use one database need the same key. With several keys, the first encrypts and all of them decrypt, so that you can replace a key.',
    example: '"$(openssl rand -base64 32)"',
    read: masterKeys,
    fallback: [],
  }),
  publicUrl: variable<string | null>({
    name: 'SERVICE_PUBLIC_URL',
    type: 'address with http:// or https://, no path',
    otherwise: 'empty: client snippets show a placeholder for the host',
    description:
      'The address at which users and agents reach the service, with the port if it is not the default. Client configuration uses it, and requests from browsers at this address are accepted.',
    example: 'https://drover.example.org:8443',
    read: origin,
    fallback: null,
  }),
  trustedProxies: variable<readonly string[]>({
    name: 'SERVICE_TRUSTED_PROXIES',
    type: 'comma-separated address ranges',
    otherwise: 'none',
    description:
      'Reverse proxies whose `X-Forwarded-For` is trusted. For other senders, the connecting address counts as the client address.',
    example: '127.0.0.1,10.0.0.0/8',
    read: addressRanges,
    fallback: [],
  }),
  allowedHosts: variable<readonly string[]>({
    name: 'SERVICE_ALLOWED_HOSTS',
    type: 'comma-separated host names, each with or without a port',
    otherwise: 'see below',
    description:
      'Further names and addresses under which the service answers. It always answers to the host of `SERVICE_PUBLIC_URL` and, on the machine itself, to `localhost`, `127.0.0.1` and `[::1]`; requests for another `Host` get 421. Only when neither variable is set does it answer other machines under any name. A name without a port applies to all ports. `/healthz`, `/readyz` and, with `METRICS_TOKEN`, `/metrics` answer under any name.',
    example: 'drover.example.org,localhost:8888',
    read: hostNames,
    fallback: [],
  }),
  concurrency: integer({
    name: 'SERVICE_CONCURRENCY',
    range: [1, 1000],
    fallback: 16,
    example: '32',
    description: 'Maximum number of jobs that one service process runs at a time.',
  }),
  logLevel: variable<LogLevel>({
    name: 'SERVICE_LOG_LEVEL',
    type: 'debug, info, warn, error or silent',
    otherwise: 'info',
    description: 'Minimum level of log lines. They go to standard error, one JSON object per line.',
    example: 'debug',
    read: oneOf(['debug', 'info', 'warn', 'error', 'silent']),
    fallback: 'info',
  }),
  demo: flag(
    'SERVICE_DEMO',
    'Runs the demo: a simulated fleet, created at each start, without sign-in. Each visitor who changes something gets a copy that ends after 30 minutes without a request; jobs are simulated, no server is reached, nothing is sent, and API tokens are switched off, and with them `/api/v1` and `/mcp`. The configured data directory, database and webhooks are not used.',
  ),
  approvalHours: integer({
    name: 'SERVICE_APPROVAL_HOURS',
    range: [1, 720],
    fallback: 24,
    example: '72',
    description: 'Hours that a request waits for approval. Then it expires, and its job is cancelled.',
  }),
  confirmChanges: variable<boolean>({
    ...flag(
      'SERVICE_CONFIRM_CHANGES',
      "Lets agents' clients that can show questions (MCP 2026-07-28 with elicitation) ask their user before a call changes a server. `0`: no client asks. Changes of tokens that need approval then wait for a reviewer; tokens with `--approval none` act at once.",
    ),
    otherwise: '1',
    example: '0',
    fallback: true,
  }),
  fileLimitMib: integer({
    name: 'SERVICE_FILE_LIMIT_MIB',
    range: [1, 16_384],
    fallback: 512,
    example: '2048',
    description: 'Maximum size, in MiB, of files that the API can upload or download.',
  }),
  ...KEEPING_VARIABLES,
  backupStaleHours: integer({
    name: 'METRICS_BACKUP_STALE_HOURS',
    range: [1, 8760],
    fallback: 36,
    description: 'Hours without a successful backup after which a server counts as stale.',
  }),
  metricsToken: variable<SecretValue | null>({
    name: 'METRICS_TOKEN',
    type: 'text without blanks',
    otherwise:
      'empty: `/metrics` is open on the machine itself and over HTTPS, and refused over plain HTTP from elsewhere',
    secret: true,
    description:
      'The token that `/metrics` and `/metrics/process` require, as `Authorization: Bearer` or `X-Metrics-Token`. Set it unless only a private network reaches the service, and whenever Prometheus on another machine scrapes over plain HTTP.',
    example: '"$(openssl rand -hex 24)"',
    read: metricsSecret,
    fallback: null,
  }),
  hostFiles: flag(
    'SERVICE_HOST_FILES',
    'Lets administrators browse all files of a host in the web UI, not only its file root, after they confirm their password. Access is read-only; keys, stored passwords and kernel file systems are excluded.',
  ),
  metricsPerServer: flag(
    'METRICS_PER_SERVER',
    'Adds series for each server to `/metrics`, with its id and name as labels: six lines per server. With more than 10,000 servers they are omitted.',
  ),
  webhookUrl: variable<SecretValue | null>({
    name: 'WEBHOOK_URL',
    type: 'address with https:// or http://',
    otherwise: 'no webhook, unless one is set up',
    secret: true,
    description:
      'A receiver of events. It applies only while no webhook is set up in Drover itself. Requires `WEBHOOK_SECRET`.',
    example: 'https://hooks.example.org/drover',
    read: (raw) => new SecretValue(raw),
    fallback: null,
  }),
  webhookSecret: variable<SecretValue | null>({
    name: 'WEBHOOK_SECRET',
    type: '`whsec_` and 24 to 64 bytes in base64',
    otherwise: 'none',
    secret: true,
    description: 'The secret that signs messages to `WEBHOOK_URL`, so that the receiver can verify them.',
    example: '"whsec_$(openssl rand -base64 32)"',
    read: webhookSecretValue,
    fallback: null,
  }),
  webhookEvents: variable<EventFilter['events']>({
    name: 'WEBHOOK_EVENTS',
    type: 'comma-separated event types',
    otherwise: 'all',
    description: 'The events that are sent to `WEBHOOK_URL`; docs/webhooks.md lists them.',
    example: 'job.failed,backup.stale',
    read: eventTypes,
    fallback: null,
  }),
  webhookMinSeverity: variable<Severity>({
    name: 'WEBHOOK_MIN_SEVERITY',
    type: 'info, warning or critical',
    otherwise: 'info',
    description: 'Minimum severity of the events that are sent to `WEBHOOK_URL`.',
    example: 'warning',
    read: oneOf(SEVERITIES),
    fallback: 'info',
  }),
  webhookAllowPrivate: flag(
    'SERVICE_WEBHOOK_ALLOW_PRIVATE',
    'Lets webhooks and push messages go to loopback and private addresses. Link-local addresses, and those where clouds keep the credentials of machines, stay refused.',
  ),
  ...SSO_VARIABLES,
  ...FORWARD_AUTH_VARIABLES,
  agentSocket: variable<string | null>({
    name: 'SSH_AUTH_SOCK',
    type: 'path of a socket',
    otherwise: 'no agent',
    description: 'The SSH agent used for servers without a key in Drover. SSH sets this variable.',
    example: '/run/user/1000/ssh-agent.socket',
    read: (raw) => raw,
    fallback: null,
  }),
  keyPassphrase: variable<SecretValue | null>({
    name: 'SERVICE_KEY_PASSPHRASE',
    type: 'text',
    otherwise: 'prompts at a terminal',
    secret: true,
    description:
      'The passphrase of the private key that `drover key import` reads. No other command uses it.',
    example: '"$(cat passphrase.txt)"',
    read: (raw) => new SecretValue(raw),
    fallback: null,
  }),
  backupPassphrase: variable<SecretValue | null>({
    name: 'SERVICE_BACKUP_PASSPHRASE',
    type: 'text of at least 12 characters',
    otherwise: 'prompts at a terminal',
    secret: true,
    description:
      'The passphrase of `drover backup create`, `verify` and `restore`. No other command uses it.',
    example: '"$(cat passphrase.txt)"',
    read: backupPassphrase,
    fallback: null,
  }),
} as const;
