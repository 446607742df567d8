import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ROOT } from './ensure.mjs';

const UP_WITHIN_MS = 60_000;
const DOWN_WITHIN_MS = 20_000;

/**
 * Starts the built service on the given Node with an empty data directory, asks for its health, and ends it.
 *
 * @param {string} node path of the program
 * @returns {Promise<string | undefined>} what went wrong, with the service's log; undefined if all is well
 */
export async function smoke(node) {
  const data = mkdtempSync(join(tmpdir(), 'drover-smoke-'));
  const port = await freePort();
  const env = {
    ...process.env,
    SERVICE_HOST: '127.0.0.1',
    SERVICE_HTTP_PORT: String(port),
    SERVICE_DATA_DIR: data,
  };
  const service = spawn(node, [join(ROOT, 'bin', 'drover.mjs'), 'serve'], {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  for (const stream of [service.stdout, service.stderr]) {
    stream.on('data', (chunk) => {
      log = (log + chunk).slice(-8000);
    });
  }
  /** @type {Promise<number | string>} */
  const ended = new Promise((resolve) => {
    service.once('error', (error) => resolve(error.message));
    service.once('exit', (code, signal) => resolve(signal ?? code ?? 1));
  });
  try {
    const answer = await Promise.race([answered(port), ended]);
    if (answer !== true) return `the service did not come up (${answer}):\n${log}`;
    service.kill('SIGTERM');
    const outcome = await Promise.race([ended, sleep(DOWN_WITHIN_MS, 'still running', { ref: false })]);
    return outcome === 0 ? undefined : `the service did not end well on SIGTERM (${outcome}):\n${log}`;
  } finally {
    service.kill('SIGKILL');
    await ended;
    rmSync(data, { recursive: true, force: true });
  }
}

/**
 * @param {number} port
 * @returns {Promise<true | string>}
 */
async function answered(port) {
  let last = 'no answer';
  for (const end = Date.now() + UP_WITHIN_MS; Date.now() < end; await sleep(100)) {
    const status = await fetch(`http://127.0.0.1:${port}/healthz`).then(
      async (response) => {
        await response.arrayBuffer();
        return response.status;
      },
      () => undefined,
    );
    if (status === 200) return true;
    if (status !== undefined) last = `GET /healthz answers ${status}`;
  }
  return last;
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const fault = await smoke(process.argv[2] ?? process.execPath);
  process.stdout.write(`${fault ?? 'The service starts, answers and ends.'}\n`);
  process.exitCode = fault === undefined ? 0 : 1;
}
