import { ensureInstalled, ensureReady, ROOT } from './ensure.mjs';
import { presentCapabilities, provision } from './lib/provision.mjs';
import { codeChecks, deadCodeChecks, smokeChecks } from './lib/static-checks.mjs';
import { runSuite } from './lib/suite.mjs';
import { summary } from './lib/tally.mjs';

// npm run check           types, lint, format, unit tests but for those of the interfaces: needs nothing but the packages
// npm test                that, and what proves the product on a user's machine; installs no Debian packages
// npm run test:all        everything; as root on Debian it installs what is missing
//   -- --rest             only what npm test leaves out
//   -- FILTER…            (npm test, too) only the test files whose paths contain one
// npm run torture         at their long counts, the files named *.torture.* (or those that the filters name)
// TEST_REQUIRE_ALL=1      what cannot run here has failed
// DROVER_SMOKE_NODE=PATH  starts the service on this Node too

const OPTIONS = ['--check', '--all', '--rest', '--torture', '--provision'];

const args = process.argv.slice(2);
const options = new Set(args.filter((arg) => arg.startsWith('-')));
const filters = args.filter((arg) => !arg.startsWith('-'));
const unknown = [...options].filter((option) => !OPTIONS.includes(option));
const [torture, quick] = [options.has('--torture'), options.has('--check')];
const everything = options.has('--all') || torture;
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
    if (quick) await check(all);
    else await test(all);
  }
  const { lines, code } = summary(all, requireAll);
  for (const line of lines) say(line);
  return code;
}

/**
 * The checks of the code are separate processes, and leave a processor idle: they run beside the unit tests.
 *
 * @param {import('./lib/tally.mjs').Tally} all
 */
async function check(all) {
  await Promise.all([
    ...codeChecks().map((one) => passes(all, one)),
    suite(all, {
      isolated: false,
      arguments: ['--project', 'unit', ...filters],
      env: { DROVER_TEST_TIER: filters.length === 0 ? 'check' : 'all' },
    }),
  ]);
}

/** @param {import('./lib/tally.mjs').Tally} all */
async function test(all) {
  await passes(all, { name: 'build', run: () => ensureReady() });
  if (filters.length === 0) await passes(all, { name: 'documentation', run: documentation });
  const capabilities = everything ? await provision(say) : await presentCapabilities();
  if (options.has('--provision')) return;
  const rest = options.has('--rest');
  const smoke = smokeChecks(process.env['DROVER_SMOKE_NODE']);
  const checks =
    filters.length === 0 && !torture && !rest ? [...codeChecks(), ...deadCodeChecks(), ...smoke] : [];
  const named = torture && filters.length === 0 ? ['.torture.'] : filters;
  const tier = rest ? 'full' : everything || filters.length > 0 ? 'all' : 'core';
  await Promise.all([
    inTurn(all, checks),
    suite(all, {
      isolated: capabilities.fleet === true,
      arguments: rest ? ['--project', 'integration', ...named] : named,
      env: {
        DROVER_TEST_CAPABILITIES: JSON.stringify(capabilities),
        DROVER_TEST_TIER: tier,
        DROVER_READY: ROOT,
        ...(torture ? { DROVER_TORTURE: '1' } : {}),
      },
    }),
  ]);
}

/**
 * One after the other, beside the unit tests: they wait for disks and single threads.
 *
 * @param {import('./lib/tally.mjs').Tally} all
 * @param {readonly import('./lib/static-checks.mjs').Check[]} checks
 */
async function inTurn(all, checks) {
  for (const one of checks) await passes(all, one);
}

/** Its packages are there only once the first check has installed them. */
async function documentation() {
  const { buildSite } = await import('./site/build.mjs');
  await buildSite();
}

/**
 * @param {import('./lib/tally.mjs').Tally} all
 * @param {Parameters<typeof runSuite>[0]} run
 */
async function suite(all, run) {
  const { counted, left } = await runSuite(run);
  all.passed += counted.passed;
  all.failures.push(...counted.failures);
  all.notRun.push(...counted.notRun);
  const fault = left.length === 0 ? undefined : left.join('\n');
  await passes(all, { name: 'nothing is left behind', run: async () => fault });
}

/**
 * Runs a check, reports its result, and counts it.
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
