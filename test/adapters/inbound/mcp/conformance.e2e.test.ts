import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { installedMcpTools } from '../../../../scripts/lib/mcp-tools.mjs';
import { newerNode } from '../../../../scripts/lib/newer-node.mjs';
import { capture } from '../../../../scripts/lib/programs.mjs';
import { CAPABILITIES } from '../../../../src/domain/access/scope.ts';
import { expectedFailures, type Verdict, verdictIn } from '../../../mcp-tools/conformance.ts';
import { headerProxy } from '../../../mcp-tools/header-proxy.ts';
import { describeWith } from '../../../support/capabilities.ts';
import { openDoors } from '../http/doors.ts';

/** Runs all of the suite's scenarios for servers against this service. */
async function verdictOf(node: string, suite: string, more: readonly string[]): Promise<Verdict> {
  const results = await mkdtemp(join(tmpdir(), 'drover-conformance-'));
  const doors = await openDoors({ allowedHosts: ['127.0.0.1'] });
  const proxy = await headerProxy(doors.port, await doors.token(CAPABILITIES));
  try {
    const program = join(installedMcpTools() ?? '', 'node_modules', suite, 'dist', 'index.js');
    const args = ['server', '--url', proxy.url, '--suite', 'all', '--output-dir', results, ...more];
    const { output } = await capture(node, [program, ...args], { cwd: results });
    expect(output).toContain('=== SUMMARY ===');
    return await verdictIn(results);
  } finally {
    await proxy.close();
    await doors.close();
    await rm(results, { recursive: true, force: true });
  }
}

/** `must`: scenarios of which nothing may fail. */
async function holds({ passed, failed }: Verdict, must: readonly string[]): Promise<void> {
  const expected = await expectedFailures();
  expect([...failed].filter(([check]) => !expected.has(check))).toEqual([]);
  expect(passed.filter((check) => expected.has(check))).toEqual([]);
  const scenarioOf = (check: string): string => check.split(' ')[0] ?? '';
  expect(must.filter((scenario) => !passed.some((check) => scenarioOf(check) === scenario))).toEqual([]);
  expect([...failed.keys()].filter((check) => must.includes(scenarioOf(check)))).toEqual([]);
}

const LEGACY = ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection'];
const MODERN = ['tools-list', 'dns-rebinding-protection', 'http-header-validation'];

describeWith('mcpTools', 'The conformance suite 0.1.13', () => {
  test('finds nothing that was not to be expected', async () => {
    await holds(await verdictOf(process.execPath, 'conformance', []), LEGACY);
  });
});

describeWith(['mcpTools', 'newerNode'], 'The conformance suite 0.2.0-alpha.12', () => {
  test.each([
    ['2025-11-25', LEGACY, 30],
    ['2026-07-28', MODERN, 75],
  ])('finds nothing that was not to be expected of %s', async (revision, must, fewest) => {
    const found = await verdictOf(newerNode() ?? '', 'conformance-next', ['--spec-version', revision]);
    await holds(found, must);
    expect(found.passed.length).toBeGreaterThanOrEqual(fewest);
  });
});
