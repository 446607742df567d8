import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ROOT } from '../docs/markdown.ts';
import { freePort } from '../support/free-port.ts';
import { eventually, kill } from '../support/processes.ts';
import { copiesOf, only, stages, words } from './dockerfile.ts';

const WITHIN_MS = 60_000;

describe('what the image has in it', () => {
  it('is enough to run the service, and to see that it lives', async () => {
    const image = (await stages()).at(-1);
    if (!image) throw new Error('there is an image');
    const home = await mkdtemp(join(tmpdir(), 'drover-image-'));
    onTestFinished(() => rm(home, { recursive: true, force: true }));
    for (const { sources, target } of copiesOf(image)) {
      for (const source of sources) {
        const from = join(ROOT, source.replace(/^\/opt\/drover\//, ''));
        const to = target === './' ? join(home, source.replace(/^.*\//, '')) : join(home, target);
        await mkdir(dirname(to), { recursive: true });
        if (target === 'node_modules') await symlink(from, to);
        else await cp(from, to, { recursive: true });
      }
    }
    const port = await freePort();
    const set = Object.fromEntries(
      [...only(image, 'ENV').matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value]),
    );
    const env = {
      PATH: process.env['PATH'] ?? '',
      ...set,
      SERVICE_DATA_DIR: join(home, 'data'),
      SERVICE_HTTP_PORT: String(port),
      SERVICE_ALLOWED_HOSTS: 'drover.example.org,127.0.0.1',
    };
    const run = (command: readonly string[]) =>
      spawn(process.execPath, command.slice(1), { cwd: home, env, stdio: 'ignore' });
    const check = words(only(image, 'HEALTHCHECK'));
    const healthy = async (): Promise<boolean> => {
      const asked = run(check);
      return new Promise((resolve) => {
        asked.once('exit', (code) => resolve(code === 0));
      });
    };
    expect(await healthy()).toBe(false);
    const service = run(words(only(image, 'CMD')));
    try {
      await eventually('it is healthy', WITHIN_MS, async () => (await healthy()) || undefined);
      const page = await fetch(`http://127.0.0.1:${port}/sign-in`);
      await page.body?.cancel();
      expect(page.status).toBe(200);
    } finally {
      await kill(service);
    }
  });
});
