import { defineConfig } from 'vitest/config';
import LongestFirst from './test/support/longest-first.ts';
import { INTERFACES, TIERS } from './test/tiers.ts';

/**
 * Two projects. `unit` needs nothing but memory and a temporary directory and shares threads; `integration`
 * talks to real databases, hosts and processes, so each file has a separate process.
 */
const INTEGRATION = ['test/**/*.{sql,fleet,e2e}.test.ts'];
/** Of these, the ones of a tier. */
const named = process.env['DROVER_TEST_TIER'] ?? 'all';
const tier = TIERS[named]?.map((name) => `test/${name}.test.ts`);
if (!tier) throw new Error(`DROVER_TEST_TIER is one of: ${Object.keys(TIERS).join(', ')}.`);

/** The long counts of `npm run torture` take as long as they take. */
const TORTURE_TIMEOUT_MS = 60 * 60_000;
const torture = process.env['DROVER_TORTURE'] === '1';

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: named === 'check' ? [...INTEGRATION, ...INTERFACES] : INTEGRATION,
          setupFiles: ['test/support/at-end.setup.ts'],
          pool: 'threads',
          isolate: false,
          // Vitest leaves one processor idle otherwise.
          maxWorkers: '100%',
          // Many times what the slowest takes: a loaded machine is no failure.
          testTimeout: torture ? TORTURE_TIMEOUT_MS : 60_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'integration',
          include: tier,
          setupFiles: ['test/support/at-end.setup.ts'],
          pool: 'forks',
          // Files wait for hosts and databases: fewer leave processors idle.
          maxWorkers: 5,
          globalSetup: ['test/support/global-setup.ts'],
          // Three times what the slowest takes: a loaded machine is no failure.
          testTimeout: torture ? TORTURE_TIMEOUT_MS : 240_000,
          hookTimeout: 300_000,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
