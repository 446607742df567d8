import { expect, test } from 'vitest';
import { VERSION } from '../../src/adapters/bootstrap/version.ts';
import { CATALOGUE } from '../../src/adapters/inbound/api/catalogue.ts';
import { INSTRUCTIONS } from '../../src/adapters/inbound/mcp/drover-server.ts';
import { CAPABILITIES } from '../../src/domain/access/scope.ts';
import { type ApiFixture, openApiFixture } from '../adapters/inbound/http/api-fixture.ts';
import type { ClientKind, McpClient, Reached } from './mcp-clients.ts';

const TOOLS = CATALOGUE.filter(({ tool }) => tool !== undefined);

/**
 * What each of the protocol's own clients must be able to do. They validate structured results against the output
 * schemas.
 */
export function clientScenario(kind: ClientKind, reach: (url: string, token: string) => Reached): void {
  async function withClient(
    scopes: readonly string[],
    work: (client: McpClient, fixture: ApiFixture) => Promise<void>,
  ): Promise<void> {
    const fixture = await openApiFixture();
    try {
      const client = await kind.connect(reach(fixture.base, await fixture.token(scopes)));
      try {
        await work(client, fixture);
      } finally {
        await client.close();
      }
    } finally {
      await fixture.close();
    }
  }

  test('it learns who we are and sees all tools', () =>
    withClient(CAPABILITIES, async (client) => {
      expect(client.getServerVersion()).toMatchObject({ name: 'drover', version: VERSION });
      expect(client.getInstructions()).toBe(INSTRUCTIONS);
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
    }));

  test('it reads, starts a job, meets the one that is there, and follows it', () =>
    withClient(['read', 'jobs', 'edit'], async (client) => {
      await client.listTools();
      const call = async (name: string, args: Record<string, unknown> = {}) => {
        const { structuredContent, isError } = await client.callTool({ name, arguments: args });
        expect(isError ?? false).toBe(false);
        return structuredContent as Record<string, unknown>;
      };
      expect(await call('health')).toMatchObject({ ok: true, scopes: ['read', 'jobs', 'edit'] });
      expect(await call('summary')).toMatchObject({ hosts: 2 });
      expect(await call('list_servers', { q: 'alp' })).toMatchObject({ total: 1 });
      expect(await call('inventory', { server_id: 1 })).toMatchObject({ total: 1 });
      expect(await call('services')).toMatchObject({ count: 0 });
      const started = await call('trigger_job', { server_id: 1, job_type: 'backup' });
      expect(started).toMatchObject({ http_status: 202, status: 'pending' });
      const again = await call('trigger_job', { server_id: 1, job_type: 'backup' });
      expect(again).toMatchObject({ http_status: 409, already_active: true, job_id: started['job_id'] });
      expect(await call('get_job', { job_id: started['job_id'], detail: true })).toMatchObject({
        status: 'pending',
      });
      expect(await call('list_jobs', { active_only: true })).toMatchObject({ total: 1 });
      expect(await call('set_features', { server_id: 2, docker: true })).toMatchObject({
        changed: ['docker'],
      });
    }));

  test('it gets refusals as results, and knows no tool outside its scopes', () =>
    withClient(['read'], async (client) => {
      await client.listTools();
      const wrong = await client.callTool({ name: 'get_server', arguments: { server_id: 99 } });
      expect(wrong.isError).toBe(true);
      const [content] = wrong.content as [{ text: string }];
      expect(JSON.parse(content.text)).toMatchObject({ status: 404, code: 'server_not_found' });
      await expect(client.callTool({ name: 'trigger_job', arguments: {} })).rejects.toThrow(
        /Unknown tool: trigger_job/,
      );
    }));

  test('it cannot start without the scope to read', async () => {
    await expect(withClient(['jobs'], async () => {})).rejects.toThrow();
  });
}
