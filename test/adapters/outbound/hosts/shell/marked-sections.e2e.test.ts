import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  readSections,
  SECTIONS_PRELUDE,
  type Sections,
} from '../../../../../src/adapters/outbound/hosts/shell/marked-sections.ts';
import { POSIX_SHELLS } from '../../../../support/posix-shells.ts';

const MARK = '0123456789abcdef0123456789abcdef';
const run = promisify(execFile);

/** With coreutils' `timeout`, and with the watchdog that replaces it elsewhere. */
const LIMITS = { timeout: '', watchdog: 'limit() { watch "$@"; }\n' };
const SUBJECTS = POSIX_SHELLS.flatMap((shell) =>
  (['timeout', 'watchdog'] as const).map((limit) => ({
    shell,
    limit,
    title: `${shell.join(' ')}, ${limit}`,
  })),
);

describe.each(SUBJECTS)('Sections printed by $title', ({ shell: [program = 'sh', ...options], limit }) => {
  const sections = async (script: string, mark = MARK): Promise<Sections> => {
    const { stdout } = await run(program, [
      ...options,
      '-c',
      `${SECTIONS_PRELUDE}${LIMITS[limit]}${script}`,
      'x',
      mark,
    ]);
    return readSections(stdout, mark);
  };

  it('hold what a command printed, and how it ended', async () => {
    const found = await sections(`
speak() { printf 'a\\nb'; return 7; }
section speech 1000 speak
section silence 1000 true
section missing 1000 no-such-program
section limited 1000 limit 20 sh -c 'echo x; exit 3'
`);
    expect([...found]).toEqual([
      ['speech', { text: 'a\nb', exitCode: 7 }],
      ['silence', { text: '', exitCode: 0 }],
      ['missing', { text: '', exitCode: 127 }],
      ['limited', { text: 'x\n', exitCode: 3 }],
    ]);
  });

  it('tell the script itself how the command ended', async () => {
    const found = await sections('section one 10 sh -c "exit 5"\nsection two 10 echo "$code"');
    expect(found.get('two')?.text).toBe('5\n');
  });

  it('are cut at their size', async () => {
    const found = await sections(
      `section much 1000 sh -c 'while :; do echo yes; done'\nsection next 10 echo on`,
    );
    expect(found.get('much')?.text).toHaveLength(1_000);
    expect(found.get('next')?.text).toBe('on\n');
  });

  it('end with their time', async () => {
    const found = await sections('section slow 1000 limit 1 sleep 300\nsection next 10 echo on');
    expect(found.get('slow')?.exitCode).not.toBe(0);
    expect(found.get('next')?.text).toBe('on\n');
  });

  it('leave a limited program its standard input', async () => {
    const found = await sections(`
piped() { printf 'a\\nb\\n' | limit 20 cat | limit 20 tail -n 1; }
section piped 1000 piped
section nothing 1000 limit 20 cat
`);
    expect(found.get('piped')?.text).toBe('b\n');
    expect(found.get('nothing')?.text).toBe('');
  });

  it('leave nothing running but what ends within a second', async () => {
    const own = randomBytes(16).toString('hex');
    for (let round = 0; round < 10; round += 1) await sections('section quick 10 limit 300 true', own);
    const { stdout } = await run('ps', ['-eo', 'args']);
    expect(stdout).not.toContain(own);
  });
});
