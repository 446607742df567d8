import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { containerOf, inventoryOf } from '../../../support/inventories.ts';
import { type ApiFixture, openApiFixture } from '../http/api-fixture.ts';

/** Alpha (1) and beta (2) are there; alpha-2 (3) is added. */
let fixture: ApiFixture;
let token: string;
beforeAll(async () => {
  fixture = await openApiFixture();
  token = await fixture.token(['read', 'jobs', 'edit', 'files']);
  const { servers, inventories } = fixture.stores;
  const alpha = await servers.find(1);
  if (!alpha) throw new Error('alpha is missing');
  await servers.add({ ...alpha, name: 'alpha-2', tags: [] }, fixture.clock.now(), () => ({}));
  const update = { name: 'openssl', from: '3.5.1', to: '3.5.2', security: true, origin: null, held: false };
  await inventories.save(
    1,
    inventoryOf({
      updates: [update, { ...update, name: 'curl', security: false }, { ...update, name: 'vim', held: true }],
      containers: [containerOf({ name: 'web', image: 'nginx:1.27' })],
    }),
  );
});
afterAll(() => fixture.close());

const send = async (name: string, args: object, secret = token) =>
  (await fixture.rpc(secret, 'tools/call', { name, arguments: args })).json.result;
const call = async (name: string, args: object, secret = token) => {
  const result = await send(name, args, secret);
  if (result.isError) throw new Error(result.content[0].text);
  return result.structuredContent;
};
const refused = async (name: string, args: object, secret = token) => {
  const result = await send(name, args, secret);
  expect(result.isError).toBe(true);
  return JSON.parse(result.content[0].text);
};

describe('a server can be named', () => {
  it('in place of its id, whatever the case', async () => {
    expect(await call('get_server', { server_id: 'alpha' })).toMatchObject({ id: 1 });
    expect(await call('get_server', { server_id: 'ALPHA-2' })).toMatchObject({ id: 3 });
    expect((await call('inventory', { server_id: 'alpha' })).hosts[0]).toMatchObject({ server_id: 1 });
  });

  it('by its whole name only: what comes close is listed', async () => {
    const { status, code, errors } = await refused('get_server', { server_id: 'alph' });
    expect([status, code, errors[0].path]).toEqual([422, 'invalid_input', '/server_id']);
    expect(errors[0].message).toContain('alpha (1), alpha-2 (3)');
    expect(await refused('get_server', { server_id: 'zeta' })).toMatchObject({ code: 'server_not_found' });
    expect(await refused('get_server', { server_id: '' })).toMatchObject({ code: 'invalid_input' });
  });

  it('which a refusal of a missing or wrong id says', async () => {
    for (const input of [{}, { server_id: '7' }, { server_id: null }]) {
      const { detail, errors } = await refused('get_server', input);
      expect(errors).toMatchObject([{ path: '/server_id' }]);
      expect(detail).toContain('whole name');
    }
    const { detail } = await refused('get_job', { job_id: 'alpha frob' });
    expect(detail).toContain('with a job type');
  });

  it('only if the token may see it', async () => {
    const narrow = await fixture.token(['read'], { allowedServerIds: [2] });
    expect(await refused('get_server', { server_id: 'alpha' }, narrow)).toMatchObject({
      code: 'server_not_found',
    });
  });

  it('also among several, whose results have the names', async () => {
    const { started, results } = await call('trigger_job', {
      server_ids: ['alpha', 3],
      job_type: 'backup',
      dry_run: true,
    });
    expect(started).toBe(
      results.filter(({ http_status: status }: { http_status: number }) => status === 202).length,
    );
    expect(results[0]).toMatchObject({ server_id: 1, server_name: 'alpha' });
    expect(await refused('trigger_job', { server_ids: ['nope'], job_type: 'backup' })).toMatchObject({
      code: 'server_not_found',
    });
  });
});

describe('a job can be named', () => {
  it('as the latest of a server, or of a server and type', async () => {
    const first = await call('trigger_job', { server_id: 1, job_type: 'retention' });
    const second = await call('trigger_job', { server_id: 1, job_type: 'os_update_check' });
    expect(await call('get_job', { job_id: 'alpha' })).toMatchObject({ id: second.job_id });
    expect(await call('get_job', { job_id: 'Alpha retention' })).toMatchObject({
      id: first.job_id,
    });
    expect(await refused('get_job', { job_id: 'alpha container_patch' })).toMatchObject({
      code: 'job_not_found',
    });
    expect(await refused('get_job', { job_id: 'zeta backup' })).toMatchObject({ code: 'server_not_found' });
    for (const job_id of ['', '7', 'alpha backups', 'alpha backup now'])
      expect(await refused('get_job', { job_id })).toMatchObject({ code: 'invalid_input' });
  });

  it('only on servers that the token may see', async () => {
    const narrow = await fixture.token(['read'], { allowedServerIds: [2] });
    expect(await refused('get_job', { job_id: 'alpha' }, narrow)).toMatchObject({
      code: 'server_not_found',
    });
  });
});

describe('get_job with wait_seconds', () => {
  it('answers when the time is over, and at once for a job that has ended', async () => {
    const { job_id } = await call('trigger_job', { server_id: 1, job_type: 'backup' });
    let answered = false;
    const waiting = call('get_job', { job_id, wait_seconds: 20 }).then((job) => {
      answered = true;
      return job;
    });
    for (let tries = 0; fixture.clock.sleepers === 0 && tries < 500; tries += 1)
      await new Promise((resolve) => setImmediate(resolve));
    await fixture.clock.advance(15_000);
    expect(answered).toBe(false);
    await fixture.request(`/api/v1/jobs/${job_id}/cancel`, { token, method: 'POST' });
    await fixture.clock.advance(2_000);
    expect(await waiting).toMatchObject({ done: true, status: 'cancelled' });
    expect(await call('get_job', { job_id, wait_seconds: 45 })).toMatchObject({ done: true });
    expect(await refused('get_job', { job_id, wait_seconds: 46 })).toMatchObject({ code: 'invalid_input' });
  });
});

it('health names the scopes that the token lacks', async () => {
  expect(await call('health', {}, await fixture.token(['read', 'feature:os']))).toMatchObject({
    missing_scopes: ['jobs', 'edit', 'files'],
  });
});

it('a search for a package leaves the counts of the server as they are', async () => {
  const whole = (await call('inventory', { server_id: 1 })).hosts[0];
  const found = (await call('inventory', { package: 'openssl' })).hosts[0];
  expect(found.updates).toHaveLength(1);
  for (const host of [whole, found])
    expect(host).toMatchObject({ updates_count: 2, security_updates_count: 1, containers_count: 1 });
});

it('the short list names features that are off', async () => {
  await fixture.stores.servers.setFeatures(
    3,
    { backup: true, os_patch: true, docker: true },
    fixture.clock.now(),
    () => ({}),
  );
  const { servers } = await call('list_servers', {});
  const beta = servers.find(({ name }: { name: string }) => name === 'beta');
  expect(beta.features).toEqual({ backup: false, os_patch: false, docker: false });
  expect(servers.find(({ name }: { name: string }) => name === 'alpha-2').features).toBeUndefined();
});
