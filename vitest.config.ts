import { defineConfig } from 'vitest/config';

/**
 * Two projects. `unit` needs nothing but memory and a temporary directory and shares threads; `integration`
 * talks to real databases, hosts and processes, so each file has a process of its own.
 */
const INTEGRATION = ['test/**/*.{sql,fleet,e2e}.test.ts'];

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: INTEGRATION,
          pool: 'threads',
          isolate: false,
          testTimeout: 20_000,
        },
      },
      {
        test: {
          name: 'integration',
          include: INTEGRATION,
          pool: 'forks',
          globalSetup: ['test/support/global-setup.ts'],
          testTimeout: 120_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
});
