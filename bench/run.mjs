import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ensureReady, ROOT } from '../scripts/ensure.mjs';

// npm run bench [-- NAME …]: each bench is a file of this folder and compares with its peers in one run.
const BENCH = join(ROOT, 'bench');
const all = readdirSync(BENCH)
  .filter((name) => name.endsWith('.ts'))
  .map((name) => basename(name, '.ts'));
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`There is no bench ${unknown.join(', ')}; there are ${all.join(', ')}.`);
  process.exit(2);
}
await ensureReady();
for (const name of wanted.length > 0 ? wanted : all) {
  const bench = spawn(process.execPath, ['--import', 'tsx', join(BENCH, `${name}.ts`)], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  const code = await new Promise((resolve) => bench.once('close', resolve));
  if (code !== 0) process.exitCode = 1;
}
