import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { ensureInstalled, ROOT } from './ensure.mjs';

// npm run dev: the service from its sources, which starts again when one of them changes.
await ensureInstalled();
const tsx = join(ROOT, 'node_modules', 'tsx', 'dist', 'cli.mjs');
const program = join(ROOT, 'scripts', 'dev', 'serve.ts');
const args = ['watch', '--clear-screen=false', '--include', 'src/**/*', program, ...process.argv.slice(2)];
const child = spawn(process.execPath, [tsx, ...args], { cwd: ROOT, stdio: 'inherit' });
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM']))
  process.on(signal, () => child.kill(signal));
const [code] = await once(child, 'exit');
process.exitCode = code ?? 0;
