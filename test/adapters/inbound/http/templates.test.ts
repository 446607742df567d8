import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  deploymentSchema,
  templateSchema,
} from '../../../../src/adapters/inbound/api/views/template-view.ts';
import { PlainSecretBox } from '../../../fakes/plain-secret-box.ts';
import { AT, noRecord } from '../../../support/stores-subject.ts';
import { demoTemplate, newDeployment } from '../../../support/templates.ts';
import { type ApiFixture, openApiFixture } from './api-fixture.ts';

const SECRET = 'sesame, open up';
const BODY = {
  job_type: 'template_deploy',
  source_filter: '/srv/stacks/demo',
  template: 'demo',
  variables: { port: 8080, password: SECRET },
};

let fixture: ApiFixture;
let token: string;
beforeAll(async () => {
  fixture = await openApiFixture();
  token = await fixture.token(['read', 'jobs']);
  const { servers, templates, deployments } = fixture.stores;
  await templates.save(demoTemplate(), { createdBy: 'me', at: AT }, noRecord);
  for (const server of [fixture.alpha, fixture.beta]) {
    const seal = (row: number): string =>
      new PlainSecretBox().seal(JSON.stringify({ password: SECRET }), {
        table: 'template_deployments',
        column: 'sealed_secrets',
        row,
      });
    await deployments.record(newDeployment(server.id, '/srv/stacks/old'), seal, noRecord);
  }
  await servers.setFeatures(fixture.alpha.id, { docker: true }, AT, noRecord);
  fixture.kept.change('servers', fixture.alpha.id, { compose_dirs: '["/srv/stacks"]' });
});
afterAll(() => fixture.close());

const start = (json: object, as = token) =>
  fixture.request('/api/v1/servers/1/jobs', { method: 'POST', token: as, json });

describe('templates over REST', () => {
  test('are listed and shown to callers that may read', async () => {
    const { json } = await fixture.request('/api/v1/templates', { token });
    expect(json).toMatchObject({ total: 1, templates: [{ id: 1, name: 'demo', variables_count: 3 }] });
    const shown = await fixture.request('/api/v1/templates/1', { token });
    expect(templateSchema.parse(shown.json).variables.at(-1)).toMatchObject({
      name: 'password',
      secret: true,
    });
    const blind = await fixture.token(['jobs', 'edit', 'files']);
    expect((await fixture.request('/api/v1/templates', { token: blind })).status).toBe(403);
  });

  test('are changed by no token', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      for (const path of ['/api/v1/templates', '/api/v1/templates/1']) {
        const reply = await fetch(fixture.base + path, {
          method,
          headers: { authorization: `Bearer ${token}` },
        });
        expect(reply.status, `${method} ${path}`).toBe(405);
      }
    }
  });

  test('show what was deployed from them, of servers that the token may see, and no secret', async () => {
    const { json, text } = await fixture.request('/api/v1/deployments', { token });
    expect(json.total).toBe(2);
    expect(deploymentSchema.parse(json.deployments[0])).toMatchObject({
      server_name: 'alpha',
      secrets: ['password'],
    });
    expect(text).not.toContain('sesame');
    const limited = await fixture.token(['read'], { allowedServerIds: [2] });
    const seen = await fixture.request('/api/v1/deployments', { token: limited });
    expect(seen.json.deployments.map((each: { server_id: number }) => each.server_id)).toEqual([2]);
    expect((await fixture.request('/api/v1/servers/1/deployments', { token: limited })).status).toBe(404);
    expect((await fixture.request('/api/v1/servers/2/deployments?template=demo', { token })).json.total).toBe(
      1,
    );
    expect((await fixture.request('/api/v1/deployments?template=other', { token })).json.total).toBe(0);
  });
});

describe('a template over the jobs route', () => {
  test('is refused with all that is wrong, and without what was given', async () => {
    const { status, json, text } = await start({
      ...BODY,
      variables: { nope: SECRET, port: SECRET, password: SECRET },
    });
    expect(status).toBe(422);
    expect(json.errors).toEqual([
      { path: '/variables/nope', message: 'The template demo has no variable "nope".' },
      { path: '/variables/port', message: 'Must be a port from 1 to 65535.' },
    ]);
    expect(text).not.toContain('sesame');
  });

  test.each<[string, object]>([
    ['a list', { variables: [SECRET] }],
    ['a value that is an object', { variables: { password: { x: SECRET } } }],
    ['a value that is too long', { variables: { password: SECRET.repeat(1_000) } }],
    ['a value of null', { variables: { port: null } }],
    ['a name that is too long', { variables: { [SECRET.repeat(10)]: 1 } }],
    ['an empty template', { template: '', variables: {} }],
  ])('is refused with %s', async (_, more) => {
    const { status, text } = await start({ ...BODY, ...more });
    expect(status).toBe(422);
    if (_ !== 'a name that is too long') expect(text).not.toContain('sesame');
  });

  test('needs the scopes, the feature and the flag', async () => {
    expect((await start(BODY, await fixture.token(['read']))).json.code).toBe('scope_missing');
    expect((await start(BODY, await fixture.token(['read', 'jobs', 'feature:os']))).json.code).toBe(
      'feature_not_allowed',
    );
    const elsewhere = await fixture.request('/api/v1/servers/2/jobs', { method: 'POST', token, json: BODY });
    expect(elsewhere.json.code).toBe('feature_disabled');
  });

  test('is no tool of agents', async () => {
    const reply = await fixture.rpc(token, 'tools/call', {
      name: 'trigger_job',
      arguments: { server_id: 1, ...BODY },
    });
    expect(reply.text).toContain('job_type');
    expect(JSON.stringify(reply.json)).toMatch(/isError":true|"error"/);
    expect(fixture.kept.count('jobs')).toBe(0);
  });

  test('is accepted, and the values are neither in the reply nor in the logs nor in the audit log', async () => {
    const { status, json, text } = await start(BODY);
    expect(status).toBe(202);
    expect(json.job).toMatchObject({ job_type: 'template_deploy', source_filter: '/srv/stacks/demo' });
    expect(await fixture.stores.deployments.findOrder(1)).toMatchObject({ names: ['port', 'password'] });
    const said = JSON.stringify([
      fixture.logger,
      fixture.kept.audit,
      fixture.kept.rows('SELECT * FROM jobs'),
    ]);
    expect(text + said).not.toContain('sesame');
    expect((await start(BODY)).json).toMatchObject({ already_active: true });
  });
});

describe('a template that is deployed again', () => {
  const AGAIN = { job_type: 'template_redeploy', source_filter: '/srv/stacks/old' };
  const jobs = async () =>
    (await fixture.stores.jobs.list({ jobType: 'template_redeploy' }, { limit: 9, offset: 0 })).items;
  const post = (path: string, json: object) => fixture.request(path, { method: 'POST', token, json });

  test('by a schedule, whenever it is due', async () => {
    const schedule = { name: 'again', selector: { ids: [1] }, cron: '0 4 * * *', ...AGAIN };
    const added = await post('/api/v1/schedules', schedule);
    expect(added).toMatchObject({ status: 201, json: { ...AGAIN, source_filter: '/srv/stacks/old' } });
    const ran = await post(`/api/v1/schedules/${added.json.id}/run`, {});
    expect(ran.status).toBe(202);
    const [job] = await jobs();
    expect(job).toMatchObject({
      serverId: 1,
      status: 'pending',
      params: { sourceFilter: '/srv/stacks/old' },
    });
    const again = await post(`/api/v1/schedules/${added.json.id}/run`, {});
    expect(again.json).toMatchObject({ code: 'job_already_active' });
    expect(await jobs()).toHaveLength(1);
    expect((await post(`/api/v1/jobs/${job?.id}/cancel`, {})).status).toBe(202);
  });

  test('by a schedule only with its directory, and without values', async () => {
    const schedule = { name: 'wrong', selector: { ids: [1] }, cron: '0 4 * * *', ...AGAIN };
    const { source_filter, ...nowhere } = schedule;
    expect((await post('/api/v1/schedules', nowhere)).status, source_filter).toBe(422);
    const withValues = await post('/api/v1/schedules', { ...schedule, variables: { password: SECRET } });
    expect(withValues.status).toBe(422);
    expect(withValues.text).not.toContain('sesame');
  });

  test('by a batch, on each server that may', async () => {
    const { status, json } = await post('/api/v1/jobs', { ...AGAIN, selector: { ids: [1, 2] } });
    expect(status).toBe(202);
    await fixture.advanceBatches();
    expect((await jobs()).filter((job) => job.status === 'pending')).toMatchObject([
      { serverId: 1, params: { sourceFilter: '/srv/stacks/old' } },
    ]);
    const { members } = (await fixture.request(`/api/v1/batches/${json.batch_id}`, { token })).json;
    expect(members).toMatchObject([
      { server_id: 1, status: 'active' },
      { server_id: 2, status: 'skipped', code: 'feature_disabled' },
    ]);
  });
});
