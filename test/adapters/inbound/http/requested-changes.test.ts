import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { SqlHistoryStore } from '../../../../src/adapters/outbound/storage/sql/stores/sql-history-store.ts';
import { ApproveRequest, RefuseRequest } from '../../../../src/application/jobs/decide-approval.ts';
import { ExpireApprovals } from '../../../../src/application/jobs/expire-approvals.ts';
import { GetApproval } from '../../../../src/application/jobs/list-approvals.ts';
import type { Actor } from '../../../../src/domain/access/actor.ts';
import type { Role } from '../../../../src/domain/access/role.ts';
import { DAY, HOUR } from '../../../../src/domain/base/instant.ts';
import { reviewers } from '../../../support/reviewers.ts';
import { type ApiFixture, openApiFixture } from './api-fixture.ts';

const SCOPES = ['read', 'jobs', 'edit', 'files'];
const SIGNAL = new AbortController().signal;

let fixture: ApiFixture;
/** A token whose changes need approval, and one whose changes do not. */
let agent: string;
let free: string;
let person: (role: Role) => Actor;
beforeAll(async () => {
  fixture = await openApiFixture();
  person = await reviewers(fixture.users);
  agent = await fixture.token(SCOPES, { requireApproval: true, name: 'agent' });
  free = await fixture.token(SCOPES, { name: 'free' });
});
afterAll(() => fixture.close());

const send = (token: string, method: string, path: string, json?: object) =>
  fixture.request(`/api/v1${path}`, { token, method, ...(json ? { json } : {}) });
const call = async (token: string, name: string, args: object) =>
  (await fixture.rpc(token, 'tools/call', { name, arguments: args })).json.result;
const approve = (id: number, role: Role = 'operator') =>
  fixture.useCases.get(ApproveRequest).execute(person(role), id, {});
const refuse = (id: number) => fixture.useCases.get(RefuseRequest).execute(person('operator'), id, {});
const show = (id: number, role: Role = 'operator') =>
  fixture.useCases.get(GetApproval).execute(person(role), id);
const features = async () => (await send(free, 'GET', `/servers/${fixture.alpha.id}`)).json.features;
const ask = async (flags: object): Promise<number> => {
  const { status, json } = await send(agent, 'PATCH', `/servers/${fixture.alpha.id}/features`, flags);
  expect([status, json.status]).toEqual([202, 'awaiting_approval']);
  return json.approval_id;
};

describe('Features', () => {
  beforeEach(async () => {
    const flags = { backup: true, os_patch: true, docker: false };
    await send(free, 'PATCH', `/servers/${fixture.alpha.id}/features`, flags);
  });

  test('are switched once a user has approved that, exactly as shown', async () => {
    const id = await ask({ backup: false, os_patch: true });
    expect(await features()).toMatchObject({ backup: true });
    const { approval, preview } = await show(id, 'viewer');
    expect(approval).toMatchObject({
      jobType: null,
      serverId: fixture.alpha.id,
      subject: 'alpha',
      state: 'waiting',
      change: { kind: 'set_features', summary: 'backup: on → off', outcome: null },
    });
    expect(preview?.facts).toEqual([{ name: 'backup', before: 'on', after: 'off' }]);
    await expect(approve(id, 'viewer')).rejects.toMatchObject({ code: 'role_missing' });
    expect(await approve(id)).toMatchObject({ state: 'approved', change: { outcome: 'done' } });
    expect(await features()).toMatchObject({ backup: false, os_patch: true });
    expect((await show(id)).preview).toBeNull();
    const actions = fixture.kept.audit.slice(-3).map(({ action, outcome }) => [action, outcome]);
    expect(actions).toEqual([
      ['approval.approve', 'done'],
      ['server.set_features', 'done'],
      ['approval.change', 'done'],
    ]);
  });

  test('that are requested again while the request waits are the same request', async () => {
    const id = await ask({ docker: true });
    expect(await ask({ docker: true })).toBe(id);
    const args = { server_id: fixture.alpha.id, docker: true };
    const { structuredContent, isError } = await call(agent, 'set_features', args);
    expect(isError).toBeUndefined();
    expect(structuredContent).toMatchObject({
      http_status: 202,
      status: 'awaiting_approval',
      approval_id: id,
      detail: expect.stringContaining('Tell the user'),
    });
    await refuse(id);
    expect(await ask({ docker: true })).not.toBe(id);
  });

  test('are listed with their decisions by the tool that shows the server', async () => {
    const requests = async (token: string, id = fixture.alpha.id) =>
      (await call(token, 'get_server', { server_id: id })).structuredContent.requests;
    const waiting = await ask({ docker: true });
    const declined = await ask({ backup: false });
    await fixture.useCases.get(RefuseRequest).execute(person('operator'), declined, { note: 'Not today' });
    const approved = await ask({ os_patch: false });
    await approve(approved);
    const listed = await requests(agent);
    expect(listed.slice(0, 3)).toMatchObject([
      {
        approval_id: approved,
        state: 'approved',
        what: expect.stringContaining('os_patch'),
        outcome: 'done',
      },
      { approval_id: declined, state: 'refused', decided_by: 'user:operator', note: 'Not today' },
      { approval_id: waiting, state: 'waiting', expires_at: expect.any(String) },
    ]);
    expect(listed[1]).not.toHaveProperty('outcome');
    expect(listed[0]).not.toHaveProperty('expires_at');
    expect(listed.length).toBeLessThanOrEqual(10);
    const other = await fixture.token(SCOPES, { requireApproval: true, name: 'other' });
    for (const token of [free, other]) expect(await requests(token)).toBeUndefined();
    const path = `/servers/${fixture.alpha.id}`;
    expect((await send(agent, 'GET', path)).json).not.toHaveProperty('requests');
    const { json } = await send(agent, 'GET', `${path}?changes=5`);
    expect(json.requests[2]).toMatchObject({ approval_id: waiting, state: 'waiting', decided_by: null });
    await refuse(waiting);
  });

  test('that are as requested already need no approval', async () => {
    const { status, json } = await send(agent, 'PATCH', `/servers/${fixture.alpha.id}/features`, {
      backup: true,
    });
    expect([status, json.changed]).toEqual([200, []]);
  });

  test('stay as they are if they differ by the time of the approval', async () => {
    const id = await ask({ backup: false, docker: true });
    await send(free, 'PATCH', `/servers/${fixture.alpha.id}/features`, { docker: true });
    await expect(approve(id)).rejects.toMatchObject({ code: 'plan_drifted' });
    expect((await show(id)).approval.state).toBe('waiting');
    expect(await features()).toMatchObject({ backup: true });
    await refuse(id);
  });

  test('are switched once if two users approve at the same time', async () => {
    const id = await ask({ backup: false });
    const both = await Promise.allSettled([approve(id), approve(id)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const changes = fixture.kept.audit.filter(
      ({ action, object }) => action === 'approval.change' && object === `approval:${id}`,
    );
    expect(changes).toHaveLength(1);
  });

  test('are not switched for a token that was revoked since', async () => {
    const secret = await fixture.token(SCOPES, { requireApproval: true, name: 'gone' });
    const { json } = await send(secret, 'PATCH', `/servers/${fixture.alpha.id}/features`, { backup: false });
    const { approval } = await show(json.approval_id);
    await fixture.stores.tokens.revoke(approval.requester.id ?? 0, fixture.clock.now(), () => ({}));
    await expect(approve(json.approval_id)).rejects.toMatchObject({ code: 'approval_void' });
    await refuse(json.approval_id);
    expect(await features()).toMatchObject({ backup: true });
  });

  test('of a hidden server, or of features that the token may not use, are not even requested', async () => {
    const limited = await fixture.token([...SCOPES, 'feature:docker'], {
      requireApproval: true,
      allowedServerIds: [fixture.alpha.id],
    });
    const other = await send(limited, 'PATCH', `/servers/${fixture.beta.id}/features`, { docker: true });
    expect([other.status, other.json.code]).toEqual([404, 'server_not_found']);
    const barred = await send(limited, 'PATCH', `/servers/${fixture.alpha.id}/features`, { backup: false });
    expect([barred.status, barred.json.code]).toEqual([403, 'feature_not_allowed']);
  });

  test('expire with their request, whose contents are deleted', async () => {
    const id = await ask({ backup: false });
    await fixture.clock.advance(DAY);
    expect(await fixture.useCases.get(ExpireApprovals).execute(SIGNAL)).toBeGreaterThan(0);
    expect((await show(id)).approval.state).toBe('expired');
    expect(await fixture.stores.approvals.sealedOf(id)).toBeNull();
  });
});

test('A change whose process was killed is never repeated, and its result is reported as unknown', async () => {
  const id = await ask({ docker: true });
  const decision = { at: fixture.clock.now(), by: 'user:root', note: null, planId: null, voter: null };
  await fixture.stores.approvals.approve(id, decision, () => ({}));
  await expect(approve(id)).rejects.toMatchObject({ code: 'approval_decided' });
  await fixture.useCases.get(ExpireApprovals).execute(SIGNAL);
  expect((await show(id)).approval.change?.outcome).toBe('running');
  await fixture.clock.advance(HOUR);
  await fixture.useCases.get(ExpireApprovals).execute(SIGNAL);
  expect((await show(id)).approval.change).toMatchObject({
    outcome: 'unknown',
    outcomeDetail: expect.stringContaining('may or may not'),
  });
  expect(await features()).toMatchObject({ docker: false });
});

describe('Files', () => {
  const BEFORE = 'services:\n  app:\n    image: app:1.4\n';
  const AFTER = BEFORE.replace('1.4', '1.5');
  const COMPOSE = { p: 'app', name: 'compose.yaml' };
  const content = () => {
    const node = fixture.files.at('/srv/compose/app/compose.yaml');
    return node?.kind === 'file' ? node.bytes.toString() : null;
  };
  const files = () => `/servers/${fixture.alpha.id}/files`;
  const write = async (body: object): Promise<number> => {
    const { status, json } = await send(agent, 'PUT', `${files()}/content`, { ...COMPOSE, ...body });
    expect([status, json.status]).toEqual([202, 'awaiting_approval']);
    return json.approval_id;
  };
  beforeEach(() => fixture.files.file('/srv/compose/app/compose.yaml', BEFORE));

  test('are written as the difference showed, which only operators see', async () => {
    const id = await write({ text: AFTER });
    expect(content()).toBe(BEFORE);
    const { approval, preview } = await show(id);
    expect(approval.change?.summary).toBe('app/compose.yaml: changed, +1 −1 lines');
    expect(preview?.diff?.split('\n')).toEqual(
      expect.arrayContaining(['-    image: app:1.4', '+    image: app:1.5', '   app:']),
    );
    expect((await show(id, 'viewer')).preview?.diff).toBeNull();
    expect(await approve(id)).toMatchObject({ change: { outcome: 'done' } });
    expect(content()).toBe(AFTER);
  });

  test('that changed since are not written', async () => {
    const id = await write({ text: AFTER });
    fixture.files.file('/srv/compose/app/compose.yaml', 'mine\n');
    await expect(approve(id)).rejects.toMatchObject({ code: 'plan_drifted' });
    expect(content()).toBe('mine\n');
    await refuse(id);
  });

  test('are requested by agents with their tools: create, rename, delete', async () => {
    const server = { server_id: fixture.alpha.id };
    const askTool = async (name: string, args: object): Promise<number> => {
      const { structuredContent } = await call(agent, name, { ...server, ...args });
      expect(structuredContent).toMatchObject({ status: 'awaiting_approval' });
      return structuredContent.approval_id;
    };
    await approve(await askTool('mkdir', { p: 'app', name: 'conf' }));
    await approve(await askTool('write_file', { p: 'app/conf', name: 'a.txt', text: 'one\n' }));
    const rename = await askTool('rename_file', { p: 'app/conf', src: 'a.txt', dest: 'b.txt' });
    expect((await show(rename)).approval.change?.summary).toBe('app/conf/a.txt: → app/conf/b.txt');
    await approve(rename);
    const remove = await askTool('delete_file', { p: 'app/conf/b.txt' });
    expect((await show(remove)).preview?.diff).toContain('-one');
    await approve(remove);
    expect(fixture.files.at('/srv/compose/app/conf/b.txt')).toBeUndefined();
    await approve(await askTool('delete_file', { p: 'app/conf' }));
  });

  test('show what is invisible, and what controls terminals', async () => {
    const id = await write({ text: `${BEFORE}# a\u200bb \u001b[2J\n` });
    expect((await show(id)).preview?.diff).toContain('+# a\\u{200b}b \\u{1b}[2J');
    await refuse(id);
  });

  test.each([
    ['a name in use', 'mkdir', { p: '', name: 'app' }, 'file_exists'],
    ['a missing directory', 'write_file', { p: 'no', name: 'a', text: 'x' }, 'file_not_found'],
    ['a missing file', 'delete_file', { p: 'app/no' }, 'file_not_found'],
    ['a denied name', 'write_file', { p: 'app', name: '.env', text: 'x' }, 'path_refused'],
    [
      'another version',
      'write_file',
      { ...COMPOSE, text: 'x', if_match: 'a'.repeat(64) },
      'changed_since_read',
    ],
    ['the same content', 'write_file', { ...COMPOSE, text: BEFORE }, 'empty_change'],
    ['a long text', 'write_file', { ...COMPOSE, text: 'x'.repeat(300_000) }, 'file_too_large'],
  ])('of %s are refused at once', async (_what, name, args, code) => {
    const { isError, content: texts } = await call(agent, name, { server_id: fixture.alpha.id, ...args });
    expect([isError, JSON.parse(texts[0].text).code]).toEqual([true, code]);
  });

  test('leave no content behind: not in the request, the audit log or an event', async () => {
    const id = await write({ text: `${BEFORE}# a secret word\n` });
    const sealed = await fixture.stores.approvals.sealedOf(id);
    expect(sealed).toMatch(/^v1\./);
    const { audit, events } = fixture.kept;
    expect(JSON.stringify([audit, events, await fixture.stores.approvals.find(id)])).not.toContain(
      'secret word',
    );
    await refuse(id);
    expect(await fixture.stores.approvals.sealedOf(id)).toBeNull();
  });
});

test('Requests that were decided are deleted with the jobs of their time, and no others', async () => {
  const id = await ask({ docker: true });
  await refuse(id);
  const history = new SqlHistoryStore(fixture.database);
  expect(await history.forgetChanges(fixture.clock.now(), 200)).toBe(false);
  expect((await show(id)).approval.state).toBe('refused');
  await fixture.clock.advance(HOUR);
  const waiting = await ask({ docker: true });
  while (await history.forgetChanges(fixture.clock.now(), 2))
    expect((await show(waiting)).approval.state).toBe('waiting');
  await expect(show(id)).rejects.toMatchObject({ code: 'approval_not_found' });
  await refuse(waiting);
});

describe('The requester', () => {
  const own = (id: number, token = agent) => send(token, 'GET', `/approvals/${id}`);

  test('sees how its request stands, and how the change ended', async () => {
    const id = await ask({ docker: true });
    expect((await own(id)).json).toMatchObject({
      id,
      state: 'waiting',
      server_id: fixture.alpha.id,
      change: { kind: 'set_features', summary: 'docker: off → on', outcome: null },
      requested_by: 'token:agent',
      decided_at: null,
    });
    await fixture.useCases.get(RefuseRequest).execute(person('operator'), id, { note: 'not today' });
    expect((await own(id)).json).toMatchObject({
      state: 'refused',
      decided_by: 'user:operator',
      note: 'not today',
    });
    const other = await ask({ docker: true });
    await approve(other);
    expect((await own(other)).json).toMatchObject({ state: 'approved', change: { outcome: 'done' } });
    await send(free, 'PATCH', `/servers/${fixture.alpha.id}/features`, { docker: false });
  });

  test('sees its requests for jobs too, and learns the address over MCP', async () => {
    const job = await send(agent, 'POST', `/servers/${fixture.alpha.id}/jobs`, { job_type: 'backup' });
    const { id } = (await fixture.stores.approvals.ofJob(job.json.job_id)) ?? { id: 0 };
    expect((await own(id)).json).toMatchObject({ job_id: job.json.job_id, job_type: 'backup', change: null });
    await send(agent, 'POST', `/jobs/${job.json.job_id}/cancel`, {});
    expect((await own(id)).json.state).toBe('withdrawn');
    const args = { server_id: fixture.alpha.id, docker: true };
    const { structuredContent } = await call(agent, 'set_features', args);
    const { approval_id: waiting, detail } = structuredContent;
    expect(detail).toContain(`/api/v1/approvals/${waiting}`);
    await refuse(waiting);
  });

  test('sees no request of another token, nor of a server that it may no longer see', async () => {
    const id = await ask({ docker: true });
    const twin = await fixture.token(SCOPES, { requireApproval: true, name: 'agent' });
    for (const [token, number] of [
      [free, id],
      [twin, id],
      [agent, 999],
    ] as const) {
      const { status, json } = await own(number, token);
      expect([status, json.code]).toEqual([404, 'approval_not_found']);
    }
    const unread = await fixture.token(['jobs'], { requireApproval: true });
    expect((await own(id, unread)).json.code).toBe('read_scope_missing');
    await refuse(id);
    const limits = { requireApproval: true, name: 'moved', allowedServerIds: [fixture.alpha.id] };
    const moved = await fixture.token(SCOPES, limits);
    const { json } = await send(moved, 'PATCH', `/servers/${fixture.alpha.id}/features`, { docker: true });
    expect((await own(json.approval_id, moved)).status).toBe(200);
    const { approval } = await show(json.approval_id);
    const token = await fixture.stores.tokens.find(approval.requester.id ?? 0);
    if (!token) throw new Error('no token');
    const elsewhere = { ...token, allowedServerIds: [fixture.beta.id] };
    await fixture.stores.tokens.change(token.id, elsewhere, () => ({}));
    await fixture.clock.advance(5_000);
    expect((await own(json.approval_id, moved)).json.code).toBe('approval_not_found');
    await refuse(json.approval_id);
  });
});
