import { describe, expect, test } from 'vitest';
import {
  AGENT_CLIENTS,
  type AgentClient,
  clientSnippet,
  clientSnippets,
} from '../../../src/application/access/client-snippets.ts';

const SECRET = 'drv_secret';
const request = { publicUrl: 'https://drover.example.org:8443', secret: SECRET, label: 'drover' };
const textOf = (client: AgentClient): string => clientSnippet(client, request).text;

const ENTRY = {
  type: 'http',
  url: 'https://drover.example.org:8443/mcp',
  headers: { Authorization: `Bearer ${SECRET}` },
};

const TABLE = `[mcp_servers.drover]
url = "https://drover.example.org:8443/mcp"
bearer_token_env_var = "DROVER_TOKEN"
`;

describe('The file of', () => {
  test.each(['json', 'claude'] as const)('%s has the entry under mcpServers', (client) => {
    expect(JSON.parse(textOf(client))).toEqual({ mcpServers: { drover: ENTRY } });
  });

  test('cursor names no type', () => {
    const { type: _, ...entry } = ENTRY;
    expect(JSON.parse(textOf('cursor'))).toEqual({ mcpServers: { drover: entry } });
  });

  test('vscode has it under servers, and asks for the secret', () => {
    const { inputs, servers } = JSON.parse(textOf('vscode'));
    expect(inputs).toMatchObject([{ type: 'promptString', id: 'drover-token', password: true }]);
    expect(servers.drover).toEqual({ ...ENTRY, headers: { Authorization: 'Bearer ${input:drover-token}' } });
    expect(textOf('vscode')).not.toContain(SECRET);
  });

  test.each(['codex', 'toml'] as const)('%s names the variable that holds the secret', (client) => {
    expect(textOf(client)).toBe(TABLE);
    expect(clientSnippet(client, request).notes.join(' ')).toContain('DROVER_TOKEN');
  });

  test('stdio starts the adapter with address and secret in its environment', () => {
    expect(JSON.parse(textOf('stdio'))).toEqual({
      mcpServers: {
        drover: {
          command: 'node',
          args: ['/opt/drover/bin/drover-mcp.mjs'],
          env: { SERVICE_URL: 'https://drover.example.org:8443', SERVICE_TOKEN: SECRET },
        },
      },
    });
    const { text } = clientSnippet('stdio', { ...request, adapterPath: '/srv/drover mcp.mjs' });
    expect(JSON.parse(text).mcpServers.drover.args).toEqual(['/srv/drover mcp.mjs']);
  });
});

describe('Every client', () => {
  test('is there once, in a fixed order', () => {
    expect(clientSnippets(request).map(({ client }) => client)).toEqual([...AGENT_CLIENTS]);
  });

  test.each(AGENT_CLIENTS)('%s never gets the secret in an address or on a command line', (client) => {
    const { text, notes } = clientSnippet(client, request);
    for (const [address] of text.matchAll(/https?:[^"\s]*/g)) expect(address).not.toContain(SECRET);
    expect(notes.join('\n')).not.toContain(SECRET);
  });

  test.each(AGENT_CLIENTS)('%s: nothing is wrong where the address is known', (client) => {
    const { warning, text, block } = clientSnippet(client, request);
    expect(warning).toBeNull();
    expect(block).toBe(text);
  });

  test.each(AGENT_CLIENTS)('%s: without an address the block starts with a warning', (client) => {
    const { warning, text, block, language } = clientSnippet(client, {
      ...request,
      publicUrl: null,
      httpPort: 8080,
    });
    expect(warning).toMatch(/^SERVICE_PUBLIC_URL is not set: .* placeholder/);
    expect(clientSnippet(client, { ...request, publicUrl: null, origin: 'http://x' }).warning).toMatch(
      /^SERVICE_PUBLIC_URL is not set: .* the host of your request as a placeholder/,
    );
    if (language === 'json') {
      expect(Object.entries(JSON.parse(block))[0]).toEqual(['//', warning]);
      expect(JSON.parse(block)).toEqual({ '//': warning, ...JSON.parse(text) });
    } else {
      expect(block).toBe(`# ${warning}\n${text}`);
    }
    expect(text).toContain('"http://localhost:8080');
  });
});

describe('The label', () => {
  test('names the entry and the variable', () => {
    const { text } = clientSnippet('codex', { ...request, label: 'my-fleet' });
    expect(text).toContain('[mcp_servers.my-fleet]');
    expect(text).toContain('"MY_FLEET_TOKEN"');
    expect(JSON.parse(clientSnippet('json', { ...request, label: 'a "b"' }).text).mcpServers).toHaveProperty([
      'a "b"',
    ]);
    expect(clientSnippet('toml', { ...request, label: 'a "b"' }).text).toContain('[mcp_servers."a \\"b\\""]');
  });
});

describe('An install link', () => {
  const linkOf = (client: AgentClient): URL => new URL(clientSnippet(client, request).install ?? '');

  test('is there for Cursor and VS Code, and none has the secret', () => {
    const links = clientSnippets(request).filter(({ install }) => install !== null);
    expect(links.map(({ client }) => client)).toEqual(['cursor', 'vscode']);
    for (const { install } of links) {
      expect(install).not.toContain(SECRET);
      expect(Buffer.from(install?.split('config=')[1] ?? '', 'base64').toString()).not.toContain(SECRET);
    }
  });

  test('of Cursor has the entry as base64, with the variable that holds the secret', () => {
    const { protocol, host, pathname, searchParams } = linkOf('cursor');
    expect([protocol, host, pathname]).toEqual(['cursor:', 'anysphere.cursor-deeplink', '/mcp/install']);
    expect(searchParams.get('name')).toBe('drover');
    expect(JSON.parse(Buffer.from(searchParams.get('config') ?? '', 'base64').toString())).toEqual({
      url: ENTRY.url,
      headers: { Authorization: 'Bearer ${env:DROVER_TOKEN}' },
    });
  });

  test('of VS Code has the entry of its file, and the same question', () => {
    const { protocol, pathname, search } = linkOf('vscode');
    expect([protocol, pathname]).toEqual(['vscode:', 'mcp/install']);
    const { inputs, servers } = JSON.parse(textOf('vscode'));
    expect(JSON.parse(decodeURIComponent(search.slice(1)))).toEqual({
      name: 'drover',
      inputs,
      ...servers.drover,
    });
  });
});
