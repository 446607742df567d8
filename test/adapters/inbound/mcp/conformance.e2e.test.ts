import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { installedMcpTools } from '../../../../scripts/lib/mcp-tools.mjs';
import { newerNode } from '../../../../scripts/lib/newer-node.mjs';
import { capture } from '../../../../scripts/lib/programs.mjs';
import { CAPABILITIES } from '../../../../src/domain/access/scope.ts';
import { type Verdict, verdictIn } from '../../../mcp-tools/conformance.ts';
import { fixtureRoute } from '../../../mcp-tools/fixtures/fixture-route.ts';
import { headerProxy } from '../../../mcp-tools/header-proxy.ts';
import { describeWith } from '../../../support/capabilities.ts';
import { openApiFixture } from '../http/api-fixture.ts';

const LOOPBACK = ['127.0.0.1'];

async function runSuite(suite: 'conformance' | 'conformance-next', url: string, args: readonly string[]) {
  const results = await mkdtemp(join(tmpdir(), 'drover-conformance-'));
  try {
    const program = join(installedMcpTools() ?? '', 'node_modules', suite, 'dist', 'index.js');
    const node = suite === 'conformance' ? process.execPath : (newerNode() ?? '');
    const options = ['server', '--url', url, '--output-dir', results, ...args];
    const { output } = await capture(node, [program, ...options], { cwd: results });
    return { output, verdict: await verdictIn(results) };
  } finally {
    await rm(results, { recursive: true, force: true });
  }
}

/** The suite against its own tools, prompts and resources, on Drover's dispatcher and HTTP server. */
async function againstFixtures(suite: Parameters<typeof runSuite>[0], args: readonly string[]) {
  const fixture = await openApiFixture({ allowedHosts: LOOPBACK, mcp: fixtureRoute() });
  try {
    return await runSuite(suite, `${fixture.base}/mcp`, args);
  } finally {
    await fixture.close();
  }
}

async function againstDrover(suite: Parameters<typeof runSuite>[0], args: readonly string[]) {
  const fixture = await openApiFixture({ allowedHosts: LOOPBACK });
  const proxy = await headerProxy(fixture.port, await fixture.token(CAPABILITIES));
  try {
    return await runSuite(suite, proxy.url, args);
  } finally {
    await proxy.close();
    await fixture.close();
  }
}

const scenariosOf = (checks: readonly string[]) => new Set(checks.map((check) => check.split(' ')[0] ?? ''));

function allPassed({ passed, failed }: Verdict, scenarios: readonly string[]): void {
  expect(failed).toEqual([]);
  expect(scenarios.filter((scenario) => !scenariosOf(passed).has(scenario))).toEqual([]);
}

const Requirements = z.object({
  server: z.array(z.string()),
  not_scored: z.array(z.object({ scenario: z.string(), reason: z.string() })),
});

async function requirementsOf(revision: string) {
  const directory = join(installedMcpTools() ?? '', 'node_modules', 'conformance-next', 'requirements');
  return Requirements.parse(parse(await readFile(join(directory, `${revision}.yaml`), 'utf8')));
}

/** Those that need no fixture: Drover's own endpoint has to pass them as it is. */
const OWN = {
  '2025-11-25': ['server-initialize', 'ping', 'tools-list', 'prompts-list', 'dns-rebinding-protection'],
  '2026-07-28': [
    'tools-list',
    'prompts-list',
    'dns-rebinding-protection',
    'http-header-validation',
    'input-required-result-unsupported-methods',
  ],
} as const;

describeWith('mcpTools', 'The conformance suite 0.1.13', () => {
  test('passes in full on the dispatcher', async () => {
    const { output, verdict } = await againstFixtures('conformance', ['--suite', 'active']);
    expect(output).toContain('=== SUMMARY ===');
    allPassed(verdict, OWN['2025-11-25']);
  });
});

describeWith(['mcpTools', 'newerNode'], 'The conformance suite 0.2.0-alpha.12', () => {
  test.each(['2025-11-25', '2026-07-28'])('has all its requirements of %s fulfilled', async (revision) => {
    const { server, not_scored: extras } = await requirementsOf(revision);
    const { verdict } = await againstFixtures('conformance-next', ['--requirements', revision]);
    const extensions = extras.filter(({ reason }) => reason === 'extension').map(({ scenario }) => scenario);
    const scored = (checks: readonly string[]) =>
      checks.filter((check) => !extensions.includes(check.split(' ')[0] ?? ''));
    allPassed({ ...verdict, failed: scored(verdict.failed) }, server);
    expect(scored(verdict.warned)).toEqual([]);
  });

  test.each(Object.entries(OWN))('passes on Drover’s own tools in %s', async (revision, scenarios) => {
    const { verdict } = await againstDrover('conformance-next', [
      '--suite',
      'all',
      '--spec-version',
      revision,
    ]);
    const failed = verdict.failed.filter((check) => scenarios.some((each) => check.startsWith(`${each} `)));
    allPassed({ ...verdict, failed }, scenarios);
  });
});
