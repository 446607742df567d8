import { ensureInstalled, ensureReady } from './ensure.mjs';
import { provision } from './lib/provision.mjs';
import { runSuite } from './lib/suite.mjs';
import { summary } from './lib/tally.mjs';

// npm test [-- FILTER…]   all checks and tests; with filters only the test files whose paths contain one
// npm run torture         the files named *.torture.* alone, at their long counts
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
  /** @param {import('./lib/static-checks.mjs').Check} check */
  const check = async ({ name, run }) => {
    const started = Date.now();
    const fault = await run().catch((error) => String(error?.message ?? error));
    const seconds = ((Date.now() - started) / 1000).toFixed(1);
    say(
      `${fault === undefined ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)${fault === undefined ? '' : `\n${fault}`}`,
    );
    if (fault === undefined) all.passed += 1;
    else all.failures.push(name);
  };

  await ensureInstalled();
  await check({ name: 'build', run: () => ensureReady().then(() => undefined) });
  const capabilities = await provision(say);
  const everything = filters.length === 0 && !torture;
  if (everything) {
    const { smokeChecks, staticChecks } = await import('./lib/static-checks.mjs');
    for (const each of [...staticChecks(), ...smokeChecks(process.env['DROVER_SMOKE_NODE'])])
      await check(each);
  }
  const { counted, left } = await runSuite({
    filters: torture ? [...filters, '.torture.'] : filters,
    isolated: capabilities.fleet === true,
    env: {
      DROVER_TEST_CAPABILITIES: JSON.stringify(capabilities),
      ...(torture ? { DROVER_TORTURE: '1' } : {}),
    },
  });
  all.passed += counted.passed;
  all.failures.push(...counted.failures);
  all.notRun.push(...counted.notRun);
  const tidy = left.length === 0 ? undefined : left.join('\n');
  await check({ name: 'nothing is left behind', run: async () => tidy });
  const { lines, code } = summary(all, requireAll);
  for (const line of lines) say(line);
  return code;
}
