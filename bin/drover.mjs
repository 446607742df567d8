#!/usr/bin/env node
import { ensureReady } from '../scripts/ensure.mjs';
import { runDrover } from '../scripts/lib/run-drover.mjs';

await runDrover(ensureReady, process.argv.slice(2));
