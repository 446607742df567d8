import { shellCommand } from '../../domain/base/shell-command.ts';
/** The agents' clients that a configuration can be written for; `json`, `toml` and `stdio` fit many others. */
export const AGENT_CLIENTS = ['claude', 'cursor', 'vscode', 'codex', 'json', 'toml', 'stdio'] as const;
export type AgentClient = (typeof AGENT_CLIENTS)[number];

export interface SnippetRequest {
  /** The service's public address; `null`: not configured. */
  readonly publicUrl: string | null;
  /** Replaces a missing public address: the one by which the reader reached the service. */
  readonly origin?: string;
  /** The service's port, for the placeholder if neither is known. */
  readonly httpPort?: number;
  /** The token's secret. */
  readonly secret: string;
  /** The client's name for this service. */
  readonly label: string;
  /** The stdio adapter's path on the agent's machine. */
  readonly adapterPath?: string;
}

/** A client's configuration, ready to be copied. The secret is in no address. */
export interface ClientSnippet {
  readonly client: AgentClient;
  readonly title: string;
  /** The file that it belongs in. */
  readonly file: string;
  readonly language: 'json' | 'toml';
  /** What is still wrong with it; `null`: nothing. */
  readonly warning: string | null;
  /** The whole file, as far as it is about this service. */
  readonly text: string;
  /** The text to copy; starts with the warning, if there is one. */
  readonly block: string;
  /** Further steps and notes, one sentence or command each. */
  readonly notes: readonly string[];
  /** A link that adds the service to the client, without the secret; `null`: the client has none. */
  readonly install: string | null;
}

/** The instructions for each client, from common inputs. */
interface Connection {
  readonly label: string;
  readonly origin: string;
  readonly url: string;
  readonly bearer: string;
  readonly secret: string;
  /** The environment variable that holds the secret, for clients that take it from there. */
  readonly variable: string;
  readonly adapterPath: string;
}

interface Format {
  readonly title: string;
  readonly file: string;
  readonly language: ClientSnippet['language'];
  readonly text: (to: Connection) => string;
  readonly notes?: (to: Connection) => readonly string[];
  readonly install?: (to: Connection) => string;
}

const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;

const httpEntry = ({ url, bearer }: Connection) => ({
  type: 'http',
  url,
  headers: { Authorization: bearer },
});

/** VS Code asks for the secret. */
const promptOf = ({ label }: Connection) => ({
  type: 'promptString',
  id: `${label}-token`,
  description: 'API token of Drover',
  password: true,
});

const promptingEntry = ({ label, url }: Connection) => ({
  type: 'http',
  url,
  headers: { Authorization: `Bearer \${input:${label}-token}` },
});

const keepSecret = 'The secret is in the file: keep it out of version control.';

const FORMATS: Readonly<Record<AgentClient, Format>> = {
  // https://code.claude.com/docs/en/mcp: `--header` takes all that follows it, so that it comes last.
  claude: {
    title: 'Claude Code',
    file: '.mcp.json in a project; the command writes to ~/.claude.json',
    language: 'json',
    text: (to) => json({ mcpServers: { [to.label]: httpEntry(to) } }),
    notes: ({ label, url, variable }) => [
      keepSecret,
      `Or type, with the secret in ${variable}: ${shellCommand`claude mcp add --transport http --scope user ${label} ${url} --header "Authorization: Bearer `}$${variable}"`,
    ],
  },
  // https://cursor.com/docs/mcp: an entry with `url` is a remote one.
  cursor: {
    title: 'Cursor',
    file: '~/.cursor/mcp.json, or .cursor/mcp.json in a project',
    language: 'json',
    text: ({ label, url, bearer }) =>
      json({ mcpServers: { [label]: { url, headers: { Authorization: bearer } } } }),
    notes: ({ variable }) => [
      keepSecret,
      `The install link has no secret: start Cursor with it in the environment variable ${variable}.`,
    ],
    // https://cursor.com/docs/mcp/install-links: base64 of the server's entry.
    install: ({ label, url, variable }) =>
      `cursor://anysphere.cursor-deeplink/mcp/install?name=${encodeURIComponent(label)}&config=${encodeURIComponent(
        Buffer.from(
          JSON.stringify({ url, headers: { Authorization: `Bearer \${env:${variable}}` } }),
        ).toString('base64'),
      )}`,
  },
  // https://code.visualstudio.com/docs/copilot/reference/mcp-configuration: password inputs are kept in the editor's
  // secret store, so the file can be shared.
  vscode: {
    title: 'VS Code',
    file: '.vscode/mcp.json in a project, or the one that "MCP: Open User Configuration" opens',
    language: 'json',
    text: (to) => json({ inputs: [promptOf(to)], servers: { [to.label]: promptingEntry(to) } }),
    // https://code.visualstudio.com/api/extension-guides/ai/mcp: the entry with its name and inputs.
    install: (to) =>
      `vscode:mcp/install?${encodeURIComponent(
        JSON.stringify({ name: to.label, ...promptingEntry(to), inputs: [promptOf(to)] }),
      )}`,
    notes: () => ['VS Code asks for the secret when it first connects, and keeps it in its secret store.'],
  },
  // https://learn.chatgpt.com/docs/extend/mcp and `codex mcp add --help`: a token in the file itself is refused.
  codex: {
    title: 'Codex',
    file: '~/.codex/config.toml',
    language: 'toml',
    text: bearerTable,
    notes: ({ label, url, variable }) => [
      `Codex reads the secret from the environment variable ${variable}, and adds Bearer itself.`,
      `Or type: ${shellCommand`codex mcp add ${label} --url ${url} --bearer-token-env-var ${variable}`}`,
    ],
  },
  json: {
    title: 'Any client with a JSON file',
    file: 'the configuration file of your MCP client',
    language: 'json',
    text: (to) => json({ mcpServers: { [to.label]: httpEntry(to) } }),
  },
  toml: {
    title: 'Any client with a TOML file',
    file: 'the configuration file of your MCP client',
    language: 'toml',
    text: bearerTable,
    notes: ({ variable }) => [`The client reads the secret from the environment variable ${variable}.`],
  },
  stdio: {
    title: 'Any client that starts a program',
    file: 'the configuration file of your MCP client',
    language: 'json',
    text: ({ label, origin, secret, adapterPath }) =>
      json({
        mcpServers: {
          [label]: {
            command: 'node',
            args: [adapterPath],
            env: { SERVICE_URL: origin, SERVICE_TOKEN: secret },
          },
        },
      }),
    notes: () => [
      "Use the path of drover-mcp.mjs in a copy of Drover on the agent's machine.",
      'Many clients do not replace placeholders such as ${VAR}: write the secret itself, or put it into the environment of the client.',
    ],
  },
};

/** The configurations of all clients. */
export const clientSnippets = (request: SnippetRequest): readonly ClientSnippet[] =>
  AGENT_CLIENTS.map((client) => clientSnippet(client, request));

export function clientSnippet(client: AgentClient, request: SnippetRequest): ClientSnippet {
  const { title, file, language, text, notes, install } = FORMATS[client];
  const to = connectionOf(request);
  const warning = hostWarning(request);
  const written = text(to);
  return {
    client,
    title,
    file,
    language,
    warning,
    text: written,
    block: warning === null ? written : warned(language, warning, written),
    notes: notes?.(to) ?? [],
    install: install?.(to) ?? null,
  };
}

/** Where the host in addresses for agents works; `null`: it is the service's public one. */
export const hostWarning = ({
  publicUrl,
  origin,
}: Pick<SnippetRequest, 'publicUrl' | 'origin'>): string | null =>
  publicUrl === null
    ? `SERVICE_PUBLIC_URL is not set: until it is, agents get ${
        origin === undefined
          ? "localhost as a placeholder, which works only on the service's own machine"
          : 'the host of your request as a placeholder, which works only where that name is reachable'
      }.`
    : null;

/**
 * JSON has no comments: the warning is the first member, which clients ignore, so that the file is usable as it is.
 */
const warned = (language: ClientSnippet['language'], warning: string, text: string): string =>
  language === 'json' ? json({ '//': warning, ...JSON.parse(text) }) : `# ${warning}\n${text}`;

const USUAL_PORT = 8888;

function connectionOf(request: SnippetRequest): Connection {
  const { label, secret, publicUrl, httpPort = USUAL_PORT } = request;
  const origin = publicUrl ?? request.origin ?? `http://localhost:${httpPort}`;
  return {
    label,
    secret,
    origin,
    url: `${origin}/mcp`,
    bearer: `Bearer ${secret}`,
    variable: `${label.toUpperCase().replace(/\W/g, '_')}_TOKEN`,
    adapterPath: request.adapterPath ?? '/opt/drover/bin/drover-mcp.mjs',
  };
}

function bearerTable({ label, url, variable }: Connection): string {
  const key = /^[\w-]+$/.test(label) ? label : JSON.stringify(label);
  return `[mcp_servers.${key}]\nurl = ${JSON.stringify(url)}\nbearer_token_env_var = ${JSON.stringify(variable)}\n`;
}
