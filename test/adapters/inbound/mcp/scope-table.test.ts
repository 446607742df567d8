import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CAPABILITIES,
  type Capability,
  FEATURE_SCOPES,
  type Feature,
} from '../../../../src/domain/access/scope.ts';
import { type ApiFixture, openApiFixture } from '../http/api-fixture.ts';

/** What each tool needs, repeated here by hand: the catalogue is what is tested. */
const SCOPE_OF: Readonly<Record<string, Capability>> = {
  health: 'read',
  summary: 'read',
  list_servers: 'read',
  get_server: 'read',
  inventory: 'read',
  services: 'read',
  list_jobs: 'read',
  get_job: 'read',
  trigger_job: 'jobs',
  set_features: 'edit',
  list_files: 'files',
  read_file: 'files',
  write_file: 'files',
  mkdir: 'files',
  rename_file: 'files',
  delete_file: 'files',
};

interface Call {
  readonly tool: string;
  readonly args: object;
  /** Not allowed for a token with other features. */
  readonly feature?: Feature;
}

const job = (job_type: string, feature: Feature): Call => ({
  tool: 'trigger_job',
  args: { server_id: 1, job_type },
  feature,
});

/** At least one call of each tool, and one for each feature that it may use. */
const CALLS: readonly Call[] = [
  { tool: 'health', args: {} },
  { tool: 'summary', args: {} },
  { tool: 'list_servers', args: {} },
  { tool: 'get_server', args: { server_id: 1 } },
  { tool: 'inventory', args: { server_id: 1 } },
  { tool: 'services', args: {} },
  { tool: 'list_jobs', args: {} },
  { tool: 'get_job', args: { job_id: 1 } },
  job('backup', 'backup'),
  job('retention', 'backup'),
  job('os_update_check', 'os'),
  job('os_patch', 'os'),
  job('container_update_check', 'docker'),
  job('container_patch', 'docker'),
  { tool: 'set_features', args: { server_id: 1, backup: true }, feature: 'backup' },
  { tool: 'set_features', args: { server_id: 1, os_patch: true }, feature: 'os' },
  { tool: 'set_features', args: { server_id: 1, docker: false }, feature: 'docker' },
  { tool: 'list_files', args: { server_id: 1 } },
  { tool: 'read_file', args: { server_id: 1, p: 'app/compose.yaml' } },
  { tool: 'write_file', args: { server_id: 1, p: '', name: 'file', text: 'text' } },
  // each of these undoes the one before, so that they can be called again and again
  { tool: 'mkdir', args: { server_id: 1, p: 'app', name: 'made' } },
  { tool: 'rename_file', args: { server_id: 1, p: 'app', src: 'made', dest: 'renamed' } },
  { tool: 'delete_file', args: { server_id: 1, p: 'app/renamed' } },
];

/** All sixteen sets of capabilities, each without and with each feature scope. */
const SETS = Array.from({ length: 2 ** CAPABILITIES.length }, (_, mask) =>
  CAPABILITIES.filter((_name, bit) => mask & (1 << bit)),
).flatMap((held) => [null, ...FEATURE_SCOPES].map((feature) => ({ held, feature })));

const READ_MISSING = {
  code: -32001,
  message: 'This token lacks the scope "read"; ask an operator for a token that has it.',
  data: { code: 'read_scope_missing' },
};
/** Each call adds to the changes of its server. */
function withoutChanges(result: unknown): unknown {
  const { structuredContent, content, ...rest } = result as { structuredContent?: object; content: object[] };
  if (structuredContent === undefined) return result;
  return { ...rest, structuredContent: { ...structuredContent, changes: [] }, notes: content.slice(1) };
}

const unknownTool = (name: string) => ({ code: -32602, message: `Unknown tool: ${name}` });

let fixture: ApiFixture;
/** The results of an unlimited token, in the order of the calls, once all jobs exist. */
const answers: unknown[] = [];
let fullList: readonly { readonly name: string }[] = [];
const call = async (token: string, tool: string, args: object) =>
  (await fixture.rpc(token, 'tools/call', { name: tool, arguments: args })).json;

beforeAll(async () => {
  fixture = await openApiFixture();
  const everything = await fixture.token(CAPABILITIES);
  for (const { tool, args } of CALLS) await call(everything, tool, args);
  for (const { tool, args } of CALLS) answers.push((await call(everything, tool, args)).result);
  fullList = (await fixture.rpc(everything, 'tools/list')).json.result.tools;
});
afterAll(() => fixture.close());

/** Includes one that cannot be created: without a capability, as an old or a damaged database may contain it. */
async function tokenFor(held: readonly Capability[], feature: string | null): Promise<string> {
  const scopes = [...held, ...(feature === null ? [] : [feature])];
  if (held.length > 0) return fixture.token(scopes);
  await expect(fixture.token(scopes)).rejects.toMatchObject({ code: 'invalid_input' });
  const secret = await fixture.token(['read']);
  const { items } = await fixture.stores.tokens.list({ limit: 100, offset: 0 });
  const [stored] = items.toSorted((a, b) => b.id - a.id);
  if (!stored) throw new Error('no token');
  await fixture.stores.tokens.change(stored.id, { ...stored, scopes: scopes as never }, () => ({}));
  return secret;
}

describe('the table of tools and scopes', () => {
  it('has every tool', () => {
    expect(fullList.map(({ name }) => name)).toEqual(Object.keys(SCOPE_OF));
    expect(new Set(CALLS.map(({ tool }) => tool))).toEqual(new Set(Object.keys(SCOPE_OF)));
  });

  it('has an answer to each call that is not a missing right', () => {
    const refusals = answers.map((each) => {
      const { isError, content } = each as { isError?: true; content: [{ text: string }] };
      return isError ? JSON.parse(content[0].text).code : 'done';
    });
    const expected = CALLS.map(({ tool, args, feature }) => {
      if (tool !== 'trigger_job') return 'done';
      if (feature === 'docker') return 'feature_disabled';
      return 'job_type' in args && args.job_type === 'os_patch' ? 'job_type_unavailable' : 'done';
    });
    expect(refusals).toEqual(expected);
  });
});

describe.each(
  SETS.map((set) => [[...set.held, set.feature].filter(Boolean).join(' ') || 'nothing', set] as const),
)('a token for %s', (_name, { held, feature }) => {
  let token: string;
  beforeAll(async () => {
    token = await tokenFor(held, feature);
  });

  it('gets its list of tools, like any other', async () => {
    const { status, json } = await fixture.rpc(token, 'tools/list');
    expect(status).toBe(200);
    if (!held.includes('read')) {
      expect(json.error).toEqual(READ_MISSING);
      return;
    }
    const visible = fullList.filter(({ name }) => held.includes(SCOPE_OF[name] ?? 'files'));
    expect(json.result.tools).toEqual(visible);
  });

  it('may call these, as far as its features reach, and knows no others', async () => {
    for (const [index, { tool, args, feature: touched }] of CALLS.entries()) {
      const { result, error } = await call(token, tool, args);
      const what = `${tool} ${JSON.stringify(args)}`;
      if (!held.includes('read')) expect(error, what).toEqual(READ_MISSING);
      else if (!held.includes(SCOPE_OF[tool] ?? 'files')) expect(error, what).toEqual(unknownTool(tool));
      else if (feature !== null && touched !== undefined && feature !== `feature:${touched}`) {
        const refusal = {
          ok: false,
          status: 403,
          code: 'feature_not_allowed',
          detail: `This token is limited to ${feature}; this needs feature:${touched}.`,
        };
        expect(result, what).toEqual({
          content: [{ type: 'text', text: JSON.stringify(refusal) }],
          isError: true,
        });
      } else if (tool === 'health') {
        expect(result.structuredContent, what).toEqual({
          ok: true,
          scopes: [...held, ...(feature === null ? [] : [feature])],
          missing_scopes: CAPABILITIES.filter((scope) => !held.includes(scope)),
          allowed_features: feature === null ? null : [feature.slice('feature:'.length)],
          client_ip: '127.0.0.1',
        });
      } else expect(withoutChanges(result), what).toEqual(withoutChanges(answers[index]));
    }
    const { error } = await call(token, 'no_such_tool', {});
    expect(error).toEqual(held.includes('read') ? unknownTool('no_such_tool') : READ_MISSING);
  });
});
