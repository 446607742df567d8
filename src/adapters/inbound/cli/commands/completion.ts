import { Argument, type Command } from 'commander';
import { withExamples } from '../arguments.ts';
import { completionScript, SHELLS, type Shell } from '../completion-scripts.ts';
import type { Runner } from '../runner.ts';

export function addCompletionCommand(program: Command, runner: Runner): void {
  withExamples(
    program
      .command('completion')
      .description('print a script that completes commands and options in your shell')
      .addArgument(new Argument('<shell>', 'the shell to complete in').choices(SHELLS))
      .action(
        runner.bare(async (_context, shell: Shell) => {
          const script = completionScript(shell, program);
          return { json: { shell, script }, text: script };
        }),
      ),
    'drover completion bash > ~/.local/share/bash-completion/completions/drover',
    'drover completion zsh > ~/.zfunc/_drover',
    'drover completion fish > ~/.config/fish/completions/drover.fish',
  );
}
