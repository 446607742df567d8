/**
 * What is started: the program, and the stdio adapter. Both lie as deep in dist/ as in src/, with all that they share, so
 * that a path from a file to the project's top is the same for either.
 */
const ENTRIES = ['src/adapters/bootstrap/main.ts', 'src/adapters/bootstrap/adapter-main.ts'];

/** With native parts, or looking for files of their own. */
const LEFT_OUT = ['@photostructure/sqlite', 'knex', 'mysql2', 'pino', 'ssh2'];

/** CommonJS packages ask for what Node brings by `require`, which a module does not have. */
const REQUIRE =
  "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);";

/**
 * Some files in place of 1,100 with those of the packages: most of what a short command takes is Node looking for modules
 * and reading them. Nothing is made shorter: a stack trace names what the sources name (where two have one name, the other
 * gets a number).
 *
 * @param {string} directory where the files go
 * @returns {string[]} for esbuild, in the project's top
 */
export const bundleOptions = (directory) => [
  ...ENTRIES,
  '--bundle',
  '--splitting',
  '--format=esm',
  '--platform=node',
  '--target=node20',
  '--sourcemap',
  '--log-level=warning',
  `--banner:js=${REQUIRE}`,
  `--outdir=${directory}`,
  ...LEFT_OUT.map((name) => `--external:${name}`),
];
