import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VERSION } from '../../../../src/adapters/bootstrap/version.ts';
import { CATALOGUE } from '../../../../src/adapters/inbound/api/catalogue.ts';
import { type ApiFixture, openApiFixture } from './api-fixture.ts';

let fixture: ApiFixture;
let token: string;
beforeAll(async () => {
  fixture = await openApiFixture();
  token = await fixture.token(['read', 'jobs', 'edit']);
});
afterAll(() => fixture.close());

const schemaOf = (name: string) => {
  const found = CATALOGUE.find((entry) => entry.name === name);
  if (!found) throw new Error(`no operation ${name}`);
  return found.output;
};

describe('reading over /api/v1', () => {
  it.each([
    ['overview', ''],
    ['overview', '/'],
    ['health', '/health'],
    ['summary', '/summary'],
    ['list_servers', '/servers'],
    ['get_server', '/servers/1'],
    ['inventory', '/inventory'],
    ['inventory', '/inventory?server_id=2'],
    ['server_inventory', '/servers/1/inventory'],
    ['server_samples', '/servers/1/samples?step=day'],
    ['services', '/services'],
    ['services', '/services?server_id=1&state=failed&q=db&limit=1&offset=1'],
    ['list_jobs', '/jobs'],
    ['list_jobs', '/servers/1/jobs?status_filter=pending&job_type=backup&active_only=true'],
    ['list_snapshots', '/servers/1/snapshots'],
  ])('%s: GET /api/v1%s', async (name, path) => {
    const reply = await fixture.request(`/api/v1${path}`, { token });
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(schemaOf(name).parse(reply.json)).toEqual(reply.json);
  });

  it('says what this token may do and where to go', async () => {
    const narrow = await fixture.token(['read', 'feature:os']);
    const { json } = await fixture.request('/api/v1', { token: narrow });
    expect(json).toMatchObject({
      version: VERSION,
      token_scopes: ['read', 'feature:os'],
      allowed_features: ['os'],
    });
    expect(json.endpoints).toContainEqual({
      method: 'POST',
      path: '/api/v1/servers/{server_id}/jobs',
      name: 'trigger_job',
      title: 'Start a job',
      scope: 'jobs',
    });
    const health = await fixture.request('/api/v1/health', { token: narrow });
    expect(health.json).toEqual({
      ok: true,
      scopes: ['read', 'feature:os'],
      missing_scopes: ['jobs', 'edit', 'files'],
      allowed_features: ['os'],
      client_ip: '127.0.0.1',
    });
  });

  it('pages and searches', async () => {
    const first = await fixture.request('/api/v1/servers?limit=1', { token });
    expect(first.json).toMatchObject({ total: 2, limit: 1, offset: 0, q: '' });
    expect(first.json.servers.map((server: { name: string }) => server.name)).toEqual(['alpha']);
    const second = await fixture.request('/api/v1/servers?limit=1&offset=1', { token });
    expect(second.json.servers.map((server: { name: string }) => server.name)).toEqual(['beta']);
    const found = await fixture.request('/api/v1/servers?q=BETA', { token });
    expect(found.json).toMatchObject({ total: 1, limit: 100, q: 'BETA' });
    expect((await fixture.request('/api/v1/jobs', { token })).json).toMatchObject({ limit: 50, offset: 0 });
  });

  it('answers HEAD as GET, without the body', async () => {
    const reply = await fixture.request('/api/v1/servers', { token, method: 'HEAD' });
    expect(reply).toMatchObject({ status: 200, text: '' });
    expect(Number(reply.headers.get('content-length'))).toBeGreaterThan(100);
  });
});

describe('jobs over /api/v1', () => {
  it('are started, refused while active, followed and cancelled', async () => {
    const started = await fixture.request('/api/v1/servers/1/jobs', {
      token,
      method: 'POST',
      json: { job_type: 'backup', source_filter: null },
    });
    expect(started.status).toBe(202);
    expect(schemaOf('trigger_job').parse(started.json)).toEqual(started.json);
    const id = started.json.job_id as number;
    expect(started.json).toMatchObject({ status: 'pending', job_type: 'backup', job: { id, server_id: 1 } });

    const again = await fixture.request('/api/v1/servers/1/jobs', {
      token,
      method: 'POST',
      json: { job_type: 'backup' },
    });
    expect(again.status).toBe(409);
    expect(again.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    expect(again.json).toMatchObject({
      status: 409,
      code: 'job_already_active',
      already_active: true,
      job: { id, job_type: 'backup' },
    });
    expect(again.json.detail).toContain(`Job ${id}`);

    const plain = await fixture.request(`/api/v1/jobs/${id}`, { token });
    const steps = { phases: [], usual_seconds: null };
    expect(plain.json).toEqual({ ...started.json.job, ...steps });
    const detailed = await fixture.request(`/api/v1/jobs/${id}?detail`, { token });
    expect(detailed.json).toEqual({ ...started.json.job, ...steps, log_lines: [], result: null });
    expect((await fixture.request(`/api/v1/jobs/${id}?detail=false`, { token })).json).toEqual(plain.json);

    const cancelled = await fixture.request(`/api/v1/jobs/${id}/cancel`, { token, method: 'POST' });
    expect(cancelled.status).toBe(202);
    expect(schemaOf('cancel_job').parse(cancelled.json)).toEqual(cancelled.json);
    expect(cancelled.json).toMatchObject({ id, status: 'cancelled', done: true });
    const twice = await fixture.request(`/api/v1/jobs/${id}/cancel`, { token, method: 'POST', json: {} });
    expect(twice).toMatchObject({ status: 409, json: { code: 'job_not_cancellable' } });
  });

  it('are asked for by the token, and audited with the address', async () => {
    const before = fixture.kept.audit.length;
    const { json } = await fixture.request('/api/v1/servers/1/jobs', {
      token,
      method: 'POST',
      json: { job_type: 'retention', dry_run: true },
    });
    expect(json.job).toMatchObject({ requested_by: 'token:test read jobs edit', dry_run: true });
    expect(fixture.kept.audit.slice(before)).toMatchObject([
      { action: 'job.request', actorKind: 'token', address: '127.0.0.1', outcome: 'done' },
    ]);
  });
});

describe('features over /api/v1', () => {
  it('are switched, and the changes are reported', async () => {
    const path = '/api/v1/servers/2/features';
    const changed = await fixture.request(path, {
      token,
      method: 'PATCH',
      json: { docker: true, backup: false },
    });
    expect(changed.status).toBe(200);
    expect(schemaOf('set_features').parse(changed.json)).toEqual(changed.json);
    expect(changed.json).toMatchObject({
      ok: true,
      changed: ['docker'],
      server: { id: 2, features: { docker: true } },
    });
    for (const init of [{ json: {} }, {}]) {
      const empty = await fixture.request(path, { token, method: 'PATCH', ...init });
      expect(empty).toMatchObject({ status: 400, json: { code: 'empty_change' } });
    }
  });
});
