import { spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { ensureReady, ROOT } from './ensure.mjs';
import { runDrover } from './lib/run-drover.mjs';

// In this process, not a child: Ctrl-C and a service manager's signals reach the service itself.
await runDrover(async () => {
  await ensureReady();
  buildDocs();
}, ['serve', ...process.argv.slice(2)]);

/** In the background: it takes longer than all else, and the service serves the pages once they are there. */
function buildDocs() {
  const child = spawn(process.execPath, [join(ROOT, 'scripts', 'docs-site.mjs')], { stdio: 'ignore' });
  child.unref();
  process.once('exit', () => child.kill());
  if (child.pid !== undefined) setPriority(child.pid, 10);
}
