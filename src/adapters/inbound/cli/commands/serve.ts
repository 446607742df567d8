import type { Command } from 'commander';
import { withExamples } from '../arguments.ts';
import type { Runner } from '../runner.ts';

export function addServeCommand(program: Command, runner: Runner): void {
  withExamples(
    program
      .command('serve')
      .description('run the service: web UI, REST API, MCP endpoint, jobs and schedules')
      .action(runner.bare((context) => context.serve())),
    'drover serve',
    'SERVICE_DATA_DIR=/var/lib/drover SERVICE_LOG_LEVEL=debug drover serve',
  );
}
