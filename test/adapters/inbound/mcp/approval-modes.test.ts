import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ApprovalRules } from '../../../../src/application/jobs/approval-rules.ts';
import { RefuseRequest } from '../../../../src/application/jobs/decide-approval.ts';
import { ListApprovals } from '../../../../src/application/jobs/list-approvals.ts';
import { APPROVAL_MODES, type ApprovalMode, approvalsBy } from '../../../../src/domain/access/api-token.ts';
import { USUAL_RULE } from '../../../../src/domain/access/approval-rule.ts';
import { reviewers } from '../../../support/reviewers.ts';
import { type ApiFixture, openApiFixture } from '../http/api-fixture.ts';

const SCOPES = ['read', 'jobs', 'edit', 'files'];
const VERSION = '2026-07-28';
const ROOT = '/srv/compose';

/** Each test has its own. */
let directory: string;
let directories = 0;

let fixture: ApiFixture;
let person: Awaited<ReturnType<typeof reviewers>>;
const secrets = new Map<ApprovalMode, string>();
const tokenOf = (mode: ApprovalMode): string => secrets.get(mode) ?? '';
beforeAll(async () => {
  fixture = await openApiFixture();
  person = await reviewers(fixture.users);
  for (const mode of APPROVAL_MODES)
    secrets.set(mode, await fixture.token(SCOPES, { name: mode, ...approvalsBy(mode) }));
});
afterAll(() => fixture.close());
beforeEach(async () => {
  directories += 1;
  directory = `app-${directories}`;
  fixture.files.file(`${ROOT}/${directory}/old.txt`, 'old\n');
  const flags = { backup: true, docker: false };
  await fixture.request('/api/v1/servers/1/features', {
    token: tokenOf('none'),
    method: 'PATCH',
    json: flags,
  });
  const decline = fixture.useCases.get(RefuseRequest);
  for (const { id } of await waiting()) await decline.execute(person('operator'), id, {});
  const path = '/api/v1/jobs?active_only=true';
  for (const job of (await fixture.request(path, { token: tokenOf('none') })).json.jobs) {
    const cancel = { token: tokenOf('none'), method: 'POST', json: {} };
    await fixture.request(`/api/v1/jobs/${job.id}/cancel`, cancel);
  }
});

const waiting = async () =>
  (
    await fixture.useCases
      .get(ListApprovals)
      .execute(person('operator'), { state: 'waiting', limit: 100, offset: 0 })
  ).items;

interface Call {
  readonly name: string;
  readonly args: object;
}
const call = (name: string, args: object): Call => ({ name, args: { server_id: 1, ...args } });
/** Each tool that changes something. */
const CALLS = {
  set_features: () => call('set_features', { docker: true }),
  write_file: () => call('write_file', { p: directory, name: 'new.txt', text: 'new\n' }),
  mkdir: () => call('mkdir', { p: directory, name: 'conf' }),
  rename_file: () => call('rename_file', { p: directory, src: 'old.txt', dest: 'newer.txt' }),
  delete_file: () => call('delete_file', { p: `${directory}/old.txt` }),
  trigger_job: () => call('trigger_job', { job_type: 'os_update_check' }),
} as const;
const TOOLS = Object.keys(CALLS) as (keyof typeof CALLS)[];
/** What all of them would change. */
const state = async () => ({
  features: (await fixture.request('/api/v1/servers/1', { token: tokenOf('none') })).json.features,
  files: ['old.txt', 'new.txt', 'newer.txt', 'conf'].map(
    (name) => fixture.files.at(`${ROOT}/${directory}/${name}`)?.kind,
  ),
  pending: (await fixture.request('/api/v1/jobs?status_filter=pending', { token: tokenOf('none') })).json
    .total,
});

const CLIENTS = {
  'can show forms': { elicitation: { form: {} } },
  'names no mode': { elicitation: {} },
  'only opens addresses': { elicitation: { url: {} } },
  'cannot ask': {},
  'is of 2025-11-25': null,
} as const;
type ClientKind = keyof typeof CLIENTS;
const canAsk = (kind: ClientKind): boolean => kind === 'can show forms' || kind === 'names no mode';

async function send(
  mode: ApprovalMode,
  kind: ClientKind,
  { name, args }: Call,
  more: object = {},
  at = fixture,
) {
  const capabilities = CLIENTS[kind];
  const meta = {
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
  const headers = { 'mcp-protocol-version': VERSION, 'mcp-method': 'tools/call', 'mcp-name': name };
  const params = { name, arguments: args, ...more };
  const { json } = await (capabilities === null
    ? at.rpc(tokenOf(mode), 'tools/call', params)
    : at.rpc(tokenOf(mode), 'tools/call', { ...params, _meta: meta }, headers));
  return json.result;
}
type Result = Awaited<ReturnType<typeof send>>;
const accepted = ({ requestState }: Result) => ({
  requestState,
  inputResponses: { confirm: { action: 'accept', content: {} } },
});

/** `asked`: by the client. `waits`: for a reviewer. `done`: at once. */
const outcomeOf = (result: Result): string => {
  if (result.resultType === 'input_required') return 'asked';
  if (result.isError) return result.content[0].text;
  return result.structuredContent.status === 'awaiting_approval' ? 'waits' : 'done';
};
/** A job that changes nothing needs no question, if the token acts at once. */
const expected = (mode: ApprovalMode, kind: ClientKind, name: string) => {
  if (mode === 'reviewer') return 'waits';
  if (mode === 'client') return canAsk(kind) ? 'asked' : 'waits';
  return canAsk(kind) && name !== 'trigger_job' ? 'asked' : 'done';
};

const KINDS = Object.keys(CLIENTS) as ClientKind[];
const cells = APPROVAL_MODES.flatMap((mode) =>
  KINDS.flatMap((kind) => TOOLS.map((name) => [mode, kind, name] as const)),
);

describe('A change over MCP', () => {
  test.each(cells)('by a token of mode %s whose client %s: %s', async (mode, kind, name) => {
    const before = await state();
    const outcome = outcomeOf(await send(mode, kind, CALLS[name]()));
    expect(outcome).toBe(expected(mode, kind, name));
    expect((await waiting()).length).toBe(outcome === 'waits' ? 1 : 0);
    const after = await state();
    if (outcome === 'done') expect(after).not.toEqual(before);
    else expect(after).toEqual(before);
  });

  test.each(TOOLS)(
    'that the user of the agent accepts is made once, and no reviewer is asked: %s',
    async (name) => {
      const each = CALLS[name]();
      const before = await state();
      const question = await send('client', 'can show forms', each);
      const answer = accepted(question);
      expect(outcomeOf(await send('client', 'can show forms', each, answer))).toBe('done');
      const after = await state();
      expect(after).not.toEqual(before);
      const again = await send('client', 'can show forms', each, answer);
      expect(again.content[0].text).toContain('confirmation_used');
      expect(await state()).toEqual(after);
      expect(await waiting()).toEqual([]);
    },
  );

  test.each(['decline', 'cancel'])(
    'that the user answers with %s is not made, and does not wait',
    async (action) => {
      for (const name of TOOLS) {
        const each = CALLS[name]();
        const before = await state();
        const { requestState } = await send('client', 'can show forms', each);
        const answer = { requestState, inputResponses: { confirm: { action } } };
        const result = await send('client', 'can show forms', each, answer);
        expect(result.content[0].text, name).toContain('confirmation_declined');
        expect(await state()).toEqual(before);
      }
      expect(await waiting()).toEqual([]);
    },
  );

  test('that several servers are about waits for each, or has to be called for one', async () => {
    const each = { name: 'trigger_job', args: { server_ids: [1], job_type: 'os_update_check' } };
    const asked = (await send('client', 'can show forms', each)).structuredContent;
    expect(asked).toMatchObject({ started: 0, results: [{ ok: false, code: 'invalid_input' }] });
    const silent = (await send('client', 'cannot ask', each)).structuredContent;
    expect(silent.results).toMatchObject([{ status: 'awaiting_approval' }]);
  });

  test('waits for a reviewer if questions are switched off, whatever the client can do', async () => {
    const off = await openApiFixture({ stores: fixture.stores, confirmChanges: false });
    off.files.file(`${ROOT}/${directory}/old.txt`, 'old\n');
    for (const name of TOOLS)
      expect(outcomeOf(await send('client', 'can show forms', CALLS[name](), {}, off)), name).toBe('waits');
    await off.close();
  });

  test('waits for a reviewer if the rule for all requests asks for more than one user alone', async () => {
    const rules = fixture.useCases.get(ApprovalRules);
    const question = await send('client', 'can show forms', CALLS.set_features());
    for (const rule of [{ fourEyes: true }, { role: 'administrator' as const }, { approvers: 2 }]) {
      await rules.set(person('administrator'), { ...USUAL_RULE, ...rule });
      const before = await state();
      for (const name of TOOLS)
        expect(outcomeOf(await send('client', 'can show forms', CALLS[name]())), name).toBe('waits');
      const late = await send('client', 'can show forms', CALLS.set_features(), accepted(question));
      expect(late.content[0].text).toContain('confirmation_invalid');
      expect(await state()).toEqual(before);
    }
    await rules.set(person('administrator'), USUAL_RULE);
  });
});

describe('A change over REST', () => {
  const one = { selector: { ids: [1] }, job_type: 'os_update_check' };
  const CHANGES = [
    ['PATCH', () => '/servers/1/features', () => ({ docker: true })],
    ['POST', () => '/servers/1/files/mkdir', () => ({ p: directory, name: 'conf' })],
    ['POST', () => '/servers/1/files/rename', () => ({ p: directory, src: 'old.txt', dest: 'newer.txt' })],
    ['DELETE', () => `/servers/1/files?p=${directory}/old.txt`, () => undefined],
    ['POST', () => '/servers/1/jobs', () => ({ job_type: 'os_update_check' })],
    ['POST', () => '/schedules', () => ({ ...one, name: directory, cron: '30 2 * * *' })],
    ['POST', () => '/jobs', () => one],
  ] as const;

  const cases = APPROVAL_MODES.flatMap((mode) =>
    CHANGES.map(([method, path, json]) => [mode, method, path, json] as const),
  );
  test.each(cases)('by a token of mode %s: %s %s', async (mode, method, path, json) => {
    const fields = json();
    const asked = { token: tokenOf(mode), method, ...(fields ? { json: fields } : {}) };
    const reply = await fixture.request(`/api/v1${path()}`, asked);
    expect(reply.status).toBeLessThan(300);
    expect(JSON.stringify(reply.json).includes('awaiting_approval')).toBe(mode !== 'none');
    expect((await waiting()).length).toBe(mode === 'none' ? 0 : 1);
  });
});
