import { ensureInstalled, ensureReady } from './ensure.mjs';
import { provision } from './lib/provision.mjs';
import { smokeChecks, staticChecks } from './lib/static-checks.mjs';
import { runSuite } from './lib/suite.mjs';
import { summary } from './lib/tally.mjs';

// npm test [-- FILTER…]   all checks and tests; with filters only the test files whose paths contain one
// npm run torture         at their long counts, the files named *.torture.* (or those that the filters name)
// TEST_REQUIRE_ALL=1      what cannot run here has failed
// DROVER_SMOKE_NODE=PATH  starts the service on this Node too

const args = process.argv.slice(2);
const torture = args.includes('--torture');
const filters = args.filter((arg) => !arg.startsWith('-'));
const unknown = args.filter((arg) => arg.startsWith('-') && arg !== '--torture');
const requireAll = process.env['TEST_REQUIRE_ALL'] === '1';

/** @param {string} line */
const say = (line) => void process.stdout.write(`${line}\n`);

process.exitCode = unknown.length > 0 ? refuse() : await main();

function refuse() {
  say(`unknown option: ${unknown.join(' ')}\nusage: npm test [-- FILTER…]`);
  return 2;
}

async function main() {
  /** @type {import('./lib/tally.mjs').Tally} */
  const all = { passed: 0, failures: [], notRun: [] };
  if (await passes(all, { name: 'packages', run: () => ensureInstalled() })) {
    await passes(all, { name: 'build', run: () => ensureReady() });
    const capabilities = await provision(say);
    if (filters.length === 0 && !torture) {
      const smoke = smokeChecks(process.env['DROVER_SMOKE_NODE']);
      for (const check of [...staticChecks(), ...smoke]) await passes(all, check);
    }
    await suite(all, capabilities);
  }
  const { lines, code } = summary(all, requireAll);
  for (const line of lines) say(line);
  return code;
}

/**
 * @param {import('./lib/tally.mjs').Tally} all
 * @param {import('./lib/capabilities.mjs').Capabilities} capabilities
 */
async function suite(all, capabilities) {
  const { counted, left } = await runSuite({
    filters: torture && filters.length === 0 ? ['.torture.'] : filters,
    isolated: capabilities.fleet === true,
    env: {
      DROVER_TEST_CAPABILITIES: JSON.stringify(capabilities),
      ...(torture ? { DROVER_TORTURE: '1' } : {}),
    },
  });
  all.passed += counted.passed;
  all.failures.push(...counted.failures);
  all.notRun.push(...counted.notRun);
  const fault = left.length === 0 ? undefined : left.join('\n');
  await passes(all, { name: 'nothing is left behind', run: async () => fault });
}

/**
 * Runs a check, says how it went, and counts it.
 *
 * @param {import('./lib/tally.mjs').Tally} all
 * @param {import('./lib/static-checks.mjs').Check} check
 */
async function passes(all, { name, run }) {
  const started = Date.now();
  const fault = await run().then(
    (found) => found ?? undefined,
    (error) => String(error?.message ?? error),
  );
  const passed = fault === undefined;
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  say(`${passed ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)${passed ? '' : `\n${fault}`}`);
  if (passed) all.passed += 1;
  else all.failures.push(name);
  return passed;
}
