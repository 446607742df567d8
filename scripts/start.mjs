import { ensureReady } from './ensure.mjs';
import { runDrover } from './lib/run-drover.mjs';

// In this process, not a child: Ctrl-C and a service manager's signals reach the service itself.
await runDrover(ensureReady, ['serve', ...process.argv.slice(2)]);
