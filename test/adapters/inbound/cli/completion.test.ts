import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { findProgram } from '../../../../scripts/lib/programs.mjs';
import { CliWorld } from './cli-world.ts';

const script = async (shell: string): Promise<string> => {
  const cli = new CliWorld();
  const { code, out } = await cli.run(`completion ${shell}`);
  expect([code, cli.opened]).toEqual([0, 0]);
  return out;
};

const run = async (shell: string, args: readonly string[]): Promise<readonly string[]> =>
  (await promisify(execFile)(shell, args)).stdout.split('\n').filter((word) => word !== '');

/** A real bash's completions of the last word. */
async function offered(...words: readonly string[]): Promise<readonly string[]> {
  const asked = `COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _drover; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const args = ['--norc', '-c', `${await script('bash')}\n${asked}`, 'bash', 'drover', ...words];
  return run('bash', args);
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

/** The same in the other shells, of which this machine may have none. */
const OTHERS: Readonly<Record<string, (...words: readonly string[]) => Promise<readonly string[]>>> = {
  zsh: async (...words) => {
    const stubs = 'compdef() { }; compadd() { shift; print -rl -- ${(M)@:#$words[CURRENT]*} }';
    const asked = 'words=("$@"); CURRENT=$#; _drover';
    return run('zsh', ['-f', '-c', `${stubs}\n${await script('zsh')}\n${asked}`, 'zsh', 'drover', ...words]);
  },
  fish: async (...words) =>
    run('fish', ['--no-config', '-c', `${await script('fish')}\ncomplete -C 'drover ${words.join(' ')}'`]),
};

test.each(Object.keys(OTHERS).filter((shell) => findProgram(shell)))(
  '%s completes the same',
  async (shell) => {
    const offers = OTHERS[shell] ?? offered;
    expect(await offers('serv')).toEqual(['serve', 'server']);
    expect(await offers('server', 'li')).toEqual(['list']);
    expect(await offers('job', 'list', '--status', 'fa')).toEqual(['failed']);
    expect(await offers('job', 'start', 'web', 'os_p')).toEqual(['os_patch']);
  },
);

test.each(['zsh', 'fish'])('%s gets the same words', async (shell) => {
  const text = await script(shell);
  for (const word of ['/server/add', '--host-key', 'os_patch']) expect(text).toContain(word);
});

test('no other shell is known', async () => {
  expect(await new CliWorld().run('completion tcsh')).toMatchObject({ code: 2 });
});
