import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CATALOGUE } from '../../../../src/adapters/inbound/api/catalogue.ts';
import { type Operation, takesBody } from '../../../../src/adapters/inbound/api/operation.ts';
import { type Doors, formOf, openDoors } from './doors.ts';

const SCOPES = ['read', 'jobs', 'edit', 'files'];
const CHANGES = [
  'set_features',
  'write_file',
  'mkdir',
  'rename_file',
  'delete_file',
  'upload_file',
  'pin_snapshot',
] as const;
const changing = CATALOGUE.filter(({ name }) => (CHANGES as readonly string[]).includes(name));

let doors: Doors;
/** Its changes need approval. */
let agent: string;
/** A token that needs no approval. */
let free: string;
beforeAll(async () => {
  doors = await openDoors();
  agent = await doors.token(SCOPES, { requireApproval: true, name: 'agent' });
  free = await doors.token(SCOPES, { name: 'free' });
});
afterAll(() => doors.close());

const refused = (code: string) => ({ status: 403, json: { code } });
const send = (token: string, method: string, path: string, json?: object) =>
  doors.request(`/api/v1${path}`, { token, method, ...(json ? { json } : {}) });

function ask(token: string, { routes, examples, form }: Operation) {
  const [route] = routes;
  if (!route) throw new Error('every operation has a route');
  const { server_id: _, snapshot_id: id, ...fields }: { [name: string]: unknown } = examples[0]?.input ?? {};
  const named = route.path
    .replace('{server_id}', String(doors.alpha.id))
    .replace('{snapshot_id}', String(id));
  const path = `/api/v1${named}`;
  const asked = { token, method: route.method };
  if (form === 'upload') return doors.request(path, { ...asked, ...formOf(fields, 'a.txt', 'hello') });
  if (takesBody(route)) return doors.request(path, { ...asked, json: fields });
  return doors.request(`${path}?${new URLSearchParams(fields as Record<string, string>)}`, asked);
}

describe('A token that needs approval', () => {
  test('is refused all that only jobs can be requested for, by what each operation says of itself', () => {
    const said = CATALOGUE.filter(({ effect }) => effect === 'changes').map(({ name }) => name);
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

  test.each(changing.filter((each) => each.form === 'json' && each.tool).map(({ name }) => name))(
    'has the tool %s, and gets advice when it calls it',
    async (name) => {
      const { json: listed } = await doors.rpc(agent, 'tools/list');
      expect(listed.result.tools.map((tool: { name: string }) => tool.name)).toContain(name);
      const operation = changing.find((each) => each.name === name);
      const input = { ...(operation?.examples[0]?.input as object), server_id: doors.alpha.id };
      const { json } = await doors.rpc(agent, 'tools/call', { name, arguments: input });
      expect(json.result.isError).toBe(true);
      expect(JSON.parse(json.result.content[0].text)).toMatchObject({
        status: 403,
        code: 'approval_required',
        detail: expect.stringContaining('Ask an operator'),
      });
    },
  );

  test('gives a reason, which is filtered, bounded and stored with its job', async () => {
    const path = `/servers/${doors.alpha.id}/jobs`;
    const job = { job_type: 'retention', reason: 'A deploy\u200b comes\u001b[31m next.' };
    const { status, json } = await send(agent, 'POST', path, job);
    expect([status, json.job.reason]).toEqual([202, 'A deploy comes next.']);
    expect((await send(agent, 'GET', `/jobs/${json.job_id}`)).json.reason).toBe('A deploy comes next.');
    const kept = doors.world.record.audit.find(({ action }) => action === 'job.request');
    expect(kept?.detail).toMatchObject({ reason: 'A deploy comes next.' });
    const again = await doors.rpc(agent, 'tools/call', {
      name: 'trigger_job',
      arguments: { server_id: doors.alpha.id, job_type: 'backup', dry_run: true, reason: 'Just looking.' },
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

  test('leaves a refusal in the audit log, and nothing changed', async () => {
    await send(agent, 'PATCH', `/servers/${doors.alpha.id}/features`, { backup: false });
    expect(doors.world.record.audit.at(-1)).toMatchObject({
      action: 'server.set_features',
      outcome: 'approval_required',
    });
    const { json } = await send(free, 'GET', `/servers/${doors.alpha.id}`);
    expect(json.features.backup).toBe(true);
  });
});

describe('Schedules', () => {
  let name = 0;
  const add = async (token: string): Promise<number> => {
    name += 1;
    const { json } = await send(token, 'POST', '/schedules', {
      name: `schedule-${name}`,
      selector: { ids: [doors.alpha.id] },
      cron: '30 2 * * *',
      job_type: 'backup',
    });
    return json.id;
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

  test('that it owns: it edits, runs and removes them, and their jobs wait for approval', async () => {
    const id = await add(agent);
    const edited = await send(agent, 'PATCH', `/schedules/${id}`, { jitter_seconds: 5 });
    expect(edited.json).toMatchObject({ require_approval: true, owner: 'token:agent', off_reason: null });
    const { json: run } = await act(agent, id, 'run');
    const { json: job } = await send(agent, 'GET', `/jobs/${run.job_id}`);
    expect(job.status).toBe('awaiting_approval');
    expect((await act(agent, id, 'remove')).status).toBe(200);
    await send(agent, 'POST', `/jobs/${run.job_id}/cancel`, {});
  });
});

describe('Cancelling', () => {
  const start = async (token: string) =>
    (await send(token, 'POST', `/servers/${doors.alpha.id}/jobs`, { job_type: 'os_update_check' })).json;
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
    const twin = await doors.token(SCOPES, { requireApproval: true, name: 'agent' });
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
