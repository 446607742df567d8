import { chmod, mkdir, mkdtemp, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { McpError } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import { snapshotSchema } from '../../src/adapters/inbound/api/views/snapshot-view.ts';
import { tokenSchema } from '../../src/adapters/inbound/api/views/token-view.ts';
import { openDatabase } from '../../src/adapters/outbound/storage/sql/database.ts';
import { Agent } from '../support/agent.ts';
import { describeWith } from '../support/capabilities.ts';
import { freshMariaDb } from '../support/mariadb.ts';
import { eventually } from '../support/processes.ts';
import { RestClient } from '../support/rest-client.ts';
import { type ServiceOptions, useService } from '../support/service.ts';
import { treeOf } from '../support/tree.ts';

const Token = tokenSchema.extend({ secret: z.string() });
const Snapshots = z.object({ snapshots: z.tuple([snapshotSchema]), total: z.literal(1) });
/** What an agent waits for. */
const Ended = z.looseObject({ done: z.boolean() });
const Restored = z.object({ files: z.int() });

const LIST_TOOLS = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

interface Kind {
  readonly options: () => Promise<ServiceOptions>;
  /** The tokens in a snapshot's copy: names by prefix. */
  readonly tokensIn: (exported: string) => Promise<Record<string, string>>;
  readonly drop: () => Promise<void>;
}

const sqlite: Kind = {
  options: async () => ({}),
  tokensIn: async (exported) => {
    const copy = openDatabase({ url: null, dataDir: exported });
    try {
      const rows = await copy.knex('api_tokens').select<{ prefix: string; name: string }[]>();
      return Object.fromEntries(rows.map(({ prefix, name }) => [prefix, name]));
    } finally {
      await copy.close();
    }
  },
  drop: async () => {},
};

function mariaDb(): Kind {
  const made: { drop: () => Promise<void> }[] = [];
  return {
    options: async () => {
      const database = await freshMariaDb();
      made.push(database);
      return { settings: { SERVICE_DATABASE_URL: database.url } };
    },
    tokensIn: async (exported) => {
      const lines = (await readFile(join(exported, 'drover.jsonl'), 'utf8')).trim().split('\n');
      const values: unknown[] = lines.map((line) => JSON.parse(line));
      const Table = z.object({ table: z.string(), columns: z.array(z.string()) });
      const start = values.findIndex((value) => Table.safeParse(value).data?.table === 'api_tokens');
      const { columns } = Table.parse(values[start]);
      const rows: string[][] = [];
      for (const value of values.slice(start + 1)) {
        if (!Array.isArray(value)) break;
        rows.push(value);
      }
      const at = (row: string[], column: string): string => row[columns.indexOf(column)] ?? '';
      return Object.fromEntries(rows.map((row) => [at(row, 'prefix'), at(row, 'name')]));
    },
    drop: async () => {
      for (const { drop } of made) await drop();
    },
  };
}

function journey(kind: Kind): void {
  afterAll(kind.drop);
  const service = useService(kind.options);
  let token: z.output<typeof Token>;
  let agent: Agent;
  let rest: RestClient;
  let restored: string;
  beforeAll(async () => {
    restored = await mkdtemp(join(tmpdir(), 'drover-restored-'));
    await putOddFiles(join(service().dataDir, 'notes'));
    const asked = ['token', 'create', '--name', 'mcp-try', '--scopes', 'read,jobs'];
    token = await service().ask(Token, asked);
    agent = await Agent.connect(service().url, token.secret);
    rest = new RestClient(service().url, token.secret);
  });
  afterAll(async () => {
    await agent.close();
    await rm(restored, { recursive: true, force: true });
  });

  it('offers exactly the tools of the scopes', async () => {
    const { tools } = await agent.client.listTools();
    const reading = 'health summary list_servers get_server inventory services list_jobs get_job'.split(' ');
    expect(tools.map(({ name }) => name)).toEqual([...reading, 'trigger_job']);
    const reader = await Agent.connect(service().url, await service().token('read', 'mcp-read'));
    expect((await reader.client.listTools()).tools.map(({ name }) => name)).toEqual(reading);
    await reader.close();
    const blind = Agent.connect(service().url, await service().token('jobs', 'mcp-blind'));
    await expect(blind).rejects.toThrow(McpError);
  });

  it('backs the service up when the agent says so, and tells it how the job goes', async () => {
    const started = await agent.call('trigger_job', { server_id: 1, job_type: 'backup' });
    expect(started).toMatchObject({ isError: false, body: { http_status: 202, status: 'pending' } });
    const { job_id } = z.object({ job_id: z.int() }).parse(started.body);
    const job = await eventually('the backup has ended', 60_000, async () => {
      const { body } = await agent.call('get_job', { job_id });
      const seen = Ended.parse(body);
      return seen.done ? seen : undefined;
    });
    expect(job).toMatchObject({ status: 'success', requested_by: 'token:mcp-try' });
    const { body } = await agent.call('get_job', { job_id, detail: true });
    expect(await rest.job(job_id)).toMatchObject(body);
    expect((await agent.call('get_server', { server_id: 1 })).body).toMatchObject({
      last_backup_at: expect.stringMatching(/^\d{4}-/),
    });
  });

  it('restores from the snapshot, byte for byte, what is in the data directory, but not the master key', async () => {
    const { snapshots } = await service().ask(Snapshots, ['snapshot', 'list', '1']);
    expect((await rest.get('/api/v1/servers/1/snapshots')).body).toMatchObject({ snapshots });
    const [{ id, name }] = snapshots;
    const { dataDir } = service();
    const original = await treeOf(dataDir, (entry) => /^(backups|drover\.sqlite.*|master\.key)$/.test(entry));
    expect(Object.keys(original).length).toBeGreaterThan(8);
    expect(await treeOf(join(dataDir, 'backups/1/1/snapshots', name, 'files', dataDir))).toEqual(original);
    const { files } = await service().ask(Restored, ['restore', String(id), '--to', restored]);
    expect(files).toBe(Object.values(original).filter((each) => !each.startsWith('directory')).length);
    expect(await treeOf(join(restored, dataDir))).toEqual(original);
  });

  it('has a whole copy of the database in it', async () => {
    const tokens = await kind.tokensIn(join(restored, service().dataDir, 'export'));
    expect(tokens[token.token_prefix]).toBe('mcp-try');
  });

  it('asks those without a token for a bearer token and nothing more, and streams to none of them', async () => {
    for (const secret of [null, 'drv_nonsense', `${token.secret}x`]) {
      const refused = await new RestClient(service().url, secret).post('/mcp', LIST_TOOLS);
      expect(refused.status).toBe(401);
      expect(refused.headers.get('WWW-Authenticate')).toBe('Bearer');
    }
    const got = await rest.get('/mcp');
    expect([got.status, got.headers.get('Allow')]).toEqual([405, 'POST, OPTIONS']);
  });

  it('refuses a token within five seconds after the command line rotated or revoked it', async () => {
    const refused = async (secret: string): Promise<void> => {
      await eventually('the token is refused', 5_000, async () => {
        const { status } = await new RestClient(service().url, secret).get('/api/v1/health');
        return status === 401 ? true : undefined;
      });
    };
    expect((await agent.call('health')).body).toMatchObject({ ok: true });
    const rotated = await service().ask(Token, ['token', 'rotate', String(token.id)]);
    await refused(token.secret);
    await expect(agent.call('health')).rejects.toThrow(/401|Unauthorized|valid API token/);
    const next = new RestClient(service().url, rotated.secret);
    expect((await next.get('/api/v1/health')).status).toBe(200);
    expect(await service().cli(['token', 'revoke', String(token.id)])).toMatchObject({ code: 0 });
    await refused(rotated.secret);
  });
}

/** What a backup easily gets wrong. */
async function putOddFiles(directory: string): Promise<void> {
  await mkdir(join(directory, 'empty'), { recursive: true });
  await writeFile(join(directory, 'a\nb "c" \'d\' $(touch x) *'), 'odd name');
  await writeFile(Buffer.concat([Buffer.from(join(directory, 'latin-')), Buffer.from([0xe9])]), 'no UTF-8');
  await writeFile(join(directory, 'nothing'), '');
  await writeFile(join(directory, 'old'), 'x'.repeat(100_000));
  await utimes(join(directory, 'old'), new Date(0), new Date(86_400_000));
  await chmod(join(directory, 'old'), 0o4511);
  await symlink('/nowhere', join(directory, 'dangling'));
  await chmod(join(directory, 'empty'), 0o1777);
}

describeWith('rsync', 'an agent, on SQLite', () => journey(sqlite));
describeWith(['rsync', 'mariadb'], 'an agent, on MariaDB', () => journey(mariaDb()));
