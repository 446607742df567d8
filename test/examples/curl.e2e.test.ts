import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiFixture, openApiFixture } from '../adapters/inbound/http/api-fixture.ts';
import { ROOT, shellCommands } from '../docs/markdown.ts';

const README = 'examples/curl/README.md';
const text = await readFile(join(ROOT, README), 'utf8');
const commands = shellCommands({ path: README, text }, /^sh run$/);

describe(`The commands of ${README}, one after another`, () => {
  let fixture: ApiFixture;
  let directory: string;
  let token: string;
  beforeAll(async () => {
    fixture = await openApiFixture();
    token = await fixture.token(['read', 'jobs', 'edit', 'files']);
    directory = await mkdtemp(join(tmpdir(), 'drover-curl-'));
  });
  afterAll(async () => {
    await fixture.close();
    await rm(directory, { recursive: true, force: true });
  });

  const type = (command: string) =>
    promisify(execFile)('sh', ['-c', command], {
      cwd: directory,
      env: { PATH: process.env['PATH'], URL: fixture.base, TOKEN: token },
    });

  test('start with a file for the secret', async () => {
    await type(commands[0] ?? 'false');
    expect((await stat(join(directory, 'drover.header'))).mode & 0o077).toBe(0);
  });

  test.each(commands.slice(1))('%s', async (command) => {
    expect(command).not.toContain('TOKEN');
    const { stdout } = await type(command);
    const answer: unknown = JSON.parse(stdout);
    expect(answer).not.toMatchObject({ error: expect.anything() });
    expect(answer).not.toMatchObject({ result: { isError: true } });
  });

  test('are read at all', () => expect(commands.length).toBeGreaterThan(15));
});
