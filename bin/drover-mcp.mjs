#!/usr/bin/env node
import { ensureReady } from '../scripts/ensure.mjs';
import { runAdapter } from '../scripts/lib/run-drover.mjs';

await runAdapter(ensureReady, process.argv.slice(2));
