import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CATALOGUE } from '../../../../src/adapters/inbound/api/catalogue.ts';
import {
  API_PREFIX,
  type Operation,
  type Route,
  takesBody,
} from '../../../../src/adapters/inbound/api/operation.ts';
import type { ServerGrant } from '../../../../src/domain/access/api-token.ts';
import type { Role } from '../../../../src/domain/access/role.ts';
import { API_JOB_TYPES, type JobType } from '../../../../src/domain/jobs/job-types.ts';
import { addSnapshots } from '../../../support/add-snapshots.ts';
import { type Answer, type ApiFixture, formOf, openApiFixture } from './api-fixture.ts';

/** `seen`: over SSH, and recognised as the service's own machine. */
const KINDS = ['local', 'ssh', 'seen'] as const;
type Kind = (typeof KINDS)[number];

/** How tokens may have come to server 1, and whether that lets them control the service's own machine. */
const TOKENS = {
  /** For all servers. */
  plain: { servers: null, by: null, controls: false },
  /** From before it was kept who named the servers. */
  unknown: { servers: [1], by: null, controls: false },
  operator: { servers: [1], by: 'operator', controls: false },
  /** By a user who was an administrator then. */
  disabled: { servers: [1], by: 'disabled', controls: false },
  administrator: { servers: [1], by: 'administrator', controls: true },
  commandLine: { servers: [1], by: 'cli', controls: true },
  approval: { servers: null, by: null, controls: false, requireApproval: true },
  approvalNamed: { servers: [1], by: 'cli', controls: true, requireApproval: true },
} as const satisfies Record<
  string,
  {
    readonly servers: readonly number[] | null;
    readonly by: Role | 'cli' | 'disabled' | null;
    readonly controls: boolean;
    readonly requireApproval?: true;
  }
>;
type TokenKind = keyof typeof TOKENS;
const HOLDERS = Object.keys(TOKENS) as TokenKind[];

/** Each operation, written down here once more: `control` is for those who control the service's machine. */
const AUTHORITY: Readonly<Record<string, 'control' | 'scope' | 'by job type'>> = {
  overview: 'scope',
  health: 'scope',
  summary: 'scope',
  list_servers: 'scope',
  get_server: 'scope',
  inventory: 'scope',
  services: 'scope',
  list_jobs: 'scope',
  get_job: 'scope',
  trigger_job: 'by job type',
  set_features: 'scope',
  list_files: 'control',
  read_file: 'control',
  write_file: 'control',
  mkdir: 'control',
  rename_file: 'control',
  delete_file: 'control',
  server_inventory: 'scope',
  server_samples: 'scope',
  list_host_changes: 'scope',
  search_packages: 'scope',
  show_cve: 'scope',
  list_notifications: 'scope',
  cancel_job: 'scope',
  get_approval: 'scope',
  start_batch: 'by job type',
  list_batches: 'scope',
  get_batch: 'scope',
  cancel_batch: 'scope',
  add_schedule: 'by job type',
  list_schedules: 'scope',
  get_schedule: 'scope',
  edit_schedule: 'scope',
  run_schedule: 'by job type',
  remove_schedule: 'scope',
  list_windows: 'scope',
  list_policies: 'scope',
  preview_updates: 'scope',
  list_templates: 'scope',
  get_template: 'scope',
  list_deployments: 'scope',
  list_snapshots: 'scope',
  pin_snapshot: 'scope',
  list_sources: 'scope',
  preview_source: 'control',
  list_repositories: 'scope',
  upload_file: 'control',
  download_file: 'control',
};

/** Those that run the current content of a file or template. */
const CONTROLLING_JOBS: readonly JobType[] = ['docker_stack_deploy', 'template_deploy', 'template_redeploy'];

const open = new Map<Kind, { readonly fixture: ApiFixture; readonly tokens: Record<TokenKind, string> }>();

beforeAll(async () => {
  for (const kind of KINDS) {
    const fixture = await openApiFixture();
    const { stores, alpha, clock } = fixture;
    const features = { backup: true, os_patch: true, docker: true };
    await stores.servers.change(
      alpha.id,
      { address: { connection: kind === 'local' ? kind : 'ssh' }, features },
      0,
      () => ({}),
    );
    await stores.servers.learn(alpha.id, { onOwnMachine: kind === 'seen' });
    await addSnapshots(fixture);
    const grants: Record<string, ServerGrant | null> = { cli: { label: 'cli:root', userId: null } };
    for (const name of ['administrator', 'operator', 'disabled'] as const) {
      const role: Role = name === 'operator' ? 'operator' : 'administrator';
      const user = { name, role, createdBy: 'cli:root', createdAt: clock.now() };
      const { id } = await stores.users.add(user, () => ({}));
      if (name === 'disabled') await stores.users.change(id, { disabledAt: clock.now() }, () => ({}));
      grants[name] = { label: `user:${name}`, userId: id };
    }
    const tokens = {} as Record<TokenKind, string>;
    for (const holder of HOLDERS) {
      const { servers, by, ...more } = { requireApproval: false, ...TOKENS[holder] };
      const { requireApproval } = more;
      const scopes = ['read', 'jobs', 'edit', 'files'];
      tokens[holder] = await fixture.token(scopes, { allowedServerIds: servers, requireApproval });
      const [made] = (await stores.tokens.list({ limit: 1, offset: 0 })).items;
      if (!made) throw new Error('no token');
      const serversGrantedBy = by === null ? null : (grants[by] ?? null);
      await stores.tokens.change(made.id, { ...made, serversGrantedBy }, () => ({}));
    }
    open.set(kind, { fixture, tokens });
  }
});
afterAll(() => Promise.all([...open.values()].map(({ fixture }) => fixture.close())));

function at(kind: Kind) {
  const found = open.get(kind);
  if (!found) throw new Error(kind);
  return found;
}

const INPUTS: Readonly<Record<string, Record<string, unknown>>> = {
  list_files: { server_id: 1, p: 'app' },
  read_file: { server_id: 1, p: 'app/compose.yaml' },
  download_file: { server_id: 1, p: 'app/compose.yaml' },
};

const inputOf = (operation: Operation): Record<string, unknown> => ({
  ...(INPUTS[operation.name] ?? operation.examples[0]?.input),
});

function askRest(kind: Kind, holder: TokenKind, operation: Operation, route: Route): Promise<Answer> {
  const { fixture, tokens } = at(kind);
  const rest = inputOf(operation);
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest[name] ?? 1;
    delete rest[name];
    return encodeURIComponent(typeof value === 'string' ? value : JSON.stringify(value));
  });
  const common = { method: route.method, token: tokens[holder] };
  if (operation.form === 'upload') {
    return fixture.request(`${API_PREFIX}${path}`, { ...common, ...formOf(rest, 'logo.png', 'hello') });
  }
  if (takesBody(route)) return fixture.request(`${API_PREFIX}${path}`, { ...common, json: rest });
  const query = new URLSearchParams(Object.entries(rest).map(([name, value]) => [name, String(value)]));
  return fixture.request(`${API_PREFIX}${path}?${query}`, common);
}

const callTool = async (kind: Kind, holder: TokenKind, name: string, input: object): Promise<string> => {
  const { fixture, tokens } = at(kind);
  return (await fixture.rpc(tokens[holder], 'tools/call', { name, arguments: input })).text;
};

const isRefused = (text: string): boolean => text.includes('own_machine_restricted');
/** A token that needs approval may get that refusal first. */
const isTold = (holder: TokenKind, text: string): boolean =>
  isRefused(text) || (holder === 'approval' && text.includes('approval_required'));

const mayControl = (kind: Kind, holder: TokenKind): boolean => kind === 'ssh' || TOKENS[holder].controls;

const CASES = KINDS.flatMap((kind) => HOLDERS.map((holder) => [kind, holder] as const));

describe('Who may what over REST and MCP', () => {
  it('is said for every operation', () => {
    expect(CATALOGUE.map(({ name }) => name).toSorted()).toEqual(Object.keys(AUTHORITY).toSorted());
  });

  it.each(CASES)('holds on a server of kind %s for a token of kind %s', async (kind, holder) => {
    const wrong: string[] = [];
    for (const operation of CATALOGUE) {
      const isFree = AUTHORITY[operation.name] !== 'control' || mayControl(kind, holder);
      const answers = [];
      for (const route of operation.routes)
        answers.push((await askRest(kind, holder, operation, route)).text);
      if (operation.tool) answers.push(await callTool(kind, holder, operation.name, inputOf(operation)));
      for (const text of answers) {
        if (isFree ? isRefused(text) : !isTold(holder, text)) wrong.push(`${operation.name}: ${text}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it.each(CASES)('applies to each type of job: %s, %s', async (kind, holder) => {
    const { fixture, tokens } = at(kind);
    for (const job_type of API_JOB_TYPES) {
      const json = {
        job_type,
        ...(/docker_stack|template/.test(job_type) ? { source_filter: '/srv/compose/app' } : {}),
        ...(job_type === 'template_deploy' ? { template: 'demo' } : {}),
      };
      const { text } = await fixture.request('/api/v1/servers/1/jobs', {
        method: 'POST',
        token: tokens[holder],
        json,
      });
      const isFree = !CONTROLLING_JOBS.includes(job_type) || mayControl(kind, holder);
      expect([job_type, isRefused(text)]).toEqual([job_type, !isFree]);
    }
  });

  it('leaves the files of the machine as they were for those who may not', async () => {
    const { fixture, tokens } = at('local');
    for (const holder of HOLDERS.filter((each) => !TOKENS[each].controls)) {
      await callTool('local', holder, 'write_file', {
        server_id: 1,
        p: '',
        name: `${holder}.mjs`,
        text: 'x',
      });
      expect(fixture.files.at(`/srv/compose/${holder}.mjs`) ?? null).toBeNull();
    }
    await fixture.request('/api/v1/servers/1/files', {
      method: 'POST',
      token: tokens.commandLine,
      ...formOf({ p: '' }, 'allowed.txt', 'x'),
    });
    expect(fixture.files.at('/srv/compose/allowed.txt')?.kind).toBe('file');
  });
});
