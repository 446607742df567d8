import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CATALOGUE } from '../../../../src/adapters/inbound/api/catalogue.ts';
import { CAPABILITIES } from '../../../../src/domain/access/scope.ts';
import { containerOf, inventoryOf } from '../../../support/inventories.ts';
import { type ApiFixture, openApiFixture } from '../http/api-fixture.ts';
import { MODERN_META, PipedAdapter } from './piped-adapter.ts';

/** An agent's possible actions, one after another: every tool, with success and with refusals. */
const CALLS: readonly (readonly [tool: string, args: object])[] = [
  ['health', {}],
  ['summary', {}],
  ['list_servers', {}],
  ['list_servers', { q: 'äl & "p" + %41/?#', limit: 1, offset: 1 }],
  ['list_servers', { q: 'alp', limit: 1 }],
  ['get_server', { server_id: 1 }],
  ['get_server', { server_id: 99 }],
  ['get_server', { server_id: 'one', unknown: true }],
  ['inventory', {}],
  ['inventory', { server_id: 1 }],
  ['inventory', { server_id: 2 }],
  ['services', {}],
  ['services', { server_id: 1, state: 'failed', q: 'DB', limit: 2 }],
  ['trigger_job', { server_id: 1, job_type: 'backup', dry_run: true }],
  ['trigger_job', { server_id: 1, job_type: 'backup' }],
  ['trigger_job', { server_id: 1, job_type: 'retention', source_filter: 'etc' }],
  ['trigger_job', { server_id: 1, job_type: 'os_update_check' }],
  ['trigger_job', { server_id: 1, job_type: 'backup', source_filter: 'nothing of this name' }],
  ['trigger_job', { server_id: 2, job_type: 'backup' }],
  ['trigger_job', { server_id: 1, job_type: 'host_reboot' }],
  ['trigger_job', { server_id: 1, job_type: 'os_patch', os_steps: ['update', 'upgrade'] }],
  ['list_jobs', {}],
  [
    'list_jobs',
    { server_id: 1, status_filter: 'pending', job_type: 'backup', active_only: true, limit: 5, offset: 0 },
  ],
  ['list_jobs', { active_only: false }],
  ['get_job', { job_id: 1 }],
  ['get_job', { job_id: 1, detail: true }],
  ['get_job', { job_id: 99 }],
  ['set_features', { server_id: 2, docker: true, backup: false }],
  ['set_features', { server_id: 2 }],
  ['list_files', { server_id: 1 }],
  ['list_files', { server_id: 1, p: 'a b/ü' }],
  ['write_file', { server_id: 1, p: '', name: 'a.txt', text: 'ä\n' }],
  ['read_file', { server_id: 1, p: 'a.txt' }],
  ['mkdir', { server_id: 1, p: '', name: 'd' }],
  ['rename_file', { server_id: 1, p: '', src: 'a.txt', dest: 'b.txt' }],
  ['delete_file', { server_id: 1, p: 'b.txt' }],
  ['no_such_tool', {}],
  // Invalid inputs, of which some are refused for other reasons first.
  ['trigger_job', { server_id: 1, job_type: 'container_patch', nonsense: 1 }],
  ['trigger_job', { server_id: 1, job_type: 'backup', nonsense: 1 }],
  ['trigger_job', { server_id: 99, job_type: 'os_update_check', os_steps: 7 }],
  ['trigger_job', { server_ids: [99], job_type: 'os_update_check', nonsense: 1 }],
  ['trigger_job', { server_id: 2, job_type: 'os_patch', reason: 7 }],
  ['set_features', { server_id: 1, backup: 'yes' }],
  ['set_features', { server_id: 99, docker: 'yes' }],
  ['write_file', { server_id: 99, p: 7 }],
  ['list_files', { server_id: 1, p: '', limit: 0 }],
  ['list_servers', { limit: 0 }],
];

/** Two identical services. One is called over HTTP, the other over stdio. */
let hosted: ApiFixture;
let remote: ApiFixture;
beforeEach(async () => {
  [hosted, remote] = [await openApiFixture(), await openApiFixture()];
  for (const { stores } of [hosted, remote]) {
    await stores.inventories.save(1, inventoryOf({ containers: [containerOf({ state: 'exited' })] }));
  }
});
afterEach(async () => {
  await hosted.close();
  await remote.close();
});

it('every tool is called', () => {
  const called = new Set(CALLS.map(([name]) => name));
  const tools = CATALOGUE.filter(({ tool }) => tool !== undefined).map(({ name }) => name);
  expect(tools.filter((name) => !called.has(name))).toEqual([]);
});

const MODERN_HEADERS = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call' };

describe.each([
  ['up to 2025-11-25', {}, () => ({})],
  ['2026-07-28', { _meta: MODERN_META }, (name: string) => ({ ...MODERN_HEADERS, 'Mcp-Name': name })],
] as const)('a call over stdio, in the era of %s', (_era, meta, headersOf) => {
  it.each([
    ['all scopes', CAPABILITIES],
    ['one feature', [...CAPABILITIES, 'feature:os']],
    ['reading only', ['read']],
  ])('says what it says over HTTP, byte for byte: %s', async (_scopes, scopes) => {
    const tokens = [await hosted.token(scopes), await remote.token(scopes)] as const;
    const adapter = new PipedAdapter({ url: remote.base, token: tokens[1] });
    for (const [name, args] of CALLS) {
      const params = { name, arguments: args, ...meta };
      const [said, answer] = [
        await adapter.request('tools/call', params, 1),
        await hosted.rpc(tokens[0], 'tools/call', params, headersOf(name)),
      ];
      expect(said.text, `${name} ${JSON.stringify(args)}`).toBe(answer.text);
    }
    await adapter.close();
  });

  it('reports started jobs and existing ones', async () => {
    const adapter = new PipedAdapter({ url: remote.base, token: await remote.token(CAPABILITIES) });
    const trigger = {
      name: 'trigger_job',
      arguments: { server_id: 1, job_type: 'backup' },
      ...meta,
    };
    const { json: first } = await adapter.request('tools/call', trigger);
    const { json: second } = await adapter.request('tools/call', trigger);
    expect(first.result.structuredContent).toMatchObject({ http_status: 202, job_id: 1 });
    expect(second.result.structuredContent).toMatchObject({
      http_status: 409,
      already_active: true,
      job_id: 1,
    });
    expect(second.result.isError).toBeUndefined();
    await adapter.close();
  });
});
