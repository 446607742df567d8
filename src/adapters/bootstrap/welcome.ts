import type { Server } from '../../domain/server.ts';
import type { Config } from './config.ts';
import { VERSION } from './version.ts';

/** Where the service listens without SERVICE_HOST. */
export const LOCAL_ONLY = '127.0.0.1';

/** Addresses to listen on that nobody can connect to: they mean all that the machine has. */
const ALL_ADDRESSES: readonly string[] = ['0.0.0.0', '::'];

/** What the service prints once it listens. `enrolled`: the machine itself, where this start took it in. */
export function welcome(
  config: Pick<Config, 'host' | 'publicUrl' | 'dataDir' | 'databaseUrl'>,
  port: number,
  enrolled: Pick<Server, 'id' | 'name'> | null,
): string {
  const host = config.host ?? LOCAL_ONLY;
  const url = config.publicUrl ?? addressOf(ALL_ADDRESSES.includes(host) ? 'localhost' : host, port);
  const lines = [
    `Drover ${VERSION} listens on ${addressOf(host, port)}.`,
    ...(config.host === null
      ? ['  Only this machine can reach it; set SERVICE_HOST to listen on other addresses.']
      : []),
    `  Data: ${config.dataDir} (${config.databaseUrl === null ? 'SQLite' : 'MySQL'}).`,
  ];
  if (enrolled) {
    lines.push(
      `  This machine is server ${enrolled.id} (${enrolled.name}), with a backup of the service's own data ready to run.`,
    );
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

const addressOf = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
