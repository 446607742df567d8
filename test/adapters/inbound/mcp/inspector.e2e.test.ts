import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { installedMcpTools } from '../../../../scripts/lib/mcp-tools.mjs';
import { newerNode } from '../../../../scripts/lib/newer-node.mjs';
import { capture } from '../../../../scripts/lib/programs.mjs';
import { CATALOGUE } from '../../../../src/adapters/inbound/api/catalogue.ts';
import { CAPABILITIES } from '../../../../src/domain/access/scope.ts';
import { describeWith } from '../../../support/capabilities.ts';
import { type ApiFixture, openApiFixture } from '../http/api-fixture.ts';
import { PROGRAM } from '../stdio/adapter-process.ts';

const TOOLS = CATALOGUE.flatMap(({ name, tool }) => (tool ? [name] : []));

/** What the Inspector's exit codes mean: https://github.com/modelcontextprotocol/inspector, clients/cli. */
const EXIT = { done: 0, failed: 1, unauthorized: 3, toolError: 5 };

describeWith(['mcpTools', 'newerNode'], "The Inspector's command line", () => {
  let fixture: ApiFixture;
  let home: string;
  beforeAll(async () => {
    fixture = await openApiFixture();
    home = await mkdtemp(join(tmpdir(), 'drover-inspector-'));
  });
  afterAll(async () => {
    await fixture.close();
    await rm(home, { recursive: true, force: true });
  });

  const inspect = (...args: readonly string[]) => {
    const program = '@modelcontextprotocol/inspector/clients/launcher/build/index.js';
    const path = join(installedMcpTools() ?? '', 'node_modules', program);
    return capture(newerNode() ?? '', [path, '--cli', ...args], { env: { HOME: home } });
  };
  const overHttp = (token: string) => [
    `${fixture.base}/mcp`,
    '--transport',
    'http',
    '--header',
    `Authorization: Bearer ${token}`,
  ];
  const overStdio = (token: string) => [
    process.execPath,
    PROGRAM,
    '-e',
    `SERVICE_URL=${fixture.base}`,
    '-e',
    `SERVICE_TOKEN=${token}`,
  ];

  test.each([
    ['HTTP', overHttp],
    ['stdio', overStdio],
  ])('lists all tools over %s, with schemas that nothing is wrong with', async (_way, reach) => {
    const target = reach(await fixture.token(CAPABILITIES));
    const { code, stdout, output } = await inspect(...target, '--method', 'tools/list', '--strict');
    expect({ code, output }).toEqual({ code: EXIT.done, output: stdout });
    const { tools } = JSON.parse(stdout) as { tools: { name: string }[] };
    expect(tools.map(({ name }) => name)).toEqual(TOOLS);
  });

  test.each([
    ['HTTP', overHttp],
    ['stdio', overStdio],
  ])('calls a tool over %s, and tells a refusal from a result', async (_way, reach) => {
    const call = ['--method', 'tools/call', '--tool-name', 'get_server', '--tool-arg'];
    const target = reach(await fixture.token(['read']));
    const found = await inspect(...target, ...call, 'server_id=1');
    expect(found.code).toBe(EXIT.done);
    expect(JSON.parse(found.stdout)).toMatchObject({ structuredContent: { name: 'alpha' } });
    const missing = await inspect(...target, ...call, 'server_id=99');
    expect(missing.code).toBe(EXIT.toolError);
    expect(missing.stdout).toContain('server_not_found');
  });

  test('gets the reason for refusing a token', async () => {
    const list = ['--method', 'tools/list'];
    expect((await inspect(...overHttp('drv_wrong'), ...list)).code).toBe(EXIT.unauthorized);
    const blind = await inspect(...overHttp(await fixture.token(['jobs'])), ...list);
    expect(blind).toMatchObject({ code: EXIT.failed, output: expect.stringContaining('scope \\"read\\"') });
  });
});
