const MODERN = '2026-07-28';

export interface Message {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

const COMMON = {
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
};

export const legacy = (method: string, params: object = {}): Message => ({
  headers: { ...COMMON, 'MCP-Protocol-Version': '2025-11-25' },
  body: { jsonrpc: '2.0', id: 1, method, params },
});

/** The stateless revision: version and capabilities come with every request, and headers repeat the body. */
export const modern = (method: string, params: { readonly name?: string } & object = {}): Message => ({
  headers: {
    ...COMMON,
    'MCP-Protocol-Version': MODERN,
    'Mcp-Method': method,
    ...(params.name === undefined ? {} : { 'Mcp-Name': params.name }),
  },
  body: {
    jsonrpc: '2.0',
    id: 1,
    method,
    params: {
      ...params,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': MODERN,
        'io.modelcontextprotocol/clientCapabilities': {},
        'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
      },
    },
  },
});
