import type { CliSettings } from './context.ts';

/** A client file for agents, ready to be copied, with a secret that is shown this once. */
export function clientSnippet(secret: string, settings: CliSettings): string {
  const base = settings.publicUrl ?? `http://localhost:${settings.httpPort}`;
  const file = {
    mcpServers: {
      drover: { type: 'http', url: `${base}/mcp`, headers: { Authorization: `Bearer ${secret}` } },
    },
  };
  const warning =
    settings.publicUrl === null
      ? 'This address works on this machine only; set SERVICE_PUBLIC_URL to the one that others use.\n'
      : '';
  return `For an agent's JSON client file:\n${warning}\n${JSON.stringify(file, null, 2)}\n`;
}
