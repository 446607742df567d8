import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SHELLS } from '../../../../src/adapters/inbound/cli/completion-scripts.ts';
import { describeWith } from '../../../support/capabilities.ts';
import { CliFixture } from './cli-fixture.ts';

/**
 * Types a command and a tab into an interactive shell on its own terminal, and prints what the shell then runs. The
 * marker is typed in two halves, since a terminal also shows what is typed.
 */
const TYPE = `
zmodload zsh/zpty
shell=$1 completion=$2 typed=$3
print_it='echo "ran<$*>"'
case $shell in
  bash) program=(bash --norc --noprofile -i) define="drover() { $print_it; }" ;;
  zsh) program=(zsh -f -i) define="autoload -U compinit; compinit -u -D; drover() { $print_it; }" ;;
  fish) program=(env TERM=dumb fish --no-config -i) define='function drover; echo "ran<$argv>"; end' ;;
esac
zpty terminal $program
zpty -w terminal "$define; source $completion; echo rea''dy"
zpty -r terminal seen '*ready*'
zpty -w terminal "$typed"$'\\t'
zpty -r terminal seen '*ran<*>*'
seen=$\{seen##*ran<}
print -rn -- "$\{seen%%>*}"
zpty -d terminal
`;

describeWith('shells', 'The completion in a real shell', () => {
  let home: string;
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'completion-'));
    await writeFile(join(home, 'type.zsh'), TYPE);
    for (const shell of SHELLS) {
      const { code, out } = await new CliFixture().run(`completion ${shell}`);
      expect(code).toBe(0);
      await writeFile(join(home, shell), out);
    }
  });
  afterAll(() => rm(home, { recursive: true, force: true }));

  const typed = async (shell: string, line: string): Promise<string> => {
    const args = ['-f', join(home, 'type.zsh'), shell, join(home, shell), line];
    const env = { ...process.env, HOME: home, XDG_RUNTIME_DIR: home, LC_ALL: 'C.UTF-8' };
    return (await promisify(execFile)('zsh', args, { env, timeout: 30_000 })).stdout;
  };

  test.each(SHELLS)('%s completes commands, options and their values', async (shell) => {
    expect(await typed(shell, 'drover server li')).toBe('server list');
    expect(await typed(shell, 'drover server list --ta')).toBe('server list --tag');
    expect(await typed(shell, 'drover job list --status fa')).toBe('job list --status failed');
    expect(await typed(shell, 'drover job start web os_p')).toBe('job start web os_patch');
    expect(await typed(shell, 'drover completion fi')).toBe('completion fish');
  });
});
