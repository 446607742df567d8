/**
 * The entry points: the program, and the stdio adapter. Both lie as deep in dist/ as in src/, with all that they
 * share, so that a path from a file to the project's top is the same for either.
 */
export const ENTRIES = ['src/adapters/bootstrap/main.ts', 'src/adapters/bootstrap/adapter-main.ts'];

/** Drivers that knex names, and that are not installed: it loads only the one of its dialect. */
const NOT_INSTALLED = [
  'better-sqlite3',
  'mariadb',
  'mysql',
  'oracledb',
  'pg',
  'pg-native',
  'pg-query-stream',
  'sqlite3',
  'tedious',
];

/** With native parts, or looking for their own files. */
export const LEFT_OUT = ['@photostructure/sqlite', 'mysql2', 'pino', 'ssh2', ...NOT_INSTALLED];

/** CommonJS packages load Node's modules with `require`, which an ES module does not have. */
export const REQUIRE =
  "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);";

/**
 * A few files instead of 1,100 with those of the packages: a short command spends most of its time on finding and
 * reading modules. Nothing is minified: a stack trace has the names of the sources (of two equal names, one gets a
 * number).
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
