import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mcpBundle } from '../../../../scripts/lib/mcp-bundle.ts';
import { type ApiFixture, openApiFixture } from '../http/api-fixture.ts';
import { AdapterProcess } from './adapter-process.ts';

let fixture: ApiFixture;
let directory: string;
beforeAll(async () => {
  fixture = await openApiFixture();
  directory = await mkdtemp(join(tmpdir(), 'drover-bundle-'));
});
afterAll(async () => {
  await fixture.close();
  await rm(directory, { recursive: true });
});

test('The MCP bundle works unpacked, started as its manifest says, without any package beside it', async () => {
  const archive = join(directory, 'drover.mcpb');
  await writeFile(archive, await mcpBundle());
  await promisify(execFile)('python3', ['-m', 'zipfile', '-e', archive, directory]);
  const { server } = JSON.parse(await readFile(join(directory, 'manifest.json'), 'utf8'));
  const given: Readonly<Record<string, string>> = {
    __dirname: directory,
    'user_config.service_url': fixture.base,
    'user_config.service_token': await fixture.token(['read']),
    'user_config.service_ca_file': '',
  };
  const filled = (text: string): string => text.replace(/\$\{([\w.]+)\}/g, (_, name) => given[name] ?? '?');
  const { command, args, env } = server.mcp_config;
  expect(command).toBe('node');
  const adapter = new AdapterProcess(
    Object.fromEntries(Object.entries<string>(env).map(([name, value]) => [name, filled(value)])),
    { program: args.map(filled) },
  );
  const about = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  };
  expect(await adapter.request(1, 'initialize', about)).toMatchObject({
    result: { serverInfo: { name: 'drover' } },
  });
  expect(await adapter.request(2, 'tools/call', { name: 'health' })).toMatchObject({
    result: { structuredContent: { ok: true, scopes: ['read'] } },
  });
  adapter.child.stdin.end();
  expect(await adapter.ended).toEqual({ code: 0, stderr: '' });
});
