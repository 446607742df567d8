import { spawn } from 'node:child_process';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { findProgram } from '../../../../../scripts/lib/programs.mjs';
import { commandLine, START_MARK } from '../../../../../src/adapters/outbound/hosts/ssh/command-line.ts';
import { NASTY_ARGUMENTS } from '../../../../contracts/remote-host.scripts.ts';

/** How sshd treats a command: it passes it to the login shell. Tests those that this machine has. */
const LOGIN_SHELLS = [
  ['sh'],
  ['bash'],
  ['dash'],
  ['busybox', 'sh'],
  ['zsh'],
  ['mksh'],
  ['tcsh'],
  ['fish'],
].filter(([program = '']) => findProgram(program) !== undefined);

const SCRIPT = String.raw`
# a comment, 'quoted' "text" and a \backslash!
printf '%s\0' "$0" "$#" "$@"
printf 'to stderr: %s\n' "$LC_ALL" >&2
cat
exit 7
`;

describe.each(LOGIN_SHELLS)('a command line in %s', (program, ...options) => {
  const runLine = async (line: string): Promise<{ code: number | null; stdout: string; stderr: string }> => {
    const child = spawn(program, [...options, '-c', line], { detached: true });
    // some scripts end without reading it
    child.stdin.on('error', () => undefined).end('standard input');
    const code = new Promise<number | null>((resolve) => {
      child.once('close', resolve);
    });
    const [stdout, stderr] = await Promise.all([buffer(child.stdout), buffer(child.stderr)]);
    return { code: await code, stdout: stdout.toString(), stderr: stderr.toString() };
  };

  it('passes script, arguments and input unchanged behind the mark', async () => {
    const { code, stdout, stderr } = await runLine(
      commandLine({ script: SCRIPT, args: NASTY_ARGUMENTS }, { sudo: false }),
    );
    const [mark = ''] = START_MARK.exec(stdout) ?? [];
    const printed = ['drover', String(NASTY_ARGUMENTS.length), ...NASTY_ARGUMENTS, 'standard input'].join(
      '\0',
    );
    expect(stdout).toBe(`${mark}${printed}`);
    expect(stderr).toBe(`${mark}to stderr: C\n`);
    expect(code).toBe(7);
  });

  it('names the process group in the mark', async () => {
    const script = 'read -r a b c d group rest </proc/$$/stat; echo "$group"';
    const { stdout } = await runLine(commandLine({ script }, { sudo: false }));
    const [mark, group] = START_MARK.exec(stdout) ?? [];
    expect(stdout).toBe(`${mark}${group}\n`);
  });
});

describe('a command line', () => {
  it('goes through sudo where asked', () => {
    expect(commandLine({ script: 'id' }, { sudo: true })).toMatch(/^exec sudo -n -- sh -c /);
    expect(commandLine({ script: 'id' }, { sudo: false })).toMatch(/^exec sh -c /);
  });

  it('has only characters in it that all shells read alike', () => {
    const line = commandLine({ script: SCRIPT, args: NASTY_ARGUMENTS }, { sudo: false });
    const [, encoded = ''] = /drover '(.*)'$/s.exec(line) ?? [];
    expect(encoded).toMatch(/^([ "#-&(-[\]-~]|\\0[0-7]{3})+$/);
  });
});
