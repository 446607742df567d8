import type { Command } from 'commander';
import type { Runner } from '../runner.ts';

export function addVersionCommand(program: Command, runner: Runner): void {
  program
    .command('version')
    .description('print the version')
    .action(runner.bare(async ({ version }) => ({ json: { version }, text: `${version}\n` })));
}
