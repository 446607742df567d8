import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ensureInstalled, ROOT } from './ensure.mjs';

// npm run fleet -- up N | status | down
await ensureInstalled();
const program = join(ROOT, 'test', 'fleet', 'cli.ts');
const { status } = spawnSync(process.execPath, ['--import', 'tsx', program, ...process.argv.slice(2)], {
  cwd: ROOT,
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
