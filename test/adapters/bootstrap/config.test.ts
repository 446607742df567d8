import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../../src/adapters/bootstrap/config.ts';
import { VARIABLES } from '../../../src/adapters/bootstrap/config-variables.ts';
import {
  ConfigurationError,
  type Environment,
  type Variable,
} from '../../../src/adapters/bootstrap/read-variables.ts';

const KEY = Buffer.alloc(32, 7).toString('base64');
const TLS = { SERVICE_TLS_CERT: '/tls/cert.pem', SERVICE_TLS_KEY: '/tls/key.pem' };
const DATABASE = 'mysql://drover:hunter2@db.example.org:3306/drover';

function noFiles(path: string): string {
  throw Object.assign(new Error(`ENOENT: no such file ${path}`), { code: 'ENOENT' });
}

const read = (env: Environment, readFile = noFiles) => readConfig(env, readFile);

function faultsOf(env: Environment, readFile = noFiles): readonly string[] {
  try {
    readConfig(env, readFile);
  } catch (error) {
    if (error instanceof ConfigurationError)
      return error.faults.map(({ name, detail }) => `${name}: ${detail}`);
    throw error;
  }
  throw new Error('It was taken.');
}

describe('Without any variable', () => {
  test('everything has its default', () => {
    const { masterKeys, databaseUrl, dataDir, ...rest } = read({});
    expect(rest).toEqual({
      httpPort: 8888,
      approvalHours: 24,
      confirmChanges: true,
      httpsPort: 8443,
      tls: null,
      secretFiles: [],
      hstsDays: 30,
      ratePerToken: 6_000,
      ratePerAddress: 18_000,
      mostConnections: 10_000,
      mostConnectionsPerAddress: 500,
      host: null,
      publicUrl: null,
      trustedProxies: [],
      allowedHosts: [],
      concurrency: 16,
      fileLimitMib: 512,
      logLevel: 'info',
      demo: false,
      keepJobsDays: 365,
      keepLogsDays: 90,
      keepEventsDays: 14,
      keepNotificationsDays: 90,
      keepAuditDays: 0,
      backupStaleHours: 36,
      metricsToken: null,
      hostFiles: false,
      metricsPerServer: false,
      oidcIssuer: null,
      oidcClientId: '',
      oidcClientSecret: null,
      oidcLabel: 'single sign-on',
      oidcScopes: 'openid profile email',
      oidcGroupsClaim: 'groups',
      oidcRoles: '',
      oidcTwoFactor: 'never',
      oidcAllowPrivate: false,
      forwardAuth: false,
      forwardAuthUser: 'Remote-User',
      forwardAuthEmail: 'Remote-Email',
      forwardAuthGroups: 'Remote-Groups',
      forwardAuthRoles: '',
      forwardAuthTwoFactor: false,
      forwardAuthSignOutUrl: null,
      agentSocket: null,
      keyPassphrase: null,
      backupPassphrase: null,
      webhookUrl: null,
      webhookSecret: null,
      webhookEvents: null,
      webhookMinSeverity: 'info',
      webhookAllowPrivate: false,
      warnings: [],
    });
    expect([masterKeys, databaseUrl, dataDir]).toEqual([[], null, `${process.cwd()}/data`]);
  });

  test('an empty variable counts as unset', () => {
    expect(read({ SERVICE_HTTP_PORT: '', SERVICE_PUBLIC_URL: ' ', SERVICE_MASTER_KEY: '' })).toEqual(
      read({}),
    );
  });
});

describe('Values that are taken', () => {
  test.each<[string, string, keyof ReturnType<typeof read>, unknown]>([
    ['SERVICE_HTTP_PORT', '0', 'httpPort', 0],
    ['SERVICE_HTTP_PORT', '65535', 'httpPort', 65_535],
    ['SERVICE_HOST', '0.0.0.0', 'host', '0.0.0.0'],
    ['SERVICE_HOST', '::', 'host', '::'],
    ['SERVICE_HOST', 'drover.local', 'host', 'drover.local'],
    ['SERVICE_DATA_DIR', '/var/lib/drover/', 'dataDir', '/var/lib/drover'],
    ['SERVICE_DATA_DIR', 'elsewhere', 'dataDir', `${process.cwd()}/elsewhere`],
    [
      'SERVICE_PUBLIC_URL',
      'https://Drover.example.org:8443/',
      'publicUrl',
      'https://drover.example.org:8443',
    ],
    ['SERVICE_PUBLIC_URL', 'https://drover.example.org:443', 'publicUrl', 'https://drover.example.org'],
    ['SERVICE_TRUSTED_PROXIES', ' 10.0.0.0/8, ::1 ,10.0.0.0/8,', 'trustedProxies', ['10.0.0.0/8', '::1/128']],
    [
      'SERVICE_ALLOWED_HOSTS',
      'Drover.Example.org,localhost:8888,[::1]:8888,192.0.2.1',
      'allowedHosts',
      ['drover.example.org', 'localhost:8888', '[::1]:8888', '192.0.2.1'],
    ],
    ['SERVICE_CONCURRENCY', '1000', 'concurrency', 1000],
    ['SERVICE_LOG_LEVEL', 'DEBUG', 'logLevel', 'debug'],
    ['SERVICE_DEMO', 'true', 'demo', true],
    ['SERVICE_DEMO', '0', 'demo', false],
    ['WEBHOOK_EVENTS', 'backup.stale, job.failed', 'webhookEvents', ['job.failed', 'backup.stale']],
    ['WEBHOOK_MIN_SEVERITY', 'Warning', 'webhookMinSeverity', 'warning'],
    ['SERVICE_WEBHOOK_ALLOW_PRIVATE', '1', 'webhookAllowPrivate', true],
    ['METRICS_BACKUP_STALE_HOURS', '48', 'backupStaleHours', 48],
  ])('%s=%s', (name, value, key, expected) => {
    expect(read({ [name]: value })[key]).toEqual(expected);
  });

  test.each([
    DATABASE,
    'mariadb://db/drover',
    'mysql://u:p%40ss@[::1]:3307/drover?ssl=true',
    'mysql://u:p@a:3306,b/drover',
  ])('the database %s', (url) => {
    expect(read({ SERVICE_DATABASE_URL: url }).databaseUrl?.reveal()).toBe(url);
  });

  test('one master key, or several', () => {
    const hex = Buffer.alloc(32, 8).toString('hex');
    expect(read({ SERVICE_MASTER_KEY: KEY }).masterKeys).toHaveLength(1);
    expect(read({ SERVICE_MASTER_KEY: `${KEY},${hex}` }).masterKeys).toHaveLength(2);
  });

  test.each(Object.values(VARIABLES as Record<string, Variable<unknown>>).filter(({ secret }) => !secret))(
    'the example of $name',
    ({ name, example }) => {
      expect(read({ ...TLS, [name]: example }).warnings).toEqual([]);
    },
  );

  test('a certificate with its key', () => {
    expect(read(TLS).tls).toEqual({ certPath: '/tls/cert.pem', keyPath: '/tls/key.pem' });
  });
});

describe('Values that are refused', () => {
  test.each([
    ['SERVICE_TLS_KEY', 'SERVICE_TLS_CERT', '/etc/drover/tls/privkey.pem'],
    ['SERVICE_TLS_CERT', 'SERVICE_TLS_KEY', '/etc/drover/tls/fullchain.pem'],
  ] as const)('HTTPS without %s', (missing, given, example) => {
    expect(faultsOf({ [given]: TLS[given] })).toEqual([
      `${missing}: it is not set, while ${given} is; HTTPS needs both. Example: ${missing}=${example}`,
    ]);
  });

  test.each([
    [
      'SERVICE_HTTP_PORT',
      '99999',
      '"99999" is not a whole number from 0 to 65535. Example: SERVICE_HTTP_PORT=8888',
    ],
    ['SERVICE_HTTP_PORT', '-1', 'not a whole number'],
    ['SERVICE_HTTP_PORT', '80.5', 'not a whole number'],
    ['SERVICE_HTTP_PORT', '1e3', 'not a whole number'],
    ['SERVICE_HTTP_PORT', 'http', 'not a whole number'],
    ['SERVICE_HOST', 'not a host', 'neither an IP address nor a host name'],
    ['SERVICE_HOST', 'http://localhost', 'neither an IP address nor a host name'],
    ['SERVICE_DATABASE_URL', 'postgres://u:hunter2@h/d', 'does not start with mysql:// or mariadb://'],
    ['SERVICE_DATABASE_URL', 'hunter2', 'not a database address'],
    ['SERVICE_DATABASE_URL', 'mysql://u:hunter2@h', 'does not end in one database name'],
    ['SERVICE_DATABASE_URL', 'mysql://u:hunter2@h/a/b', 'does not end in one database name'],
    ['SERVICE_MASTER_KEY', 'hunter2', 'the value is not 32 bytes in base64 or hexadecimal'],
    ['SERVICE_MASTER_KEY', `${KEY},hunter2`, 'not 32 bytes'],
    ['SERVICE_PUBLIC_URL', 'drover.example.org', 'starts with http:// or https://'],
    ['SERVICE_PUBLIC_URL', 'ftp://drover.example.org', 'starts with http:// or https://'],
    ['SERVICE_PUBLIC_URL', 'https://drover.example.org/path', 'more than scheme, host and port'],
    ['SERVICE_PUBLIC_URL', 'https://me:hunter2@drover.example.org', 'holds a user name or password'],
    ['SERVICE_TRUSTED_PROXIES', '10.0.0.1/8', '"10.0.0.1/8" is not an address range with no host bits set'],
    ['SERVICE_TRUSTED_PROXIES', '10.0.0.0/8,proxy', '"proxy" is not an address range'],
    ['SERVICE_ALLOWED_HOSTS', 'https://drover', 'not a host name'],
    ['SERVICE_ALLOWED_HOSTS', 'drover:99999', 'not a host name'],
    ['SERVICE_ALLOWED_HOSTS', '[drover]', 'not a host name'],
    ['SERVICE_CONCURRENCY', '0', 'from 1 to 1000'],
    ['SERVICE_CONCURRENCY', '1001', 'from 1 to 1000'],
    ['SERVICE_LOG_LEVEL', 'loud', 'not one of debug, info, warn, error, silent'],
    ['SERVICE_DEMO', 'maybe', 'neither 1 nor 0'],
    ['METRICS_BACKUP_STALE_HOURS', '0', 'from 1 to 8760'],
  ])('%s=%s', (name, value, fault) => {
    const faults = faultsOf({ [name]: value });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(new RegExp(`^${name}: `));
    expect(faults[0]).toContain(fault);
    expect(faults[0]).toContain(`Example: ${name}=`);
    expect(faults[0]).not.toContain('hunter2');
  });

  test('are all named at once', () => {
    const env = { SERVICE_HTTP_PORT: 'x', SERVICE_CONCURRENCY: '0', SERVICE_DEMO: '?' };
    expect(faultsOf(env)).toHaveLength(3);
    expect(() => read(env)).toThrow(/^The configuration is wrong:\n {2}SERVICE_HTTP_PORT: .*\n.*\n.*$/);
  });

  test('are cut in the message when they are long', () => {
    expect(faultsOf({ SERVICE_LOG_LEVEL: 'x'.repeat(5000) })[0]?.length).toBeLessThan(250);
  });
});

describe('A secret', () => {
  const secrets: [string, string][] = [
    ['SERVICE_DATABASE_URL', DATABASE],
    ['SERVICE_MASTER_KEY', KEY],
  ];

  test.each(secrets)('%s comes from a file as well, one line end stripped', (name, value) => {
    const files = (path: string) => (path === '/run/secrets/it' ? `${value}\n` : noFiles(path));
    const fromFile = read({ [`${name}_FILE`]: '/run/secrets/it' }, files);
    expect(JSON.stringify({ ...fromFile, secretFiles: [] })).toBe(JSON.stringify(read({ [name]: value })));
    expect(fromFile.secretFiles).toEqual([{ variable: `${name}_FILE`, path: '/run/secrets/it' }]);
    expect(fromFile.databaseUrl?.reveal()).toBe(read({ [name]: value }).databaseUrl?.reveal());
    expect(fromFile.masterKeys.map(({ id }) => id)).toEqual(
      read({ [name]: value }).masterKeys.map(({ id }) => id),
    );
  });

  test.each(secrets)('%s given twice is refused', (name, value) => {
    const faults = faultsOf({ [name]: value, [`${name}_FILE`]: '/run/secrets/it' }, () => value);
    expect(faults).toEqual([
      expect.stringContaining(`it is set, and so is ${name}_FILE; keep one of the two`),
    ]);
    expect(faults[0]).not.toContain(value);
  });

  test('names a file that cannot be read, or is empty', () => {
    expect(faultsOf({ SERVICE_MASTER_KEY_FILE: '/nowhere' })[0]).toContain(
      'the file /nowhere, named by SERVICE_MASTER_KEY_FILE, cannot be read (ENOENT)',
    );
    expect(faultsOf({ SERVICE_MASTER_KEY_FILE: '/empty' }, () => '\n')[0]).toContain('is empty');
  });

  test('does not show itself when the configuration is printed', () => {
    const config = read({ SERVICE_DATABASE_URL: DATABASE, SERVICE_MASTER_KEY: KEY });
    for (const printed of [
      inspect(config, { depth: 9, showHidden: true }),
      JSON.stringify(config),
      String(config.databaseUrl),
    ]) {
      expect(printed).not.toContain('hunter2');
      expect(printed).not.toContain(KEY);
    }
  });

  test('is the only kind of variable with a _FILE', () => {
    expect(read({ SERVICE_HTTP_PORT_FILE: '/port' }).warnings).toHaveLength(1);
  });
});

describe('An unknown SERVICE_ variable', () => {
  test('is named with the nearest known one, and never its value', () => {
    expect(read({ SERVICE_DATBASE_URL: 'hunter2', SERVICE_HTTP_PROT: '1' }).warnings).toEqual([
      'There is no variable SERVICE_DATBASE_URL; it is ignored. Did you mean SERVICE_DATABASE_URL?',
      'There is no variable SERVICE_HTTP_PROT; it is ignored. Did you mean SERVICE_HTTP_PORT?',
    ]);
  });

  test('is named alone if none is near', () => {
    expect(read({ SERVICE_FAVOURITE_COLOURS: 'blue' }).warnings).toEqual([
      'There is no variable SERVICE_FAVOURITE_COLOURS; it is ignored.',
    ]);
  });

  test('is not one of the stdio adapter, nor one without the prefix', () => {
    expect(read({ SERVICE_URL: 'http://localhost:8888', SERVICE_TOKEN: 'x', PATH: '/bin' }).warnings).toEqual(
      [],
    );
  });
});
