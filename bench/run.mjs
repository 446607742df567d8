import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ensureReady, ROOT } from '../scripts/ensure.mjs';

// npm run bench [-- NAME …]: each bench is a file of this folder and compares with its peers in one run. At the end of
// a run of all, or with --table alone, the main figures of all results that are kept are printed.
const BENCH = join(ROOT, 'bench');
const NOT_RUN = 3;
const all = readdirSync(BENCH)
  .filter((name) => name.endsWith('.ts'))
  .map((name) => basename(name, '.ts'));
const asked = process.argv.slice(2);
const wanted = asked.filter((name) => name !== '--table');
const unknown = wanted.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`There is no bench ${unknown.join(', ')}; there are ${all.join(', ')}.`);
  process.exit(2);
}

/** @param {string} path */
async function run(path) {
  const bench = spawn(process.execPath, ['--import', 'tsx', join(BENCH, path)], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  return new Promise((resolve) => bench.once('close', resolve));
}

await ensureReady();
const troubles = [];
const chosen = wanted.length > 0 ? wanted : asked.length > 0 ? [] : all;
for (const name of chosen) {
  console.log(`\n=== ${name}`);
  const code = await run(`${name}.ts`);
  if (code === NOT_RUN) troubles.push(`NOT RUN: ${name}: this machine lacks what it says above`);
  else if (code !== 0) troubles.push(`FAILED: ${name}`);
}
if (asked.length !== wanted.length || wanted.length === 0) await run(join('lib', 'print-table.ts'));
for (const trouble of troubles) console.error(trouble);
if (troubles.length > 0) process.exitCode = 1;
