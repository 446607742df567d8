import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';

/** A tool's answer: `error` shows which of the two it was. */
export interface ToolAnswer {
  readonly isError: boolean;
  readonly body: Readonly<Record<string, unknown>>;
}

/** An agent: the protocol's official client, over HTTP, with a token. */
export class Agent {
  readonly client: Client;

  private constructor(client: Client) {
    this.client = client;
  }

  /** Initializes and lists the tools, as agents do first; from then on the client checks results against their schemas. */
  static async connect(url: string, token: string, fetch?: FetchLike): Promise<Agent> {
    const client = new Client({ name: 'e2e', version: '1' });
    await client.connect(
      new StreamableHTTPClientTransport(new URL('/mcp', url), {
        requestInit: { headers: { Authorization: `Bearer ${token}` } },
        ...(fetch ? { fetch } : {}),
      }),
    );
    await client.listTools();
    return new Agent(client);
  }

  async call(name: string, args: Record<string, unknown> = {}): Promise<ToolAnswer> {
    const { isError, structuredContent, content } = await this.client.callTool({ name, arguments: args });
    const [first] = content as { readonly type: string; readonly text: string }[];
    const body: unknown = structuredContent ?? JSON.parse(first?.text ?? 'null');
    return { isError: isError === true, body: body as ToolAnswer['body'] };
  }

  async close(): Promise<void> {
    await this.client.close();
  }
}
