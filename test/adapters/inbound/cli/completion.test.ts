import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { CliFixture } from './cli-fixture.ts';

const script = async (shell: string): Promise<string> => {
  const cli = new CliFixture();
  const { code, out } = await cli.run(`completion ${shell}`);
  expect([code, cli.opened]).toEqual([0, 0]);
  return out;
};

/** A real bash's completions of the last word. */
async function offered(...words: readonly string[]): Promise<readonly string[]> {
  const asked = `COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _drover; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const args = ['--norc', '-c', `${await script('bash')}\n${asked}`, 'bash', 'drover', ...words];
  return (await promisify(execFile)('bash', args)).stdout.split('\n').filter((word) => word !== '');
}

test('bash completes commands, options and their values', async () => {
  expect(await offered('serv')).toEqual(['serve', 'server']);
  expect(await offered('server', 'li')).toEqual(['list']);
  expect(await offered('--json', 'server', 'list', '--ta')).toEqual(['--tag']);
  expect(await offered('job', 'list', '--status', 'fa')).toEqual(['failed']);
  expect(await offered('job', 'start', 'web', 'os_p')).toEqual(['os_patch']);
  expect(await offered('completion', '')).toEqual(expect.arrayContaining(['bash', 'zsh', 'fish']));
  expect(await offered('server', 'show', 'nothing-like-this')).toEqual([]);
});

test.each(['zsh', 'fish'])('%s gets the same words', async (shell) => {
  const text = await script(shell);
  for (const word of ['/server/add', '--host-key', 'os_patch']) expect(text).toContain(word);
});

test('no other shell is known', async () => {
  expect(await new CliFixture().run('completion tcsh')).toMatchObject({ code: 2 });
});
