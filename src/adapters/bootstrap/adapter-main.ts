import { readFileSync } from 'node:fs';
import { StdioAdapter } from '../inbound/stdio/adapter.ts';
import { ServiceClient } from '../inbound/stdio/service-client.ts';
import { type AdapterConfig, readAdapterConfig } from './adapter-config.ts';
import { ADAPTER_VARIABLES } from './adapter-variables.ts';
import { unknownNames } from './config.ts';
import { ConfigurationError } from './read-variables.ts';
import { VERSION } from './version.ts';

const USAGE = `drover-mcp ${VERSION}: the tools of a Drover service for agents that start a program.
It speaks MCP on standard input and output, takes no arguments, and is configured by environment variables:
${Object.values(ADAPTER_VARIABLES)
  .map(({ name, otherwise, description }) => `  ${name} (unset: ${otherwise}): ${description}`)
  .join('\n')}`;

/** Runs the stdio adapter until its input ends or a signal comes. Returns the exit code. Standard output is the protocol's. */
export async function main(args: readonly string[]): Promise<number> {
  // The parent process must not read our memory or environment.
  process.stderr.on('error', () => {});
  if (args.length > 0) return explain(args);
  try {
    return await serve(readAdapterConfig(process.env, (path) => readFileSync(path, 'utf8')));
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    say(error.message);
    return error.exitCode;
  }
}

/** Arguments are not repeated: a token may be among them. */
function explain(args: readonly string[]): number {
  const asked = args.every((each) => ['--help', '-h', '--version'].includes(each));
  if (!asked) say('It takes no arguments; secrets among them can be read by every user of this machine.');
  process.stderr.write(`${USAGE}\n`);
  return asked ? 0 : 2;
}

async function serve({ url, token, ca }: AdapterConfig): Promise<number> {
  for (const warning of unknownNames(process.env)) say(warning);
  if (process.stdin.isTTY)
    say('It waits for MCP messages, one a line, and is meant to be started by a client.');
  const client = new ServiceClient({ url, token: token.reveal(), ca, userAgent: `drover-mcp/${VERSION}` });
  const adapter = new StdioAdapter({
    input: process.stdin,
    output: process.stdout,
    client,
    version: VERSION,
    say,
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => adapter.stop());
  const accepted = await adapter.run();
  client.close();
  return accepted ? 0 : 1;
}

/** Clients show standard error to users, or keep it in a log. */
function say(text: string): void {
  process.stderr.write(`drover-mcp: ${text}\n`);
}
