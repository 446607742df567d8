import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CATALOGUE } from '../../../../src/adapters/inbound/api/catalogue.ts';
import { API_PREFIX } from '../../../../src/adapters/inbound/api/operation.ts';
import type { Capability } from '../../../../src/domain/access/scope.ts';
import { type ApiFixture, type Ask, formOf, openApiFixture } from './api-fixture.ts';

let fixture: ApiFixture;
let everything: string;
beforeAll(async () => {
  fixture = await openApiFixture();
  everything = await fixture.token(['read', 'jobs', 'edit', 'files']);
  const of = { selector: { ids: [1] }, job_type: 'os_update_check' };
  const post = (path: string, json: object) =>
    fixture.request(`${API_PREFIX}${path}`, { method: 'POST', token: everything, json });
  expect(await post('/jobs', of)).toMatchObject({ status: 202, json: { batch_id: 1 } });
  expect(await post('/schedules', { ...of, name: 'nightly', cron: '@daily' })).toMatchObject({
    status: 201,
    json: { id: 1 },
  });
});
afterAll(() => fixture.close());

/** All routes, with a good value in place of each path parameter. */
const routes = CATALOGUE.flatMap((entry) =>
  entry.routes.map(({ method, path }) => ({
    method,
    form: entry.form,
    scope: entry.scope,
    pattern: `${API_PREFIX}${path}`,
    path: `${API_PREFIX}${path.replace(/\{\w+\}/g, '1')}`,
    name: `${method} ${path}`,
  })),
);
/** Inputs that routes need beside their path. */
const GOOD_INPUTS: Readonly<Record<string, { readonly query?: string; readonly json?: object }>> = {
  'PATCH /servers/{server_id}/features': { json: { backup: true } },
  'POST /servers/{server_id}/jobs': { json: { job_type: 'backup' } },
  'POST /servers/{server_id}/files': { json: { p: '' } },
  'GET /servers/{server_id}/files/content': { query: '?p=a' },
  'PUT /servers/{server_id}/files/content': { json: { p: '', name: 'a', text: '' } },
  'POST /servers/{server_id}/files/mkdir': { json: { p: '', name: 'a' } },
  'POST /servers/{server_id}/files/rename': { json: { src: 'a', dest: 'b' } },
  'DELETE /servers/{server_id}/files': { query: '?p=a' },
  'PATCH /snapshots/{snapshot_id}': { json: { pinned: true } },
  'GET /servers/{server_id}/files/download': { query: '?p=a' },
};
const bodyOf = (form: string, fields: object): Pick<Ask, 'json' | 'body' | 'headers'> =>
  form === 'upload' ? formOf(fields, 'name', 'content') : { json: fields };

const others: Record<Capability, Capability> = { read: 'files', jobs: 'read', edit: 'read', files: 'read' };

describe.each(routes)('$name', ({ method, path, scope, form }) => {
  it('wants a token', async () => {
    for (const headers of [
      {},
      { authorization: 'Basic eDp5' },
      { authorization: 'Bearer ' },
      { authorization: 'drv_x' },
    ]) {
      const reply = await fixture.request(path, { method, headers });
      expect(reply.status).toBe(401);
      expect(reply.headers.get('www-authenticate')).toBe('Bearer');
      expect(reply.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
      expect(reply.json).toMatchObject({
        type: '/docs/errors#unauthorized',
        status: 401,
        code: 'unauthorized',
      });
    }
  });

  it('refuses a token without its scope, even with an input that makes no sense', async () => {
    const token = await fixture.token([others[scope]]);
    const code = scope === 'read' ? 'read_scope_missing' : 'scope_missing';
    const plain = await fixture.request(path, {
      method,
      token,
      ...(method === 'GET' ? {} : { json: { job_type: 'backup', backup: true } }),
    });
    const senseless = await fixture.request(`${path}?surprise=1`, { method, token });
    for (const reply of [plain, senseless]) expect(reply).toMatchObject({ status: 403, json: { code } });
  });

  it('refuses a field that it does not know, and says which', async () => {
    const inQuery = await fixture.request(`${path}?surprise=1`, { method, token: everything });
    expect(inQuery).toMatchObject({ status: 422, json: { code: 'invalid_input' } });
    expect(inQuery.json.errors).toContainEqual(expect.objectContaining({ path: '/surprise' }));
    if (method === 'GET') return;
    const inBody = await fixture.request(path, {
      method,
      token: everything,
      ...bodyOf(form, { surprise: 1 }),
    });
    expect(inBody.status).toBe(422);
    expect(inBody.json.errors).toContainEqual(expect.objectContaining({ path: '/surprise' }));
  });

  it('says which methods it takes', async () => {
    const unknown = path.endsWith('/content') ? 'PATCH' : 'PUT';
    const reply = await fixture.request(path, { method: unknown });
    expect(reply).toMatchObject({ status: 405, json: { code: 'method_not_allowed' } });
    expect(reply.headers.get('allow')?.split(', ')).toEqual(expect.arrayContaining([method, 'OPTIONS']));
    const options = await fixture.request(path, { method: 'OPTIONS' });
    expect(options).toMatchObject({ status: 204, text: '' });
    expect(options.headers.get('allow')).toBe(reply.headers.get('allow'));
    expect(options.headers.get('access-control-allow-origin')).toBeNull();
  });
});

// The id of a CVE is not the service's.
describe.each(routes.filter(({ pattern }) => pattern.includes('_id}')))(
  '$name',
  ({ method, path, pattern, form }) => {
    it('refuses an id that is none', async () => {
      for (const id of [
        'abc',
        '0',
        '-1',
        '1.5',
        '01',
        '1e3',
        '9007199254740992',
        '9007199254740993',
        '%00',
        '%E0%A4%A',
        '1%20',
      ]) {
        const reply = await fixture.request(pattern.replace(/\{\w+\}/, id), {
          method,
          token: everything,
          ...(form === 'upload' ? bodyOf(form, {}) : {}),
        });
        expect(reply, id).toMatchObject({ status: 422, json: { code: 'invalid_input' } });
        expect(reply.json.errors[0].path, id).toMatch(
          /^\/(server|job|approval|batch|schedule|template|snapshot)_id$/,
        );
      }
    });

    it('does not know what is not there, or not for this token', async () => {
      const code = `${/\{(\w+)_id\}/.exec(pattern)?.[1]}_not_found`;
      const { query = '', json = {} } = GOOD_INPUTS[`${method} ${pattern.slice(API_PREFIX.length)}`] ?? {};
      const init = method === 'GET' || method === 'DELETE' ? {} : bodyOf(form, json);
      const absent = await fixture.request(`${pattern.replace(/\{\w+\}/, '4711')}${query}`, {
        method,
        token: everything,
        ...init,
      });
      expect(absent).toMatchObject({ status: 404, json: { code } });
      const elsewhere = await fixture.token(['read', 'jobs', 'edit', 'files'], { allowedServerIds: [2] });
      const hidden = await fixture.request(`${path}${query}`, { method, token: elsewhere, ...init });
      expect(hidden).toMatchObject({ status: 404, json: { code } });
    });
  },
);

describe('what routes refuse beyond that', () => {
  const post = (json: unknown, path = '/api/v1/servers/1/jobs') =>
    fixture.request(path, { method: 'POST', token: everything, json });

  it.each([
    [{ job_type: 'everything' }, '/job_type'],
    [{}, '/job_type'],
    [{ job_type: 7 }, '/job_type'],
    [{ job_type: 'backup', server_id: 2 }, '/server_id'],
    [{ job_type: 'backup', dry_run: 'yes' }, '/dry_run'],
    [{ job_type: 'backup', source_filter: '' }, '/source_filter'],
    [{ job_type: 'backup', source_filter: 'x'.repeat(5_000) }, '/source_filter'],
    [{ job_type: 'backup', source_filter: 'a\u0000' }, '/source_filter'],
    [{ job_type: 'os_update_check', os_steps: ['format'] }, '/os_steps/0'],
    [{ job_type: 'os_update_check', os_steps: ['update'] }, '/os_steps'],
    [{ job_type: 'backup', service: 'web' }, '/service'],
    [[], ''],
    ['text', ''],
    [null, ''],
  ])('a job of %j, at %s', async (json, path) => {
    const reply = await post(json);
    expect(reply).toMatchObject({ status: 422, json: { code: 'invalid_input' } });
    expect(reply.json.errors.map((problem: { path: string }) => problem.path)).toContain(path);
  });

  it.each([
    ['limit=0', '/limit'],
    ['limit=101', '/limit'],
    ['limit=', '/limit'],
    ['limit=1&limit=2', '/limit'],
    ['offset=-1', '/offset'],
    ['active_only=maybe', '/active_only'],
    ['status_filter=asleep', '/status_filter'],
    ['server_id=99999999999999999999', '/server_id'],
    ['__proto__=1', '/__proto__'],
    ['constructor=1', '/constructor'],
  ])('a list of jobs by %s', async (query, path) => {
    const reply = await fixture.request(`/api/v1/jobs?${query}`, { token: everything });
    expect(reply).toMatchObject({ status: 422, json: { errors: [{ path }] } });
  });

  it('a server given twice', async () => {
    const reply = await fixture.request('/api/v1/servers/1/jobs?server_id=1', { token: everything });
    expect(reply).toMatchObject({ status: 422, json: { errors: [{ path: '/server_id' }] } });
  });

  it('a feature that is off, a type that does not run yet, a feature outside the token', async () => {
    expect(await post({ job_type: 'backup' }, '/api/v1/servers/2/jobs')).toMatchObject({
      status: 400,
      json: { code: 'feature_disabled' },
    });
    expect(await post({ job_type: 'os_patch' })).toMatchObject({
      status: 422,
      json: { code: 'job_type_unavailable' },
    });
    const token = await fixture.token(['jobs', 'edit', 'feature:os']);
    const job = await fixture.request('/api/v1/servers/1/jobs', {
      method: 'POST',
      token,
      json: { job_type: 'backup' },
    });
    expect(job).toMatchObject({ status: 403, json: { code: 'feature_not_allowed' } });
    const flags = await fixture.request('/api/v1/servers/1/features', {
      method: 'PATCH',
      token,
      json: { docker: true },
    });
    expect(flags).toMatchObject({ status: 403, json: { code: 'feature_not_allowed' } });
  });

  it.each([
    '/',
    '/api',
    '/api/v2',
    '/api/v1/nothing',
    '/API/v1',
    '/api/v1/servers/1/jobs/2',
    '/mcp/nothing',
    '/..%2fapi',
  ])('a path that is not there: %s', async (path) => {
    expect(await fixture.request(path, { token: everything })).toMatchObject({
      status: 404,
      json: { code: 'not_found' },
    });
  });

  it.each([
    ['GET', '/.well-known/oauth-protected-resource'],
    ['GET', '/.well-known/oauth-protected-resource/mcp'],
    ['GET', '/.well-known/oauth-authorization-server'],
    ['GET', '/.well-known/oauth-authorization-server/mcp'],
    ['GET', '/.well-known/openid-configuration'],
    ['GET', '/mcp/.well-known/openid-configuration'],
    ['POST', '/register'],
    ['GET', '/authorize'],
    ['POST', '/token'],
  ])('a login that we do not have: %s %s', async (method, path) => {
    const reply = await fixture.request(path, { method });
    expect(reply).toMatchObject({ status: 404, json: { status: 404, code: 'not_found' } });
    expect(reply.headers.get('content-type')).toContain('json');
    expect(reply.headers.get('www-authenticate')).toBeNull();
  });
});
