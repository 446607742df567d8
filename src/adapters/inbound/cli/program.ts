import { Command, type OutputConfiguration } from 'commander';
import { addAlertCommands } from './commands/alert.ts';
import { addApprovalCommands } from './commands/approval.ts';
import { addAuditCommands } from './commands/audit.ts';
import { addBackupCommands } from './commands/backup.ts';
import { addBatchCommands } from './commands/batch.ts';
import { addDoctorCommand } from './commands/doctor.ts';
import { addDumpCommands } from './commands/dump.ts';
import { addJobCommands } from './commands/job.ts';
import { addKeyCommands } from './commands/key.ts';
import { addMasterKeyCommands } from './commands/master-key.ts';
import { addRepositoryCommands } from './commands/repository.ts';
import { addRestoreCommand } from './commands/restore.ts';
import { addScheduleCommands } from './commands/schedule.ts';
import { addServeCommand } from './commands/serve.ts';
import { addServerCommands } from './commands/server.ts';
import { addSnapshotCommands } from './commands/snapshot.ts';
import { addSourceCommands } from './commands/source.ts';
import { addStatusCommand } from './commands/status.ts';
import { addTemplateCommands } from './commands/template.ts';
import { addTokenCommands } from './commands/token.ts';
import { addUserCommands } from './commands/user.ts';
import { addVersionCommand } from './commands/version.ts';
import { addWebhookCommands } from './commands/webhook.ts';
import { addWindowCommands } from './commands/window.ts';
import type { Runner } from './runner.ts';

const EXIT_CODES = `
Exit codes:
  0 done   1 failed   2 wrong usage   3 refused   4 not found   5 conflict (already active, name taken)

The configuration comes from environment variables; see docs/configuration.md. Commands work on the same database
as a service that runs meanwhile.`;

/** All commands; what they do goes through the runner, what commander itself says through the output. */
export function buildProgram(runner: Runner, version: string, output: OutputConfiguration = {}): Command {
  const program = new Command('drover')
    .description('Herds Linux servers: inventory, jobs and backups over SSH.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .option('--json', 'print exactly one JSON value on standard output, in the shapes of the REST interface')
    .configureHelp({ showGlobalOptions: true, helpWidth: 110 })
    .exitOverride()
    .configureOutput(output)
    .addHelpText('after', EXIT_CODES);
  addServeCommand(program, runner);
  addStatusCommand(program, runner);
  addServerCommands(program, runner);
  addKeyCommands(program, runner);
  addMasterKeyCommands(program, runner);
  addSourceCommands(program, runner);
  addDumpCommands(program, runner);
  addRepositoryCommands(program, runner);
  addJobCommands(program, runner);
  addBatchCommands(program, runner);
  addApprovalCommands(program, runner);
  addScheduleCommands(program, runner);
  addWindowCommands(program, runner);
  addTemplateCommands(program, runner);
  addSnapshotCommands(program, runner);
  addRestoreCommand(program, runner);
  addAlertCommands(program, runner);
  addWebhookCommands(program, runner);
  addTokenCommands(program, runner);
  addUserCommands(program, runner);
  addBackupCommands(program, runner);
  addAuditCommands(program, runner);
  addDoctorCommand(program, runner);
  addVersionCommand(program, runner);
  return program;
}
