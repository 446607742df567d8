import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../ensure.mjs';
import { allOtherProcesses, leftOvers, look, markedProcesses } from './left-overs.mjs';

// Runs vitest, inside the namespaces if there are any, and then checks for leftovers. node inside.mjs RESULT_FILE
// isolated|open VITEST_ARGUMENT…
const [resultFile = '', mode = '', ...vitestArguments] = process.argv.slice(2);
const isolated = mode === 'isolated';
const dirs = isolated ? [tmpdir(), '/dev/shm'] : [tmpdir()];
const mark = `DROVER_TEST_RUN=${process.env['DROVER_TEST_RUN']}`;

const lookAround = () => look(dirs, isolated);
const before = await lookAround();
const code = await vitest();
const processes = isolated ? allOtherProcesses : () => markedProcesses(mark);
writeFileSync(resultFile, JSON.stringify({ code, left: await leftOvers(before, lookAround, processes) }));

/** @returns {Promise<number>} */
function vitest() {
  const program = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
  const child = spawn(process.execPath, [program, 'run', ...vitestArguments], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  return new Promise((resolve) => {
    child.on('error', () => resolve(1));
    child.on('exit', (exitCode) => resolve(exitCode ?? 1));
  });
}
