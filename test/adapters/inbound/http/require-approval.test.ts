import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CATALOGUE } from '../../../../src/adapters/inbound/api/catalogue.ts';
import { type Operation, takesBody } from '../../../../src/adapters/inbound/api/operation.ts';
import { ApproveRequest } from '../../../../src/application/jobs/decide-approval.ts';
import { GetApproval, ListApprovals } from '../../../../src/application/jobs/list-approvals.ts';
import type { Actor } from '../../../../src/domain/access/actor.ts';
import { reviewers } from '../../../support/reviewers.ts';
import { type ApiFixture, formOf, openApiFixture } from './api-fixture.ts';

const SCOPES = ['read', 'jobs', 'edit', 'files'];
const CHANGES = ['upload_file', 'pin_snapshot'] as const;
const changing = CATALOGUE.filter(({ name }) => (CHANGES as readonly string[]).includes(name));

let fixture: ApiFixture;
/** Its changes need approval. */
let agent: string;
/** A token that needs no approval. */
let free: string;
let person: Actor;
beforeAll(async () => {
  fixture = await openApiFixture();
  person = (await reviewers(fixture.users))('operator');
  agent = await fixture.token(SCOPES, { requireApproval: true, name: 'agent' });
  free = await fixture.token(SCOPES, { name: 'free' });
});
afterAll(() => fixture.close());

const approve = (id: number) => fixture.useCases.get(ApproveRequest).execute(person, id, {});
const show = (id: number) => fixture.useCases.get(GetApproval).execute(person, id);
const refused = (code: string) => ({ status: 403, json: { code } });
const send = (token: string, method: string, path: string, json?: object) =>
  fixture.request(`/api/v1${path}`, { token, method, ...(json ? { json } : {}) });

function ask(token: string, { routes, examples, form }: Operation) {
  const [route] = routes;
  if (!route) throw new Error('every operation has a route');
  const { server_id: _, snapshot_id: id, ...fields }: { [name: string]: unknown } = examples[0]?.input ?? {};
  const named = route.path
    .replace('{server_id}', String(fixture.alpha.id))
    .replace('{snapshot_id}', String(id));
  const path = `/api/v1${named}`;
  const asked = { token, method: route.method };
  if (form === 'upload') return fixture.request(path, { ...asked, ...formOf(fields, 'a.txt', 'hello') });
  if (takesBody(route)) return fixture.request(path, { ...asked, json: fields });
  return fixture.request(`${path}?${new URLSearchParams(fields as Record<string, string>)}`, asked);
}

describe('A token that needs approval', () => {
  test('is refused all that only jobs can be requested for, by what each operation says of itself', () => {
    const said = CATALOGUE.filter(({ effect }) => effect === 'refused').map(({ name }) => name);
    expect(said.toSorted()).toEqual([...CHANGES].toSorted());
    const writes = CATALOGUE.filter(({ routes }) => routes.some(({ method }) => method !== 'GET'));
    expect(writes.filter(({ effect }) => effect === 'reads').map(({ name }) => name)).toEqual([]);
  });

  test.each(CHANGES)('may not %s over REST', async (name) => {
    const operation = changing.find((each) => each.name === name);
    if (!operation) throw new Error('it is in the catalogue');
    const { status, json } = await ask(agent, operation);
    expect({ status, json }).toMatchObject(refused('approval_required'));
    expect(json.detail).toContain('Ask an operator');
  });

  test('gives a reason, which is filtered, bounded and stored with its job', async () => {
    const path = `/servers/${fixture.alpha.id}/jobs`;
    const job = { job_type: 'retention', reason: 'A deploy\u200b comes\u001b[31m next.' };
    const { status, json } = await send(agent, 'POST', path, job);
    expect([status, json.job.reason]).toEqual([202, 'A deploy comes next.']);
    expect((await send(agent, 'GET', `/jobs/${json.job_id}`)).json.reason).toBe('A deploy comes next.');
    const kept = fixture.kept.audit.find(({ action }) => action === 'job.request');
    expect(kept?.detail).toMatchObject({ reason: 'A deploy comes next.' });
    const again = await fixture.rpc(agent, 'tools/call', {
      name: 'trigger_job',
      arguments: { server_id: fixture.alpha.id, job_type: 'backup', dry_run: true, reason: 'Just looking.' },
    });
    expect(again.json.result.structuredContent.job).toMatchObject({ reason: 'Just looking.' });
    const long = { job_type: 'backup', reason: 'x'.repeat(501) };
    expect(await send(agent, 'POST', path, long)).toMatchObject({
      status: 422,
      json: { errors: [{ path: '/reason' }] },
    });
    const none = await send(free, 'POST', path, { job_type: 'os_update_check', reason: null });
    expect(none.json.job.reason).toBeNull();
  });
});

describe('Schedules', () => {
  let name = 0;
  const add = async (token: string): Promise<number> => {
    name += 1;
    const { status, json } = await send(token, 'POST', '/schedules', {
      name: `schedule-${name}`,
      selector: { ids: [fixture.alpha.id] },
      cron: '30 2 * * *',
      job_type: 'backup',
    });
    if (status === 201) return json.id;
    await approve(json.approval_id);
    const { json: list } = await send(free, 'GET', '/schedules');
    return list.schedules.find((each: { name: string }) => each.name === `schedule-${name}`).id;
  };
  const verbs = ['edit', 'run', 'remove'] as const;
  const act = (token: string, id: number, verb: (typeof verbs)[number]) => {
    if (verb === 'edit') return send(token, 'PATCH', `/schedules/${id}`, { enabled: false });
    if (verb === 'run') return send(token, 'POST', `/schedules/${id}/run`, {});
    return send(token, 'DELETE', `/schedules/${id}`);
  };

  test.each(verbs)('of others: a token that needs approval does not %s them', async (verb) => {
    const id = await add(free);
    const { status, json } = await act(agent, id, verb);
    expect({ status, json }).toMatchObject(refused('approval_required'));
    expect((await send(agent, 'GET', `/schedules/${id}`)).json.schedule).toMatchObject({
      enabled: true,
      owner: 'token:free',
    });
  });

  test.each(verbs)('of others: no token does %s them', async (verb) => {
    const id = await add(agent);
    const { status, json } = await act(free, id, verb);
    expect({ status, json }).toMatchObject(refused('not_owner'));
    expect((await send(free, 'GET', `/schedules/${id}`)).json.schedule.enabled).toBe(true);
  });

  const schedule = async (id: number) => (await send(free, 'GET', `/schedules/${id}`)).json.schedule;
  const asked = async (method: string, path: string, json?: object): Promise<number> => {
    const reply = await send(agent, method, path, json);
    expect([reply.status, reply.json.status]).toEqual([202, 'awaiting_approval']);
    return reply.json.approval_id;
  };

  test('are created after an approval that shows them, and each of their jobs waits too', async () => {
    const before = (await send(free, 'GET', '/schedules')).json.total;
    const id = await asked('POST', '/schedules', {
      name: 'nightly',
      selector: { all: true },
      cron: '30 2 * * *',
      job_type: 'backup',
      source_filter: 'etc',
    });
    expect((await send(free, 'GET', '/schedules')).json.total).toBe(before);
    const { approval, preview } = await show(id);
    expect(approval).toMatchObject({
      serverId: null,
      subject: 'all servers',
      change: { kind: 'add_schedule', summary: 'nightly: new' },
    });
    const facts = Object.fromEntries((preview?.facts ?? []).map(({ name: fact, after }) => [fact, after]));
    expect(facts).toMatchObject({ Job: 'Back up', Servers: 'all servers', Times: '30 2 * * * (UTC)' });
    expect(facts['Parameters']).toContain('sourceFilter etc');
    expect(await approve(id)).toMatchObject({ change: { outcome: 'done' } });
    const { schedules } = (await send(free, 'GET', '/schedules')).json;
    expect(schedules.find((each: { name: string }) => each.name === 'nightly')).toMatchObject({
      require_approval: true,
      owner: 'token:agent',
      enabled: true,
    });
  });

  test('that it owns are changed, cleared of a parameter, and deleted after approval', async () => {
    const id = await add(agent);
    await approve(await asked('PATCH', `/schedules/${id}`, { source_filter: 'etc' }));
    expect(await schedule(id)).toMatchObject({ source_filter: 'etc' });
    const cleared = await asked('PATCH', `/schedules/${id}`, { source_filter: null, jitter_seconds: 300 });
    expect((await show(cleared)).preview?.facts).toEqual([
      { name: 'Parameters', before: 'dryRun false, sourceFilter etc', after: 'dryRun false' },
      { name: 'Jitter', before: '0 min', after: '5 min' },
    ]);
    expect(await schedule(id)).toMatchObject({ source_filter: 'etc' });
    await approve(cleared);
    expect(await schedule(id)).toMatchObject({
      source_filter: null,
      jitter_seconds: 300,
      require_approval: true,
      owner: 'token:agent',
    });
    const { json: run } = await act(agent, id, 'run');
    expect((await send(agent, 'GET', `/jobs/${run.job_id}`)).json.status).toBe('awaiting_approval');
    await send(agent, 'POST', `/jobs/${run.job_id}/cancel`, {});
    await approve(await asked('DELETE', `/schedules/${id}`));
    expect((await send(free, 'GET', `/schedules/${id}`)).status).toBe(404);
  });

  test('that changed since are not changed by an earlier request', async () => {
    const id = await add(agent);
    const first = await asked('PATCH', `/schedules/${id}`, { cron: '0 4 * * *' });
    await approve(await asked('PATCH', `/schedules/${id}`, { enabled: false }));
    await expect(approve(first)).rejects.toMatchObject({ code: 'plan_drifted' });
    expect(await schedule(id)).toMatchObject({ cron: '30 2 * * *', enabled: false });
  });

  test('that would be refused are not even requested', async () => {
    await add(agent);
    const base = { selector: { ids: [fixture.alpha.id] }, cron: '30 2 * * *', job_type: 'backup' };
    const cases = [
      [{ ...base, name: `schedule-${name}` }, 'name_taken'],
      [{ ...base, name: 'other', selector: { ids: [999] } }, 'server_not_found'],
      [{ ...base, name: 'other', cron: 'nonsense' }, 'invalid_input'],
    ] as const;
    for (const [json, code] of cases)
      expect((await send(agent, 'POST', '/schedules', json)).json.code).toBe(code);
    const limited = await fixture.token([...SCOPES, 'feature:os'], { requireApproval: true });
    const { json } = await send(limited, 'POST', '/schedules', { ...base, name: 'other' });
    expect(json.code).toBe('feature_not_allowed');
  });
});

describe('Cancelling', () => {
  const start = async (token: string) =>
    (await send(token, 'POST', `/servers/${fixture.alpha.id}/jobs`, { job_type: 'os_update_check' })).json;
  const batch = async (token: string) =>
    (await send(token, 'POST', '/jobs', { selector: { all: true }, job_type: 'backup' })).json.batch_id;

  beforeEach(async () => {
    const { json } = await send(free, 'GET', '/jobs?active_only=true');
    for (const { id } of json.jobs) await send(free, 'POST', `/jobs/${id}/cancel`, {});
  });

  test('a token that needs approval cancels jobs that it started, and no others', async () => {
    const others = await start(free);
    const { status, json } = await send(agent, 'POST', `/jobs/${others.job_id}/cancel`, {});
    expect({ status, json }).toMatchObject(refused('approval_required'));
    await send(free, 'POST', `/jobs/${others.job_id}/cancel`, {});
    const own = await start(agent);
    expect((await send(agent, 'POST', `/jobs/${own.job_id}/cancel`, {})).json.status).toBe('cancelled');
  });

  test('a token of the same name is another one', async () => {
    const twin = await fixture.token(SCOPES, { requireApproval: true, name: 'agent' });
    const own = await start(agent);
    const { status, json } = await send(twin, 'POST', `/jobs/${own.job_id}/cancel`, {});
    expect({ status, json }).toMatchObject(refused('approval_required'));
    await send(agent, 'POST', `/jobs/${own.job_id}/cancel`, {});
  });

  test('any other token cancels jobs as before', async () => {
    const own = await start(agent);
    expect((await send(free, 'POST', `/jobs/${own.job_id}/cancel`, {})).status).toBe(202);
  });

  test('a batch is for the token that started it', async () => {
    const others = await batch(free);
    const own = await batch(agent);
    const answers = [
      await send(agent, 'POST', `/batches/${others}/cancel`, {}),
      await send(free, 'POST', `/batches/${own}/cancel`, {}),
    ];
    expect(answers.map(({ status, json }) => [status, json.code])).toEqual([
      [403, 'approval_required'],
      [403, 'not_owner'],
    ]);
    expect((await send(agent, 'POST', `/batches/${own}/cancel`, {})).status).toBe(202);
    expect((await send(free, 'POST', `/batches/${others}/cancel`, {})).status).toBe(202);
  });
});

describe('A batch with a batch of dry runs', () => {
  const wanted = { selector: { ids: [1] }, job_type: 'retention' };
  const start = (token: string, more: object) => send(token, 'POST', '/jobs', { ...wanted, ...more });

  test('waits with them for the reviewer, and does nothing on a server without a valid one', async () => {
    const { batch_id: plans } = (await start(free, { dry_run: true })).json;
    const { status, json } = await start(agent, { plan_batch_id: plans });
    expect(status).toBe(202);
    expect(json).toMatchObject({ status: 'awaiting_approval', batch: { plan_batch_id: plans } });
    const waiting = { state: 'waiting', limit: 50, offset: 0 } as const;
    const { items } = await fixture.useCases.get(ListApprovals).execute(person, waiting);
    const request = items.find(({ batchId }) => batchId === json.batch_id);
    await approve(request?.id ?? 0);
    await fixture.advanceBatches();
    await fixture.advanceBatches();
    const { json: after } = await send(agent, 'GET', `/batches/${json.batch_id}`);
    expect(after.batch).toMatchObject({ status: 'failed', hosts: { skipped: 1, success: 0 } });
    expect(after.members).toMatchObject([{ server_id: 1, job_id: null, code: 'plan_not_found' }]);
  });

  test('is refused if there is no such batch, or it was not a dry run', async () => {
    expect((await start(agent, { plan_batch_id: 999 })).json.code).toBe('batch_not_found');
    const { batch_id: real } = (await start(free, { job_type: 'os_update_check' })).json;
    expect((await start(agent, { plan_batch_id: real })).json.code).toBe('plan_not_found');
    expect((await start(agent, { plan_batch_id: null })).status).toBe(202);
  });
});

test('A job that waits for approval is not to be polled, the second time it is requested either', async () => {
  const request = () =>
    send(agent, 'POST', `/servers/${fixture.alpha.id}/jobs`, { job_type: 'os_update_check' });
  expect((await request()).json.status).toBe('awaiting_approval');
  const { status, json } = await request();
  expect([status, json.code]).toEqual([409, 'job_already_active']);
  expect(json.detail).toContain('do not poll');
});
