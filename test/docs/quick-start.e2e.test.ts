import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWith } from '../support/capabilities.ts';
import { freePort } from '../support/free-port.ts';
import { eventually } from '../support/processes.ts';
import { allPages, type Page, ROOT, shellCommands } from './markdown.ts';

const LEFT_OUT = ['node_modules', 'dist', 'dist.new', 'data', '.git'];
const OURS = /^(SERVICE_|METRICS_|SSH_AUTH_SOCK$|VITEST|NODE_OPTIONS$|npm_)/;

const pages = (await allPages()).filter(({ path }) =>
  ['README.md', 'docs/tutorial/first-hour.md'].includes(path),
);

/**
 * npx spends two seconds of processor time on finding this project's programs: in each page once, for its first command.
 * The others get them from this.
 */
const FOUND_NPX = '#!/bin/sh\nprogram=$1\nshift\nexec node "bin/$program.mjs" "$@"\n';

/** Commands that print nothing when they succeed. */
const SILENT = /^(mkdir|mv) |[^|] > /;

/** None of it exists: it is neither needed nor asked for. */
const HIDE_RSYNC = `
for place in /usr/bin/rsync /usr/local/bin/rsync /bin/rsync; do
  [ ! -e "$place" ] || mount --bind /dev/null "$place" || exit 99
done
rsync --version >/dev/null 2>&1 && exit 99`;

test('README and tutorial are both read', () => expect(pages).toHaveLength(2));

for (const page of pages) runsItsCommands(page);

function runsItsCommands(page: Page): void {
  describeWith('root', `The commands of ${page.path}, typed one after another where no rsync is`, () => {
    const [start, ...others] = shellCommands(page, /^sh run$/);
    const firstOfNpx = others.find((command) => command.startsWith('npx '));
    let checkout: string;
    let home: string;
    let port: number;
    let service: ChildProcess;
    let said = '';

    const placed = (command: string): string => command.replace('localhost:8888', `localhost:${port}`);

    /** As a user types it, in a shell; only port and home are the test's own. */
    const type = (command: string): ChildProcess =>
      spawn('unshare', ['-m', '--', 'sh', '-c', `${HIDE_RSYNC}\n${placed(command)}`], {
        cwd: checkout,
        env: {
          ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !OURS.test(name))),
          HOME: home,
          SERVICE_HTTP_PORT: String(port),
          ...(command === firstOfNpx ? {} : { PATH: `${join(home, 'programs')}:${process.env['PATH']}` }),
        },
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
      });

    beforeAll(async () => {
      checkout = await mkdtemp(join(tmpdir(), 'drover-readme-'));
      home = await mkdtemp(join(tmpdir(), 'drover-home-'));
      await mkdir(join(home, 'programs'));
      await writeFile(join(home, 'programs', 'npx'), FOUND_NPX, { mode: 0o755 });
      port = await freePort();
      for (const name of await readdir(ROOT)) {
        if (!LEFT_OUT.includes(name)) await cp(join(ROOT, name), join(checkout, name), { recursive: true });
      }
      await symlink(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
      service = type(start ?? 'false');
      for (const stream of [service.stdout, service.stderr]) {
        stream?.setEncoding('utf8').on('data', (text: string) => {
          said += text;
        });
      }
      await eventually('the service listens', 90_000, async () => {
        if (service.exitCode !== null) throw new Error(`It ended: ${said}`);
        return said.includes('listens on') ? true : undefined;
      });
    });

    afterAll(async () => {
      const ended = once(service, 'exit');
      if (service.exitCode === null && service.pid !== undefined) process.kill(-service.pid, 'SIGTERM');
      await ended;
      for (const dir of [checkout, home]) await rm(dir, { recursive: true, force: true });
    });

    test('start with the first start', () => {
      expect(start).toBe('npm start');
      expect(others.length).toBeGreaterThan(5);
      expect(firstOfNpx).toMatch(/^npx drover /);
    });

    test.each(others)('%s', async (command) => {
      const typed = type(command);
      let output = '';
      for (const stream of [typed.stdout, typed.stderr])
        stream?.on('data', (chunk) => (output += String(chunk)));
      const [code] = await once(typed, 'close');
      expect({ code, output }).toEqual({
        code: 0,
        output: SILENT.test(command) ? '' : expect.stringMatching(/\S/),
      });
    });
  });
}
