import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { HOUR, MINUTE } from '../../../../src/domain/base/instant.ts';
import { type ApiFixture, openApiFixture } from '../http/api-fixture.ts';

const SCOPES = ['read', 'jobs', 'edit', 'files'];
const VERSION = '2026-07-28';
const FORMS = { elicitation: { form: {} } };
const COMPOSE = '/srv/compose/app/compose.yaml';
const BEFORE = 'services:\n  app:\n    image: app:1.4\n';
const AFTER = BEFORE.replace('1.4', '1.5');

let fixture: ApiFixture;
let agent: string;
beforeAll(async () => {
  fixture = await openApiFixture();
  agent = await fixture.token(SCOPES, { name: 'agent' });
});
afterAll(() => fixture.close());
beforeEach(async () => {
  fixture.files.file(COMPOSE, BEFORE);
  await setFeatures({ backup: true, docker: false });
});

const setFeatures = (flags: object) =>
  fixture.request('/api/v1/servers/1/features', { token: agent, method: 'PATCH', json: flags });
const features = async () => (await fixture.request('/api/v1/servers/1', { token: agent })).json.features;
const contentOf = (path: string): string | null => {
  const node = fixture.files.at(path);
  return node?.kind === 'file' ? node.bytes.toString() : null;
};

interface Call {
  readonly name: string;
  readonly args: object;
}

interface Sender {
  readonly capabilities?: object;
  readonly token?: string;
  readonly at?: ApiFixture;
}

/** A call as a client of 2026-07-28 sends it; `more` are the members of a second attempt. */
async function send({ name, args }: Call, more: object = {}, sender: Sender = {}) {
  const { capabilities = FORMS, token = agent, at = fixture } = sender;
  const meta = {
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
  const headers = { 'mcp-protocol-version': VERSION, 'mcp-method': 'tools/call', 'mcp-name': name };
  const params = { name, arguments: args, ...more, _meta: meta };
  return (await at.rpc(token, 'tools/call', params, headers)).json;
}

/** The question to a call; fails if there is none. */
async function questionOf(call: Call, sender: Sender = {}): Promise<{ state: string; message: string }> {
  const { result } = await send(call, {}, sender);
  expect(result).toMatchObject({
    resultType: 'input_required',
    inputRequests: {
      confirm: {
        method: 'elicitation/create',
        params: { mode: 'form', requestedSchema: { type: 'object', properties: {} } },
      },
    },
    requestState: expect.stringMatching(/^v1\./),
  });
  return { state: result.requestState, message: result.inputRequests.confirm.params.message };
}

const responses = (action: string) => ({ inputResponses: { confirm: { action, content: {} } } });
const answer = async (call: Call, state: string, action = 'accept', sender: Sender = {}) =>
  (await send(call, { requestState: state, ...responses(action) }, sender)).result;
// oxlint-disable-next-line typescript/no-explicit-any
const codeOf = (result: any): string => {
  expect(result).toMatchObject({ isError: true, resultType: 'complete' });
  return JSON.parse(result.content[0].text).code;
};

const SWITCH: Call = { name: 'set_features', args: { server_id: 1, docker: true } };
const WRITE: Call = {
  name: 'write_file',
  args: { server_id: 1, p: 'app', name: 'compose.yaml', text: AFTER },
};

describe('A client that can ask its user', () => {
  test('shows the plan, and nothing happens before the answer', async () => {
    const { message, state } = await questionOf(SWITCH);
    expect(message).toContain('Switch features on alpha?');
    expect(message.match(/docker: off → on/g)).toHaveLength(1);
    expect(message).toContain('2026-11-20 05:10');
    expect(await features()).toMatchObject({ docker: false });
    expect((await answer(SWITCH, state)).structuredContent).toMatchObject({ ok: true, changed: ['docker'] });
    expect(await features()).toMatchObject({ docker: true });
    const [entry] = fixture.kept.audit.filter(({ action }) => action === 'change.confirm').slice(-1);
    expect(entry).toMatchObject({ outcome: 'done', object: 'server:1' });
  });

  test('shows the difference of a text, with its invisible characters', async () => {
    const args = { ...WRITE.args, text: `${AFTER}# a\u200bb\n` };
    const { message, state } = await questionOf({ ...WRITE, args });
    expect(message).toContain('-    image: app:1.4\n+    image: app:1.5');
    expect(message).toContain('+# a\\u{200b}b');
    expect(contentOf(COMPOSE)).toBe(BEFORE);
    expect((await answer({ ...WRITE, args }, state)).structuredContent).toMatchObject({ overwrite: true });
    expect(contentOf(COMPOSE)).toBe(`${AFTER}# a\u200bb\n`);
  });

  test('says how much of a long difference is not shown', async () => {
    const text = 'one line of many\n'.repeat(1_000);
    const { message } = await questionOf({ ...WRITE, args: { ...WRITE.args, text } });
    expect(message.length).toBeLessThan(7_000);
    expect(message).toMatch(/\d+ more characters are not shown/);
  });

  test('confirms each tool that changes a server', async () => {
    const server = { server_id: 1 };
    const calls: Call[] = [
      { name: 'mkdir', args: { ...server, p: 'app', name: 'conf' } },
      { name: 'write_file', args: { ...server, p: 'app/conf', name: 'a.txt', text: 'one\n' } },
      { name: 'rename_file', args: { ...server, p: 'app/conf', src: 'a.txt', dest: 'b.txt' } },
      { name: 'delete_file', args: { ...server, p: 'app/conf/b.txt' } },
      { name: 'delete_file', args: { ...server, p: 'app/conf' } },
    ];
    for (const call of calls) {
      const { state } = await questionOf(call);
      expect((await answer(call, state)).structuredContent, call.name).toMatchObject({ ok: true });
    }
    expect(fixture.files.at('/srv/compose/app/conf')).toBeUndefined();
  });

  test.each(['decline', 'cancel', 'nonsense'])(
    'that answers %s gets a refusal, and nothing happens',
    async (action) => {
      const { state } = await questionOf(SWITCH);
      expect(codeOf(await answer(SWITCH, state, action))).toBe('confirmation_declined');
      expect(codeOf(await answer(SWITCH, state))).toBe('confirmation_used');
      expect(await features()).toMatchObject({ docker: false });
    },
  );

  test('is not asked about what would change nothing, what is only read, and what is refused', async () => {
    const same = await send({ name: 'set_features', args: { server_id: 1, docker: false } });
    expect(same.result).toMatchObject({ resultType: 'complete', structuredContent: { changed: [] } });
    expect((await send({ name: 'health', args: {} })).result.structuredContent).toMatchObject({ ok: true });
    const missing = { name: 'delete_file', args: { server_id: 1, p: 'no' } };
    expect(codeOf((await send(missing)).result)).toBe('file_not_found');
    const reader = await fixture.token([...SCOPES, 'feature:os']);
    expect(codeOf((await send(SWITCH, {}, { token: reader })).result)).toBe('feature_not_allowed');
  });

  test('is asked again if the answer or its state is missing', async () => {
    const { state } = await questionOf(SWITCH);
    for (const more of [
      { requestState: state },
      { requestState: state, inputResponses: {} },
      responses('accept'),
    ])
      expect((await send(SWITCH, more)).result.resultType).toBe('input_required');
    for (const more of [{ requestState: 7 }, { inputResponses: [] }])
      expect((await send(SWITCH, more)).error.code).toBe(-32602);
    expect(await features()).toMatchObject({ docker: false });
  });
});

describe('An answer', () => {
  const nothingHappened = async () => {
    expect(await features()).toMatchObject({ docker: false });
    expect(contentOf(COMPOSE)).toBe(BEFORE);
  };

  test('counts once, also if it is sent twice at the same time', async () => {
    const { state } = await questionOf(SWITCH);
    const both = await Promise.all([answer(SWITCH, state), answer(SWITCH, state)]);
    const refused = both.filter(({ isError }) => isError);
    expect(refused.map(codeOf)).toEqual(['confirmation_used']);
    await setFeatures({ docker: false });
    expect(codeOf(await answer(SWITCH, state))).toBe('confirmation_used');
    await nothingHappened();
  });

  test('that was used in one replica is refused in another', async () => {
    const other = await openApiFixture({ stores: fixture.stores });
    const { state } = await questionOf(SWITCH);
    expect((await answer(SWITCH, state, 'accept', { at: other })).isError).toBeUndefined();
    await setFeatures({ docker: false });
    expect(codeOf(await answer(SWITCH, state))).toBe('confirmation_used');
    await other.close();
  });

  test.each([
    ['changed', (state: string) => state.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))],
    ['cut', (state: string) => state.slice(0, -1)],
    ['invented', () => 'v1.accepted'],
    ['empty', () => ''],
    ['huge', (state: string) => state + 'A'.repeat(10_000)],
  ])('with a state that is %s is refused', async (_how, spoil) => {
    const { state } = await questionOf(SWITCH);
    expect(codeOf(await answer(SWITCH, spoil(state)))).toBe('confirmation_invalid');
    await nothingHappened();
  });

  test('to another call is refused: other values, another server, another tool', async () => {
    const { state } = await questionOf(WRITE);
    const others: Call[] = [
      { ...WRITE, args: { ...WRITE.args, text: 'mine\n' } },
      { ...SWITCH, args: { ...SWITCH.args, server_id: 2 } },
      { name: 'delete_file', args: { server_id: 1, p: 'app/compose.yaml' } },
      { name: 'health', args: {} },
    ];
    for (const other of others)
      expect(codeOf(await answer(other, state)), other.name).toBe('confirmation_invalid');
    await nothingHappened();
  });

  test('of another token is refused, also of one with the same name', async () => {
    const twin = await fixture.token(SCOPES, { name: 'agent' });
    const { state } = await questionOf(SWITCH);
    expect(codeOf(await answer(SWITCH, state, 'accept', { token: twin }))).toBe('confirmation_invalid');
    await nothingHappened();
  });

  test('in another revision of the protocol is refused, as is one of a client that cannot ask', async () => {
    const { state } = await questionOf(SWITCH);
    const params = { name: SWITCH.name, arguments: SWITCH.args, requestState: state, ...responses('accept') };
    const legacy = await fixture.rpc(agent, 'tools/call', params);
    expect(JSON.parse(legacy.json.result.content[0].text).code).toBe('confirmation_invalid');
    const silent = await answer(SWITCH, state, 'accept', { capabilities: {} });
    expect(codeOf(silent)).toBe('confirmation_invalid');
    await nothingHappened();
  });

  test('that comes after ten minutes is refused', async () => {
    const { state } = await questionOf(SWITCH);
    await fixture.clock.advance(10 * MINUTE);
    expect(codeOf(await answer(SWITCH, state))).toBe('confirmation_expired');
    await nothingHappened();
  });

  test('is refused if the plan would be another one by now', async () => {
    const { state } = await questionOf(WRITE);
    fixture.files.file(COMPOSE, 'mine\n');
    expect(codeOf(await answer(WRITE, state))).toBe('plan_drifted');
    expect(contentOf(COMPOSE)).toBe('mine\n');
    const asked = await questionOf(SWITCH);
    await setFeatures({ docker: true });
    expect(codeOf(await answer(SWITCH, asked.state))).toBe('plan_drifted');
  });

  test('about a new file does not replace one that was created since', async () => {
    const call = { name: 'write_file', args: { server_id: 1, p: 'app', name: 'new.txt', text: 'agent\n' } };
    const { state } = await questionOf(call);
    fixture.files.file('/srv/compose/app/new.txt', 'mine\n');
    expect(codeOf(await answer(call, state))).toBe('plan_drifted');
    expect(contentOf('/srv/compose/app/new.txt')).toBe('mine\n');
  });

  test('of a token that lost its rights since is refused as the call itself', async () => {
    const secret = await fixture.token(SCOPES, { name: 'narrowed' });
    const { state } = await questionOf(SWITCH, { token: secret });
    const token = (await fixture.stores.tokens.list({ limit: 1, offset: 0 })).items[0];
    if (!token) throw new Error('no token');
    await fixture.stores.tokens.change(
      token.id,
      { ...token, scopes: [...token.scopes, 'feature:os'] },
      () => ({}),
    );
    await fixture.clock.advance(5_000);
    expect(codeOf(await answer(SWITCH, state, 'accept', { token: secret }))).toBe('feature_not_allowed');
    await nothingHappened();
  });
});

describe('Calls are carried out at once, as before,', () => {
  test.each([
    ['for a client that cannot ask', {}],
    ['for a client that only opens addresses', { elicitation: { url: {} } }],
  ])('%s', async (_who, capabilities) => {
    const { result } = await send(SWITCH, {}, { capabilities });
    expect(result).toMatchObject({ resultType: 'complete', structuredContent: { changed: ['docker'] } });
  });

  test('for a client of 2025-11-25, whatever it said it can do', async () => {
    const capabilities = { elicitation: {} };
    await fixture.rpc(agent, 'initialize', { protocolVersion: '2025-11-25', capabilities });
    const { json } = await fixture.rpc(agent, 'tools/call', { name: SWITCH.name, arguments: SWITCH.args });
    expect(json.result.structuredContent).toMatchObject({ changed: ['docker'] });
  });

  test('if an operator switched questions off, and answers to earlier ones are refused', async () => {
    const { state } = await questionOf(SWITCH);
    const off = await openApiFixture({ stores: fixture.stores, confirmChanges: false });
    expect(codeOf(await answer(SWITCH, state, 'accept', { at: off }))).toBe('confirmation_invalid');
    const { result } = await send(SWITCH, {}, { at: off });
    expect(result.structuredContent).toMatchObject({ changed: ['docker'] });
    await off.close();
  });
});

test('A token that needs approval waits for a reviewer: its user is not asked, and has no say', async () => {
  const secret = await fixture.token(SCOPES, { requireApproval: true, name: 'careful' });
  const sender = { token: secret };
  for (const call of [SWITCH, WRITE]) {
    const { result } = await send(call, {}, sender);
    expect(result).toMatchObject({
      resultType: 'complete',
      structuredContent: { http_status: 202, status: 'awaiting_approval' },
    });
  }
  const { state } = await questionOf(SWITCH);
  expect(codeOf(await answer(SWITCH, state, 'accept', sender))).toBe('confirmation_invalid');
  expect(await features()).toMatchObject({ docker: false });
});

describe('Jobs', () => {
  const retention = (more: object): Call => ({
    name: 'trigger_job',
    args: { server_id: 1, job_type: 'retention', ...more },
  });
  /** The id of a dry run that ended with a plan. */
  const dryRun = async (): Promise<number> => {
    const { result } = await send(retention({ dry_run: true }));
    const { job_id: id } = result.structuredContent;
    const { queue } = fixture.stores;
    const at = fixture.clock.now();
    const claims = await queue.claim({ owner: 'w', leaseMs: HOUR, limit: 9, at, record: () => ({}) });
    const claim = claims.find(({ job }) => job.id === id);
    if (!claim) throw new Error('no claim');
    await queue.appendLog(claim, 'Would remove etc/2026-10-01 (older than 14 days)\n', at);
    const plan = { plan_id: id, plan_expires_at: new Date(at + HOUR).toISOString(), digest: 'd' };
    const summary = 'Dry run: retention would remove 1 snapshot.';
    await queue.finish(claim, { status: 'success', summary, error: null, result: plan }, at, () => ({}));
    return id;
  };

  test('that change something are confirmed with the plan of their dry run, and do exactly that', async () => {
    const planId = await dryRun();
    const call = retention({ plan_id: planId });
    const { message, state } = await questionOf(call);
    expect(message).toContain('Apply retention on alpha?');
    expect(message).toContain('retention would remove 1 snapshot');
    expect(message).toContain('Would remove etc/2026-10-01 (older than 14 days)');
    const active = async () =>
      (await fixture.request('/api/v1/jobs?active_only=true&job_type=retention', { token: agent })).json.jobs;
    expect(await active()).toEqual([]);
    const { structuredContent } = await answer(call, state);
    expect(structuredContent).toMatchObject({ http_status: 202, status: 'pending' });
    const job = await fixture.stores.jobs.find(structuredContent.job_id);
    expect(job?.params).toMatchObject({ planId });
    expect(codeOf(await answer(call, state))).toBe('confirmation_used');
    expect(await active()).toHaveLength(1);
    await fixture.request(`/api/v1/jobs/${structuredContent.job_id}/cancel`, {
      token: agent,
      method: 'POST',
      json: {},
    });
  });

  test('without a plan are refused with the way to one, also for several servers', async () => {
    expect(codeOf((await send(retention({}))).result)).toBe('plan_not_found');
    const { result } = await send({ name: 'trigger_job', args: { server_ids: [1], job_type: 'retention' } });
    expect(result.structuredContent).toMatchObject({
      started: 0,
      results: [{ ok: false, code: 'plan_not_found' }],
    });
  });

  test('whose plan is too old by the time of the answer do not start', async () => {
    const call = retention({ plan_id: await dryRun() });
    await fixture.clock.advance(55 * MINUTE);
    const { state } = await questionOf(call);
    await fixture.clock.advance(6 * MINUTE);
    expect(codeOf(await answer(call, state))).toBe('plan_expired');
  });

  test('that only read or add something start at once', async () => {
    const { result } = await send({ name: 'trigger_job', args: { server_id: 1, job_type: 'backup' } });
    expect(result.structuredContent).toMatchObject({ http_status: 202 });
  });
});

test('The official client asks its user, and sends the answer', async () => {
  const asked: string[] = [];
  let action: 'accept' | 'decline' = 'decline';
  const client = new Client(
    { name: 'official client', version: '1' },
    { capabilities: FORMS, versionNegotiation: { mode: { pin: VERSION } } },
  );
  client.setRequestHandler('elicitation/create', ({ params }) => {
    asked.push(params.message);
    return action === 'accept' ? { action, content: {} } : { action };
  });
  await client.connect(
    new StreamableHTTPClientTransport(new URL('/mcp', fixture.base), {
      requestInit: { headers: { Authorization: `Bearer ${agent}` } },
    }),
  );
  const call = () => client.callTool({ name: 'set_features', arguments: { server_id: 1, docker: true } });
  expect(codeOf({ resultType: 'complete', ...(await call()) })).toBe('confirmation_declined');
  expect(await features()).toMatchObject({ docker: false });
  action = 'accept';
  expect(await call()).toMatchObject({ structuredContent: { changed: ['docker'] } });
  expect(asked).toEqual(Array(2).fill(expect.stringContaining('docker: off → on')));
  expect(await features()).toMatchObject({ docker: true });
  await client.close();
});
