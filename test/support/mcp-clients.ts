import {
  Client as SecondClient,
  StreamableHTTPClientTransport as SecondHttp,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import { StdioClientTransport as SecondStdio } from '@modelcontextprotocol/client/stdio';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as FirstStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as FirstHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

/** The tests' requirements of either client. */
export interface McpClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(call: { name: string; arguments?: Record<string, unknown> }): Promise<{
    content?: unknown;
    structuredContent?: unknown;
    isError?: unknown;
  }>;
  getServerVersion(): { name: string; version: string } | undefined;
  getInstructions(): string | undefined;
  close(): Promise<void>;
}

/** The server: an address, or a program to start. */
export type Reached =
  | { readonly url: string; readonly token: string }
  | { readonly program: string; readonly env: Record<string, string> };

export interface ClientKind {
  readonly name: string;
  /** The negotiated revision. */
  readonly revision: string;
  connect(to: Reached): Promise<McpClient>;
}

const IDENTITY = { name: 'official client', version: '1' };

const httpOptions = (token: string) => ({
  requestInit: { headers: { Authorization: `Bearer ${token}` } },
});

const spawnOptions = (program: string, env: Record<string, string>) => ({
  command: process.execPath,
  args: [program],
  env,
  stderr: 'ignore' as const,
});

const first: ClientKind = {
  name: '@modelcontextprotocol/sdk 1.x',
  revision: '2025-11-25',
  async connect(to) {
    const client = new FirstClient(IDENTITY);
    const transport =
      'url' in to
        ? new FirstHttp(new URL('/mcp', to.url), httpOptions(to.token))
        : new FirstStdio(spawnOptions(to.program, to.env));
    await client.connect(transport);
    return client as McpClient;
  },
};

const second = (mode: VersionNegotiationMode, revision: string): ClientKind => ({
  name: `@modelcontextprotocol/client 2.x, mode ${typeof mode === 'string' ? mode : mode.pin}`,
  revision,
  async connect(to) {
    const client = new SecondClient(IDENTITY, { versionNegotiation: { mode } });
    await client.connect(
      'url' in to
        ? new SecondHttp(new URL('/mcp', to.url), httpOptions(to.token))
        : new SecondStdio(spawnOptions(to.program, to.env)),
    );
    if (client.getNegotiatedProtocolVersion() !== revision)
      throw new Error(`it speaks ${client.getNegotiatedProtocolVersion()}`);
    return client;
  },
});

/** The protocol's own clients, with all their ways of version negotiation. */
export const CLIENT_KINDS: readonly ClientKind[] = [
  first,
  second('legacy', '2025-11-25'),
  second('auto', '2026-07-28'),
  second({ pin: '2026-07-28' }, '2026-07-28'),
];
