import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Agent } from '../support/agent.ts';
import { RestClient } from '../support/rest-client.ts';
import { useService } from '../support/service.ts';

/** Replacements for an id in an address. */
const NO_IDS = [
  '9007199254740992',
  '9007199254740993',
  '99999999999999999999999999',
  '-1',
  '0',
  '01',
  '1.5',
  '1e3',
  '0x1',
  'NaN',
  'one',
  '1%20',
  '%EF%BC%91',
  '1%00',
  "1'--",
];

/** Bodies that ask for no job, and where each is wrong. */
const NO_JOBS: readonly (readonly [Record<string, unknown>, ...string[]])[] = [
  [{}, '/job_type'],
  [{ job_type: null }, '/job_type'],
  [{ job_type: 7 }, '/job_type'],
  [{ job_type: 'reformat' }, '/job_type'],
  [{ job_type: 'Backup' }, '/job_type'],
  [{ job_type: ['backup'] }, '/job_type'],
  [{ job_type: 'backup', dry_run: 'yes' }, '/dry_run'],
  [{ job_type: 'backup', dry_run: 1 }, '/dry_run'],
  [{ job_type: 'backup', source_filter: {} }, '/source_filter'],
  [{ job_type: 'backup', source_filter: '' }, '/source_filter'],
  [{ job_type: 'backup', source_filter: 'a\nb' }, '/source_filter'],
  [{ job_type: 'backup', source_filter: 'x'.repeat(5_000) }, '/source_filter'],
  [{ job_type: 'backup', os_steps: ['update'] }, '/os_steps'],
  [{ job_type: 'backup', os_steps: 'update' }, '/os_steps'],
  [{ job_type: 'backup', os_steps: ['update', 'dance'] }, '/os_steps/1'],
  [{ job_type: 'backup', force: true }, '/force'],
  [{ job_type: 'backup', __proto__2: 1, 'a/b~c': 2 }, '/__proto__2', '/a~1b~0c'],
  [{ job_type: 'reformat', dry_run: 'no', extra: 1 }, '/job_type', '/dry_run', '/extra'],
];

/** Invalid queries of a list, and the invalid field. */
const NO_QUERIES = [
  ['/jobs?limit=0', '/limit'],
  ['/jobs?limit=101', '/limit'],
  ['/jobs?limit=ten', '/limit'],
  ['/jobs?limit=1&limit=2', '/limit'],
  ['/jobs?offset=-1', '/offset'],
  ['/jobs?offset=9007199254740993', '/offset'],
  ['/jobs?status_filter=done', '/status_filter'],
  ['/jobs?job_type=reformat', '/job_type'],
  ['/jobs?active_only=perhaps', '/active_only'],
  ['/jobs?server_id=one', '/server_id'],
  ['/jobs?order=asc', '/order'],
  ['/servers?q=a%00b', '/q'],
  ['/servers/1?detail=1', '/detail'],
  ['/servers/1/jobs?server_id=1', '/server_id'],
  ['/inventory?server_id=-3', '/server_id'],
] as const;

/** Tools with arguments of the right names and wrong values. */
const NO_ARGUMENTS: readonly (readonly [string, Record<string, unknown>, string])[] = [
  ['get_server', {}, '/server_id'],
  ['get_server', { server_id: '1' }, '/server_id'],
  ['get_server', { server_id: -1 }, '/server_id'],
  ['get_server', { server_id: 2 ** 53 }, '/server_id'],
  ['get_server', { server_id: 1, verbose: true }, '/verbose'],
  ['get_job', { job_id: 1.5 }, '/job_id'],
  ['get_job', { job_id: 1, detail: 'yes' }, '/detail'],
  ['list_jobs', { limit: 0 }, '/limit'],
  ['list_servers', { q: 7 }, '/q'],
  ['trigger_job', { server_id: 1, job_type: 'host_reboot' }, '/job_type'],
  ['trigger_job', { server_id: 1, job_type: 'backup', service: 'web' }, '/service'],
  ['health', { token: 'x' }, '/token'],
];

/** Command lines that mean nothing, and a word of the answer. */
const NO_COMMANDS: readonly (readonly [number, string, ...string[]])[] = [
  [2, 'id', 'job', 'show', '9007199254740993'],
  [2, 'id', 'job', 'cancel', 'one'],
  [2, 'dance', 'job', 'start', '1', 'dance'],
  [2, '--force', 'job', 'start', '1', 'backup', '--force'],
  [2, '--limit', 'job', 'list', '--limit', '0'],
  [2, 'backup', 'server', 'features', '1', 'backup=perhaps'],
  [2, 'scopes', 'token', 'create', '--name', 'x', '--scopes', 'all'],
  [2, 'cidr', 'token', 'create', '--name', 'x', '--scopes', 'read', '--cidr', '10.0.0.0/99'],
  [4, '999', 'job', 'show', '999'],
  [4, 'nobody', 'server', 'show', 'nobody'],
];

const pathsOf = (body: unknown): string[] =>
  (body as { errors: { path: string; message: string }[] }).errors.map(({ path, message }) => {
    expect(message.length).toBeGreaterThan(3);
    return path;
  });

describe('what cannot be meant', () => {
  const service = useService();
  let rest: RestClient;
  let agent: Agent;
  beforeAll(async () => {
    const token = await service().token('read,jobs,edit');
    rest = new RestClient(service().url, token);
    agent = await Agent.connect(service().url, token);
  });
  afterAll(async () => {
    expect((await rest.get('/api/v1/jobs')).body).toMatchObject({ total: 0 });
    expect(service().log).not.toContain('"level":"error"');
    await agent.close();
  });

  it.each(NO_IDS)('is no id in an address: %s', async (id) => {
    const asServer = [`/servers/${id}`, `/servers/${id}/jobs`, `/servers/${id}/snapshots`];
    for (const path of [...asServer, `/servers/${id}/inventory`]) {
      const { status, body } = await rest.get(`/api/v1${path}`);
      expect([path, status, pathsOf(body)]).toEqual([path, 422, ['/server_id']]);
    }
    const started = await rest.post(`/api/v1/servers/${id}/jobs`, { job_type: 'backup' });
    expect([started.status, pathsOf(started.body)]).toEqual([422, ['/server_id']]);
    for (const reply of [
      await rest.get(`/api/v1/jobs/${id}`),
      await rest.post(`/api/v1/jobs/${id}/cancel`),
    ]) {
      expect([reply.status, pathsOf(reply.body)]).toEqual([422, ['/job_id']]);
    }
  });

  it.each(NO_JOBS.map(([body, ...paths]) => ({ body, paths })))(
    'is no job, for scripts and agents alike: $body',
    async ({ body, paths }) => {
      const reply = await rest.post('/api/v1/servers/1/jobs', body);
      expect(reply).toMatchObject({ status: 422, body: { status: 422, code: 'invalid_input' } });
      expect(reply.headers.get('Content-Type')).toContain('application/problem+json');
      expect(pathsOf(reply.body)).toEqual(expect.arrayContaining(paths));
      const told = await agent.call('trigger_job', { server_id: 1, ...body });
      expect(told).toMatchObject({
        isError: true,
        body: { ok: false, status: 422, code: 'invalid_input', detail: expect.any(String) },
      });
      expect(pathsOf(told.body)).toEqual(pathsOf(reply.body));
    },
  );

  it.each(NO_QUERIES)('is no query: %s', async (path, place) => {
    const { status, body } = await rest.get(`/api/v1${path}`);
    expect([status, pathsOf(body)]).toEqual([422, [place]]);
  });

  it.each(NO_ARGUMENTS)('is no argument of %s: %j', async (tool, args, place) => {
    const { isError, body } = await agent.call(tool, args);
    expect([isError, body['status'], pathsOf(body)]).toEqual([true, 422, [place]]);
  });

  it.each([
    ['{"job_type":', 400, 'invalid_json'],
    ['', 422, 'invalid_input'],
    ['[]', 422, 'invalid_input'],
    ['"backup"', 422, 'invalid_input'],
    ['null', 422, 'invalid_input'],
    ['{"job_type":"backup","job_type":"retention"}', 400, 'invalid_json'],
    [`{"job_type":"${'x'.repeat(1024 * 1024)}"}`, 413, 'body_too_large'],
  ])('is no body: %.40s', async (body, status, code) => {
    expect(await rest.send('POST', '/api/v1/servers/1/jobs', body)).toMatchObject({ status, body: { code } });
  });

  it('is no body in another language', async () => {
    const asText = { 'Content-Type': 'text/plain' };
    expect(await rest.send('POST', '/api/v1/servers/1/jobs', '{}', asText)).toMatchObject({
      status: 415,
      body: { code: 'unsupported_media_type' },
    });
  });

  it.each([
    ['[{"jsonrpc":"2.0","id":1,"method":"ping"}]', 400, -32_600],
    ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"shutdown"}}', 200, -32_602],
    ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"set_feature"}}', 200, -32_602],
    ['{"jsonrpc":"2.0","id":1,"method":"fleet/destroy"}', 200, -32_601],
    ['{"id":1,"method":"ping"}', 400, -32_600],
    ['{', 400, -32_700],
  ])('is no message: %s', async (message, status, code) => {
    expect(await rest.send('POST', '/mcp', message)).toMatchObject({ status, body: { error: { code } } });
  });

  it.each([
    ['GET', '/api/v1/servers/999', 404, 'server_not_found'],
    ['GET', '/api/v1/servers/999/snapshots', 404, 'server_not_found'],
    ['POST', '/api/v1/servers/999/jobs', 404, 'server_not_found'],
    ['GET', '/api/v1/jobs/999', 404, 'job_not_found'],
    ['POST', '/api/v1/jobs/999/cancel', 404, 'job_not_found'],
    ['PATCH', '/api/v1/servers/1/features', 400, 'empty_change'],
    ['GET', '/api/v1/users', 404, 'not_found'],
    ['GET', '/etc/passwd', 404, 'not_found'],
    ['DELETE', '/api/v1/servers/1', 405, 'method_not_allowed'],
  ])('is not there: %s %s', async (method, path, status, code) => {
    const body = method === 'POST' && path.endsWith('/jobs') ? '{"job_type":"backup"}' : undefined;
    expect(await rest.send(method, path, method === 'PATCH' ? '{}' : body)).toMatchObject({
      status,
      body: { status, code, detail: expect.any(String) },
    });
  });

  it('is off: says so in every interface', async () => {
    const disabled = { status: 400, code: 'feature_disabled' };
    expect((await rest.post('/api/v1/servers/1/jobs', { job_type: 'os_update_check' })).body).toMatchObject(
      disabled,
    );
    const asked = { server_id: 1, job_type: 'os_update_check' };
    expect((await agent.call('trigger_job', asked)).body).toMatchObject(disabled);
  });

  it('is no command line: one JSON value tells, and the exit code', async () => {
    const ended = await Promise.all(NO_COMMANDS.map(([, , ...words]) => service().cli([...words, '--json'])));
    for (const [index, { code, stderr, json }] of ended.entries()) {
      const [wanted, word = '', ...words] = NO_COMMANDS[index] ?? [];
      expect([words, code]).toEqual([words, wanted]);
      expect(stderr).toContain(word);
      expect(json).toMatchObject({
        status: wanted === 4 ? 404 : expect.any(Number),
        code: expect.any(String),
      });
    }
  });
});
