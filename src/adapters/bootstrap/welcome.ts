import type { OfferedLink } from '../../application/access/account-links.ts';
import type { Server } from '../../domain/fleet/server.ts';
import type { Config } from './config.ts';
import { VERSION } from './version.ts';

/** The default address for plain HTTP, without SERVICE_HOST. */
export const LOCAL_ONLY = '127.0.0.1';

const ONLY_THIS_MACHINE: readonly string[] = [
  '  Only this machine can reach it. To open it to your network, set SERVICE_TLS_CERT and SERVICE_TLS_KEY for HTTPS,',
  '  or SERVICE_HOST=0.0.0.0 behind an HTTPS proxy (docs/how-to/https.md).',
];

/** An address that a browser can connect to, unlike the one that means all addresses of the machine. */
const reached = (listening: string): string =>
  listening.replace(/\/\/(?:0\.0\.0\.0|\[::\])(?=:\d+$)/, '//localhost');

/** How a start went. */
export interface StartReport {
  readonly port: number;
  /** The HTTPS one; null: there is none. */
  readonly securePort: number | null;
  /** The machine itself, if this start added it. */
  readonly enrolled: Pick<Server, 'id' | 'name'> | null;
  /** For the first administrator, if there is none yet. */
  readonly setUp: OfferedLink | null;
  /** How to call the command line: `drover` if a shell finds it, else its path. */
  readonly command: string;
}

/** What the service prints once it listens. */
export function welcome(
  config: Pick<Config, 'host' | 'publicUrl' | 'dataDir' | 'databaseUrl'>,
  { port, securePort, enrolled, setUp, command }: StartReport,
): string {
  const plain = addressOf('http', config.host ?? LOCAL_ONLY, port);
  const secure = securePort === null ? null : addressOf('https', config.host ?? '0.0.0.0', securePort);
  const url = config.publicUrl ?? reached(secure ?? plain);
  const lines = [
    `Drover ${VERSION} listens on ${secure === null ? plain : `${plain} and ${secure}`}.`,
    ...(config.host === null && secure === null ? ONLY_THIS_MACHINE : []),
    `  Data: ${config.dataDir} (${config.databaseUrl === null ? 'SQLite' : 'MySQL'}).`,
  ];
  if (enrolled) {
    lines.push(
      `  This machine is server ${enrolled.id} (${enrolled.name}), with a backup of the service's own data ready to run.`,
    );
  }
  if (setUp) {
    lines.push('', 'Create the first administrator account with this one-time link:');
    lines.push(`  ${url}/welcome#${setUp.secret}`);
  }
  lines.push(
    '',
    'Create a token for an agent or a script:',
    `  ${command} token create --name mcp-me --scopes read`,
    'Connect an agent over MCP (Streamable HTTP) with that token:',
    `  ${url}/mcp   header: Authorization: Bearer <token>`,
    ...(command === 'drover'
      ? []
      : ['To run it as just drover, create a link:', `  sudo ln -s ${command} /usr/local/bin/drover`]),
    `Documentation: ${url}/docs/`,
    'Stop with Ctrl-C.',
    '',
  );
  return lines.join('\n');
}

const addressOf = (scheme: 'http' | 'https', host: string, port: number): string =>
  `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`;
