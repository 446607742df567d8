import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ErrorCode, LATEST_PROTOCOL_VERSION, McpError } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VERSION } from '../../../../src/adapters/bootstrap/version.ts';
import { hostTextNote } from '../../../../src/adapters/inbound/api/host-text.ts';
import { INSTRUCTIONS } from '../../../../src/adapters/inbound/mcp/drover-server.ts';
import { type ApiFixture, openApiFixture } from '../http/api-fixture.ts';

let fixture: ApiFixture;
let clients: Client[];
beforeEach(async () => {
  fixture = await openApiFixture();
  clients = [];
});
afterEach(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await fixture.close();
});

async function connect(scopes: readonly string[]): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const token = await fixture.token(scopes);
  const transport = new StreamableHTTPClientTransport(new URL(`${fixture.base}/mcp`), {
    requestInit: { headers: { Authorization: `Bearer ${token}` } },
  });
  await client.connect(transport);
  clients.push(client);
  return client;
}

/** The structured result of a call; the client itself has held it against the tool's output schema. */
async function call(client: Client, name: string, args: Record<string, unknown> = {}) {
  const result = await client.callTool({ name, arguments: args });
  expect(result.isError).toBeUndefined();
  expect(result.content).toMatchObject([
    { type: 'text', text: JSON.stringify(result.structuredContent) },
    ...[hostTextNote(name, result.structuredContent as object)].flatMap((text) =>
      text === null ? [] : [{ type: 'text', text }],
    ),
  ]);
  return result.structuredContent as { job_id?: number; job?: object };
}

describe('the official client', () => {
  it('learns who we are', async () => {
    const client = await connect(['read']);
    expect(client.getServerVersion()).toEqual({ name: 'drover', title: 'Drover', version: VERSION });
    expect(client.getInstructions()).toBe(INSTRUCTIONS);
    expect(client.getServerCapabilities()).toEqual({ tools: {}, prompts: {} });
    expect(client.transport).toMatchObject({ protocolVersion: LATEST_PROTOCOL_VERSION });
    await client.ping();
  });

  it('calls every reading tool', async () => {
    const client = await connect(['read']);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'health',
      'summary',
      'list_servers',
      'get_server',
      'inventory',
      'services',
      'list_jobs',
      'get_job',
    ]);
    expect(await call(client, 'health')).toMatchObject({ ok: true, scopes: ['read'] });
    expect(await call(client, 'summary')).toMatchObject({ hosts: 2 });
    expect(await call(client, 'list_servers', { q: 'alp', limit: 1 })).toMatchObject({ total: 1 });
    expect(await call(client, 'get_server', { server_id: 1 })).toMatchObject({ name: 'alpha' });
    expect(await call(client, 'inventory', { server_id: 1 })).toMatchObject({ total: 1 });
    expect(await call(client, 'services', { state: 'failed' })).toMatchObject({ services: [], count: 0 });
    expect(await call(client, 'list_jobs', { active_only: true })).toMatchObject({ jobs: [] });
  });

  it('starts a job, meets the one that is there, and follows it', async () => {
    const client = await connect(['read', 'jobs']);
    await client.listTools();
    const args = { server_id: 1, job_type: 'backup' };
    const started = await call(client, 'trigger_job', args);
    expect(started).toMatchObject({ http_status: 202, status: 'pending', job: { done: false } });
    const again = await call(client, 'trigger_job', args);
    expect(again).toMatchObject({
      http_status: 409,
      already_active: true,
      code: 'job_already_active',
      job_id: started.job_id,
      job: started.job,
    });
    const followed = await call(client, 'get_job', { job_id: started.job_id, detail: true });
    expect(followed).toEqual({ ...started.job, log_lines: [] });
  });

  it('switches features', async () => {
    const client = await connect(['read', 'edit']);
    await client.listTools();
    const done = await call(client, 'set_features', { server_id: 2, docker: true });
    expect(done).toMatchObject({ ok: true, changed: ['docker'], server: { features: { docker: true } } });
  });

  it('gets refusals as results that the model can act on', async () => {
    const client = await connect(['read', 'jobs']);
    await client.listTools();
    const off = await client.callTool({
      name: 'trigger_job',
      arguments: { server_id: 2, job_type: 'backup' },
    });
    expect(off).toMatchObject({ isError: true });
    expect(off).not.toHaveProperty('structuredContent');
    const wrong = await client.callTool({ name: 'get_server', arguments: { server_id: '1', id: 1 } });
    expect(JSON.parse((wrong.content as [{ text: string }])[0].text)).toEqual({
      ok: false,
      status: 422,
      code: 'invalid_input',
      detail: "/server_id: Must be an id as a number, or a server's whole name (and 1 more).",
      errors: [
        { path: '/server_id', message: "Must be an id as a number, or a server's whole name." },
        { path: '/id', message: 'Unknown field; the fields are server_id.' },
      ],
    });
  });

  it('does not find tools outside its scopes', async () => {
    const client = await connect(['read']);
    const refused = await client
      .callTool({ name: 'trigger_job', arguments: {} })
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(McpError);
    expect(refused).toMatchObject({ code: ErrorCode.InvalidParams });
    expect(String(refused)).toContain('Unknown tool: trigger_job');
  });

  it('cannot even start without the scope to read', async () => {
    await expect(connect(['jobs'])).rejects.toMatchObject({ code: -32001 });
  });
});
