import type { OfferedLink } from '../../application/accounts/account-links.ts';
import type { Server } from '../../domain/server.ts';
import type { Config } from './config.ts';
import { VERSION } from './version.ts';

/** Where the service listens without SERVICE_HOST as long as nobody has an account. */
export const LOCAL_ONLY = '127.0.0.1';

/** Addresses to listen on that nobody can connect to: they mean all that the machine has. */
const ALL_ADDRESSES: readonly string[] = ['0.0.0.0', '::'];

/** How a start went. */
export interface Started {
  /** Where it listens; null: on all addresses. */
  readonly host: string | null;
  readonly port: number;
  /** That of HTTPS; null: there is none. */
  readonly securePort: number | null;
  /** The machine itself, where this start took it in. */
  readonly enrolled: Pick<Server, 'id' | 'name'> | null;
  /** For the first administrator, where there is none yet. */
  readonly setUp: OfferedLink | null;
}

/** What the service prints once it listens. */
export function welcome(
  config: Pick<Config, 'host' | 'publicUrl' | 'dataDir' | 'databaseUrl'>,
  { host, port, securePort, enrolled, setUp }: Started,
): string {
  const reached = host === null || ALL_ADDRESSES.includes(host) ? 'localhost' : host;
  const own =
    securePort === null ? addressOf('http', reached, port) : addressOf('https', reached, securePort);
  const url = config.publicUrl ?? own;
  const listening = [
    addressOf('http', host ?? '0.0.0.0', port),
    ...(securePort === null ? [] : [addressOf('https', host ?? '0.0.0.0', securePort)]),
  ];
  const lines = [
    `Drover ${VERSION} listens on ${listening.join(' and ')}.`,
    ...(host === LOCAL_ONLY && config.host === null
      ? ['  Only this machine can reach it until somebody has an account; SERVICE_HOST says otherwise.']
      : []),
    `  Data: ${config.dataDir} (${config.databaseUrl === null ? 'SQLite' : 'MySQL'}).`,
  ];
  if (enrolled) {
    lines.push(
      `  This machine is server ${enrolled.id} (${enrolled.name}), with a backup of the service's own data ready to run.`,
    );
  }
  if (setUp) {
    lines.push('', 'Choose the name and password of the first administrator, here and once:');
    lines.push(`  ${url}/welcome#${setUp.secret}`);
  }
  lines.push(
    '',
    'Make a token for an agent or a script:',
    '  npx drover token create --name mcp-me --scopes read,jobs',
    'Connect an agent over MCP (Streamable HTTP) with that token:',
    `  ${url}/mcp   header: Authorization: Bearer <token>`,
    'Stop with Ctrl-C.',
    '',
  );
  return lines.join('\n');
}

const addressOf = (scheme: 'http' | 'https', host: string, port: number): string =>
  `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`;
