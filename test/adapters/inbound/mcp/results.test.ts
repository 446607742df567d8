import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CATALOGUE } from '../../../../src/adapters/inbound/api/catalogue.ts';
import { hostTextNote } from '../../../../src/adapters/inbound/api/host-text.ts';
import {
  toolInputJsonSchema,
  toolOutputJsonSchema,
} from '../../../../src/adapters/inbound/api/json-schema.ts';
import { INSTRUCTIONS } from '../../../../src/adapters/inbound/mcp/drover-server.ts';
import { GetSummary } from '../../../../src/application/fleet/get-summary.ts';
import { ListServers } from '../../../../src/application/fleet/list-servers.ts';
import { DomainError } from '../../../../src/domain/base/errors.ts';
import { type ApiFixture, openApiFixture } from '../http/api-fixture.ts';

let fixture: ApiFixture;
let token: string;
beforeAll(async () => {
  fixture = await openApiFixture();
  token = await fixture.token(['read', 'jobs', 'edit', 'files']);
});
afterAll(() => fixture.close());

const validator = new AjvJsonSchemaValidator();
const tools = CATALOGUE.flatMap((entry) => (entry.tool ? [{ ...entry, tool: entry.tool }] : []));
const call = async (name: string, args: object) =>
  (await fixture.rpc(token, 'tools/call', { name, arguments: args })).json.result;

/** Every tool, a call of it, and the same over REST. In this order: the job of the first call is there for the others. */
const calls = [
  ['trigger_job', { server_id: 1, job_type: 'backup' }, null],
  ['trigger_job', { server_id: 1, job_type: 'backup' }, null],
  ['health', {}, '/health'],
  ['summary', {}, '/summary'],
  ['list_servers', { limit: 1 }, '/servers?limit=1'],
  ['get_server', { server_id: 1 }, '/servers/1'],
  ['inventory', {}, '/inventory'],
  ['inventory', { server_id: 2, limit: 5 }, '/inventory?server_id=2&limit=5'],
  ['services', {}, '/services'],
  [
    'services',
    { server_id: 1, state: 'failed', q: 'DB', limit: 2 },
    '/services?server_id=1&state=failed&q=DB&limit=2',
  ],
  ['list_jobs', { status_filter: 'pending' }, '/servers/1/jobs?status_filter=pending'],
  ['get_job', { job_id: 1 }, '/jobs/1'],
  ['get_job', { job_id: 1, detail: true }, '/jobs/1?detail=true'],
  ['set_features', { server_id: 2, docker: true }, null],
  ['list_files', { server_id: 1 }, '/servers/1/files'],
  ['list_files', { server_id: 1, p: 'app' }, '/servers/1/files?p=app'],
  ['read_file', { server_id: 1, p: 'app/compose.yaml' }, '/servers/1/files/content?p=app%2Fcompose.yaml'],
  [
    'read_file',
    { server_id: 1, p: 'app/compose.yaml', offset: 9 },
    '/servers/1/files/content?p=app/compose.yaml&offset=9',
  ],
  ['write_file', { server_id: 1, p: 'app', name: 'x y', text: 'größe\n' }, null],
  ['mkdir', { server_id: 1, p: 'app', name: 'conf' }, null],
  ['rename_file', { server_id: 1, p: 'app', src: 'conf', dest: 'etc' }, null],
  ['delete_file', { server_id: 1, p: 'app/etc' }, null],
] as const;

/** What only tools count or leave out. */
const OWN = [
  'limit',
  'next_offset',
  'truncated',
  'updates_count',
  'security_updates_count',
  'containers_count',
];

/** Whether a tool's result says nothing that the other does not. */
function agrees(whole: unknown, part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return part === whole;
  if (Array.isArray(part)) return part.every((each, index) => agrees((whole as unknown[])[index], each));
  return Object.entries(part).every(
    ([name, value]) =>
      OWN.includes(name) || name === 'changes' || agrees((whole as Record<string, unknown>)[name], value),
  );
}

describe('results of tools', () => {
  it('are shown for every tool', () => {
    expect(new Set(calls.map(([name]) => name))).toEqual(new Set(tools.map(({ name }) => name)));
  });

  it('are exactly what their output schemas say, in text and structure alike', async () => {
    for (const [name, args] of calls) {
      const entry = tools.find((tool) => tool.name === name);
      if (!entry) throw new Error(name);
      const inputCheck = validator.getValidator(toolInputJsonSchema(entry.tool.input ?? entry.input));
      expect(inputCheck(args), name).toMatchObject({ valid: true });
      const result = await call(name, args);
      expect(result.isError, name).toBeUndefined();
      const schema = entry.tool.output ?? entry.output;
      expect(schema.parse(result.structuredContent), name).toEqual(result.structuredContent);
      const outputCheck = validator.getValidator(toolOutputJsonSchema(schema));
      expect(outputCheck(result.structuredContent), name).toMatchObject({ valid: true });
      expect(result.content).toMatchObject([
        { type: 'text', text: JSON.stringify(result.structuredContent) },
        ...[hostTextNote(name, result.structuredContent)].flatMap((text) =>
          text === null ? [] : [{ type: 'text', text }],
        ),
      ]);
    }
  });

  it('are what the REST side answers, without what is unknown or empty', async () => {
    for (const [name, args, path] of calls) {
      if (path === null) continue;
      const { json } = await fixture.request(`/api/v1${path}`, { token });
      expect(agrees(json, (await call(name, args)).structuredContent), name).toBe(true);
    }
    const lists = [
      ['list_servers', 'servers', '/servers'],
      ['services', 'services', '/services'],
      ['list_jobs', 'jobs', '/jobs'],
      ['inventory', 'hosts', '/inventory'],
    ] as const;
    for (const [name, member, path] of lists) {
      const full = (await call(name, { detail: 'full' })).structuredContent;
      const { json } = await fixture.request(`/api/v1${path}`, { token });
      expect(full[member], name).toEqual(json[member]);
    }
    const { json } = await fixture.request('/api/v1/servers/1/jobs', {
      token,
      method: 'POST',
      json: { job_type: 'backup' },
    });
    const again = (await call('trigger_job', { server_id: 1, job_type: 'backup' })).structuredContent;
    expect(again).toMatchObject({
      http_status: 409,
      already_active: true,
      detail: json.detail,
    });
    expect(agrees(json.job, again.job)).toBe(true);
  });

  it('take null and nothing for no arguments', async () => {
    for (const params of [
      { name: 'health' },
      { name: 'health', arguments: null },
      { name: 'health', task: {} },
    ]) {
      const { json } = await fixture.rpc(token, 'tools/call', params);
      expect(json.result.structuredContent.ok).toBe(true);
    }
  });
});

describe('refused calls', () => {
  const refused = async (name: string, args: unknown) => {
    const { json, status } = await fixture.rpc(token, 'tools/call', { name, arguments: args });
    expect(status).toBe(200);
    expect(json.result).toEqual({ isError: true, content: expect.any(Array) });
    return JSON.parse(json.result.content[0].text);
  };

  it.each([
    ['get_server', { server_id: 99 }, 404, 'server_not_found'],
    ['get_job', { job_id: 99 }, 404, 'job_not_found'],
    ['list_jobs', { server_id: 99 }, 404, 'server_not_found'],
    ['inventory', { server_id: 99 }, 404, 'server_not_found'],
    ['trigger_job', { server_id: 99, job_type: 'backup' }, 404, 'server_not_found'],
    ['trigger_job', { server_id: 2, job_type: 'os_update_check' }, 400, 'feature_disabled'],
    ['trigger_job', { server_id: 1, job_type: 'os_patch' }, 422, 'job_type_unavailable'],
    ['trigger_job', { server_id: 1, job_type: 'retention', source_filter: 'none' }, 404, 'source_not_found'],
    ['set_features', { server_id: 1 }, 400, 'empty_change'],
    ['list_files', { server_id: 2 }, 400, 'files_not_configured'],
    ['list_files', { server_id: 99 }, 404, 'server_not_found'],
    ['read_file', { server_id: 1, p: 'none' }, 404, 'file_not_found'],
    ['read_file', { server_id: 1, p: 'app' }, 409, 'not_a_file'],
    ['read_file', { server_id: 1, p: '.ssh/id_rsa' }, 403, 'path_refused'],
    ['mkdir', { server_id: 1, p: '', name: 'app' }, 409, 'file_exists'],
    ['delete_file', { server_id: 1, p: 'app' }, 409, 'directory_not_empty'],
    ['delete_file', { server_id: 1, p: '' }, 403, 'path_refused'],
    [
      'write_file',
      { server_id: 1, p: 'app', name: 'compose.yaml', text: '', if_match: '0'.repeat(64) },
      409,
      'changed_since_read',
    ],
  ])('of %s with %j say %i %s', async (name, args, status, code) => {
    expect(await refused(name, args)).toEqual({
      ok: false,
      status,
      code,
      detail: expect.stringMatching(/\.$/),
    });
  });

  it.each([
    ['trigger_job', { server_id: 1, job_type: 'host_reboot' }, '/job_type'],
    ['trigger_job', { server_id: 1, job_type: 'backup', service: 'web' }, '/service'],
    ['trigger_job', { server_id: 1, job_type: 'backup', source_filter: null }, '/source_filter'],
    ['trigger_job', { server_id: 1, job_type: 'os_update_check', os_steps: ['update'] }, '/os_steps'],
    ['get_server', { server_id: 2 ** 53 }, '/server_id'],
    ['get_server', { server_id: -1 }, '/server_id'],
    ['get_server', { server_id: '1' }, '/server_id'],
    ['list_servers', { limit: 1_000 }, '/limit'],
    ['list_servers', { q: 'a'.repeat(300) }, '/q'],
    ['health', { surprise: 1 }, '/surprise'],
    ['health', [], ''],
    ['health', 'text', ''],
  ])('of %s with %j name %s', async (name, args, path) => {
    const answer = await refused(name, args);
    expect(answer).toMatchObject({ ok: false, status: 422, code: 'invalid_input' });
    expect(answer.errors.map((problem: { path: string }) => problem.path)).toEqual([path]);
    expect(answer.detail).toContain(path);
  });

  it('want the name of a tool', async () => {
    for (const name of [undefined, 7, null, {}]) {
      expect((await fixture.rpc(token, 'tools/call', { name })).json.error.code).toBe(-32602);
    }
    const long = await fixture.rpc(token, 'tools/call', { name: `a\n${'b'.repeat(1_000)}` });
    expect(long.json.error.message).toBe(`Unknown tool: a?${'b'.repeat(98)}`);
    for (const name of ['__proto__', 'constructor', 'toString', '']) {
      expect((await fixture.rpc(token, 'tools/call', { name })).json.error.message).toBe(
        `Unknown tool: ${name}`,
      );
    }
  });
});

describe('calls that fail inside the service', () => {
  it('say that they did, and nothing of how', async () => {
    const broken = await openApiFixture({
      useCases: [
        [GetSummary, { execute: () => Promise.reject(new Error('SELECT secret')) }],
        [
          ListServers,
          {
            withNeeds: () => Promise.reject(new DomainError('database_unavailable', 'The database is away.')),
          },
        ],
      ],
    });
    try {
      const reader = await broken.token(['read']);
      const summary = await broken.rpc(reader, 'tools/call', { name: 'summary' });
      const answer = JSON.parse(summary.json.result.content[0].text);
      expect(summary).toMatchObject({ status: 200, json: { result: { isError: true } } });
      expect(answer).toMatchObject({ ok: false, status: 500, code: 'internal' });
      expect(answer.detail).toContain(summary.headers.get('x-request-id'));
      expect(summary.text).not.toContain('SELECT');
      const list = await broken.rpc(reader, 'tools/call', { name: 'list_servers' });
      expect(JSON.parse(list.json.result.content[0].text)).toEqual({
        ok: false,
        status: 503,
        code: 'database_unavailable',
        detail: 'The database is away.',
      });
      expect(broken.logger.lines.filter(({ level }) => level === 'error')).toMatchObject([
        { fields: { tool: 'summary' } },
        { fields: { tool: 'list_servers' } },
      ]);
    } finally {
      await broken.close();
    }
  });
});

describe('the instructions', () => {
  it('fit, and name only tools that there are', async () => {
    expect(INSTRUCTIONS.length).toBeLessThan(2_048);
    const known = new Set(tools.map(({ name }) => name));
    for (const [word] of INSTRUCTIONS.matchAll(/\b(list|get|set|trigger|read|write)_\w+/g))
      expect(known).toContain(word);
    await expect(`${INSTRUCTIONS}\n`).toMatchFileSnapshot('../../../golden/mcp/instructions.txt');
  });
});
