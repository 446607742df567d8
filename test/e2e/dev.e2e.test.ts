import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { appendFile, cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { eventually } from '../support/processes.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const STYLE = 'src/adapters/inbound/web/static/css/base.css';
const CHANGE_EVERY_MS = 20_000;
const READS = ['src', 'scripts', 'bin', 'package.json', 'package-lock.json', 'tsconfig.json'];

describe('npm run dev', () => {
  let copy: string;
  let port: number;
  let child: ChildProcess;
  beforeAll(async () => {
    copy = await mkdtemp(join(tmpdir(), 'drover-dev-'));
    for (const name of READS) await cp(join(ROOT, name), join(copy, name), { recursive: true });
    await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
    port = await freePort();
    const env = { ...process.env, SERVICE_HTTP_PORT: String(port), SERVICE_DATA_DIR: join(copy, 'data') };
    child = spawn(process.execPath, [join(copy, 'scripts/dev.mjs')], { cwd: copy, env, stdio: 'ignore' });
  });
  afterAll(async () => {
    const gone = new Promise((resolve) => child.once('exit', resolve));
    if (child.exitCode === null) child.kill('SIGTERM');
    await gone;
    await rm(copy, { recursive: true, force: true });
  });

  /** The address of the style sheet, which has a hash of its content in it. */
  const style = async (): Promise<string | undefined> => {
    const reply = await fetch(`http://127.0.0.1:${port}/sign-in`).catch(() => undefined);
    return /\/static\/[0-9a-f]+\/app\.css/.exec((await reply?.text()) ?? '')?.[0];
  };

  it('serves the sources, and starts again when one changes', async () => {
    const before = await eventually('the service answers', 120_000, style);
    let changedAt = 0;
    const after = await eventually(
      'the change is served',
      180_000,
      async () => {
        const now = await style();
        if (now !== before) return now;
        // The service may answer before the watcher watches, which misses changes until then. It restarts at each change.
        if (Date.now() > changedAt + CHANGE_EVERY_MS) {
          changedAt = Date.now();
          await appendFile(join(copy, STYLE), '\n.changed { color: red }\n');
        }
        return undefined;
      },
      200,
    );
    expect(after).not.toBe(before);
  }, 300_000);
});
