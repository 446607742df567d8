import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { openDatabase } from '../../src/adapters/outbound/storage/sql/database.ts';
import { DAY } from '../../src/domain/base/instant.ts';
import { allPages, shellCommands } from '../docs/markdown.ts';
import { Agent } from '../support/agent.ts';
import { describeWith } from '../support/capabilities.ts';
import { freePort } from '../support/free-port.ts';
import { newJob } from '../support/job-subject.ts';
import { eventually, kill, spawnBound } from '../support/processes.ts';
import { Service } from '../support/service.ts';
import { sqlStores } from '../support/sql-stores.ts';
import { newServer, noRecord } from '../support/stores-subject.ts';
import { alerts, dashboardQueries, namedSeries, PROMETHEUS } from './kit.ts';

const guide = (await allPages()).find(({ path }) => path === 'docs/how-to/monitoring.md');
const commands = guide ? shellCommands(guide, /^sh prometheus$/) : [];
const commandOf = (program: string): string => commands.find((each) => each.includes(program)) ?? 'false';

const Targets = z.object({
  data: z.object({
    activeTargets: z.array(z.object({ scrapePool: z.string(), health: z.string(), lastError: z.string() })),
  }),
});
const Result = z.object({ status: z.literal('success'), data: z.object({ result: z.array(z.unknown()) }) });
const Rules = z.object({
  data: z.object({
    groups: z.array(z.object({ rules: z.array(z.object({ name: z.string(), health: z.string() })) })),
  }),
});

describeWith('prometheus', 'Prometheus, with the kit and as docs/how-to/monitoring.md says', () => {
  let dir: string;
  let service: Service;
  let prometheus: ChildProcess;
  let api: string;

  /** As a user types it, in a shell, below a copy of deploy. */
  async function type(command: string, input = ''): Promise<{ code: number | null; output: string }> {
    const child = spawn('sh', ['-c', command], { cwd: dir, stdio: 'pipe' });
    child.stdin.end(input);
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => (output += String(chunk)));
    const [code] = await once(child, 'close');
    return { code, output };
  }

  async function get<T>(shape: z.ZodType<T>, path: string, query: Record<string, string> = {}): Promise<T> {
    const response = await fetch(`${api}/api/v1/${path}?${new URLSearchParams(query).toString()}`);
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} ${JSON.stringify(query)}: ${text}`);
    return shape.parse(JSON.parse(text));
  }

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'drover-prometheus-'));
    await cp(PROMETHEUS, join(dir, 'deploy/prometheus'), { recursive: true });
    expect(await type(commandOf('openssl'))).toMatchObject({ code: 0 });
    const tokenFile = /METRICS_TOKEN_FILE=(\S+)/.exec(commandOf('npm start'))?.[1] ?? 'none';
    service = await Service.start({
      settings: { METRICS_TOKEN_FILE: join(dir, tokenFile), METRICS_PER_SERVER: '1' },
    });
    await fill(service);
    const config = join(dir, 'deploy/prometheus/prometheus.yml');
    const text = await readFile(config, 'utf8');
    await writeFile(
      config,
      text.replaceAll('localhost:8888', `127.0.0.1:${service.port}`).replaceAll(' 30s', ' 1s'),
    );
    const port = await freePort();
    api = `http://127.0.0.1:${port}`;
    const [program = '', ...args] = commandOf('prometheus --config').split(' ');
    prometheus = spawnBound(program, [
      ...args.map((arg) => arg.replace('=deploy', `=${join(dir, 'deploy')}`)),
      `--storage.tsdb.path=${join(dir, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=warn',
    ]);
    prometheus.stderr?.resume();
    await eventually('both targets are up', 60_000, async () => {
      const targets = await get(Targets, 'targets').catch(() => null);
      const healths = targets?.data.activeTargets.map(({ health }) => health);
      return healths?.length === 2 && healths.every((health) => health === 'up') ? true : undefined;
    });
  });

  afterAll(async () => {
    if (prometheus) await kill(prometheus);
    await service?.remove();
    await rm(dir, { recursive: true, force: true });
  });

  test('the configuration and rules are clean', async () => {
    const checked = await type(commandOf('promtool'));
    expect(checked).toMatchObject({ code: 0, output: expect.stringContaining('SUCCESS') });
    expect(await type('promtool check rules deploy/prometheus/drover-rules.yml')).toMatchObject({ code: 0 });
  });

  test('the rules fire where they are to, and nowhere else', async () => {
    const { code, output } = await type(
      'cd deploy/prometheus && promtool test rules drover-rules.test.yml drover-rules-slow.test.yml',
    );
    expect({ code, output }).toMatchObject({ code: 0, output: expect.not.stringContaining('FAILED') });
  });

  test.each(['/metrics', '/metrics/process'])('promtool has nothing to say about %s', async (path) => {
    const token = (await readFile(String(service.settings['METRICS_TOKEN_FILE']), 'utf8')).trim();
    const page = await fetch(`${service.url}${path}`, { headers: { 'X-Metrics-Token': token } });
    expect(page.status).toBe(200);
    expect(await type('promtool check metrics', await page.text())).toEqual({ code: 0, output: '' });
  });

  test('without the token nothing is scraped', async () => {
    expect((await fetch(`${service.url}/metrics`)).status).toBe(401);
  });

  test('every rule is loaded and well', async () => {
    const expected = await alerts();
    await eventually('every rule was evaluated', 60_000, async () => {
      const { data } = await get(Rules, 'rules');
      const rules = data.groups.flatMap((group) => group.rules);
      if (rules.some(({ health }) => health === 'err')) throw new Error(JSON.stringify(rules));
      const well = rules.filter(({ health }) => health === 'ok').map(({ name }) => name);
      return well.length === expected.length ? true : undefined;
    });
  });

  test('every alert asks for series that are there', async () => {
    for (const { expr } of await alerts()) {
      await get(Result, 'query', { query: expr });
      for (const name of namedSeries(expr)) {
        const { data } = await get(Result, 'query', { query: name });
        expect({ name, found: data.result.length > 0 }).toEqual({ name, found: true });
      }
    }
  });

  test('every query of the dashboard returns data', async () => {
    const agent = await Agent.connect(service.url, await service.token('read,jobs'));
    const silent: string[] = [];
    for (const { panel, query } of await dashboardQueries()) {
      const found = await eventually(
        query,
        // Rates need two scrapes after the first call.
        30_000,
        async () => {
          await agent.call('list_servers');
          await agent.call('get_server', { server_id: 999 });
          return (await get(Result, 'query', { query })).data.result.length > 0 ? true : undefined;
        },
        500,
      ).catch(() => false);
      if (!found) silent.push(`${panel}: ${query}`);
    }
    expect(silent).toEqual([]);
  });
});

/** Servers, jobs and tokens that give every number of the dashboard something to show. */
async function fill(service: Service): Promise<void> {
  const database = openDatabase({ url: null, dataDir: service.dataDir });
  const stores = sqlStores(database);
  const now = Date.now();
  for (const name of ['alpha', 'beta', 'gamma']) {
    const features = { backup: true, os_patch: true, docker: true };
    const { id } = await stores.servers.add(newServer(name, { features }), now, noRecord);
    await stores.servers.learn(id, {
      osPretty: 'Debian GNU/Linux 12 (bookworm)',
      lastBackupAt: now - 3 * DAY,
      lastSeenAt: now - DAY,
      rebootPending: true,
      osUpdatesCount: 12,
      securityUpdatesCount: 3,
      containerUpdatesCount: 1,
      inventoryAt: now,
    });
    // It never runs: it waits for approval.
    const requester = { kind: 'token', id, name: 'agent', address: null, label: 'token:agent' } as const;
    const approval = { requester, expiresAt: now + DAY };
    const waiting = newJob(id, 'backup', { status: 'awaiting_approval', at: now });
    await stores.jobs.enqueue({ ...waiting, approval }, noRecord);
  }
  await database.close();
}
