import { Command, type OutputConfiguration } from 'commander';
import type { Runner } from './runner.ts';

const EXIT_CODES = `
Exit codes:
  0 done   1 failed   2 wrong usage   3 refused   4 not found   5 conflict (already active, name taken)

The configuration comes from environment variables; see docs/configuration.md. Commands read and write the database directly, whether or not the service is running.`;

/** The modules that add each command. Only those that a line needs are loaded. */
const COMMANDS: Readonly<Record<string, () => Promise<(program: Command, runner: Runner) => void>>> = {
  serve: async () => (await import('./commands/serve.ts')).addServeCommand,
  status: async () => (await import('./commands/status.ts')).addStatusCommand,
  server: async () => (await import('./commands/server.ts')).addServerCommands,
  changes: async () => (await import('./commands/changes.ts')).addChangesCommand,
  package: async () => (await import('./commands/package.ts')).addPackageCommands,
  cve: async () => (await import('./commands/cve.ts')).addCveCommands,
  eol: async () => (await import('./commands/eol.ts')).addEolCommands,
  tag: async () => (await import('./commands/tag.ts')).addTagCommands,
  key: async () => (await import('./commands/key.ts')).addKeyCommands,
  'master-key': async () => (await import('./commands/master-key.ts')).addMasterKeyCommands,
  source: async () => (await import('./commands/source.ts')).addSourceCommands,
  dump: async () => (await import('./commands/dump.ts')).addDumpCommands,
  repository: async () => (await import('./commands/repository.ts')).addRepositoryCommands,
  job: async () => (await import('./commands/job.ts')).addJobCommands,
  batch: async () => (await import('./commands/batch.ts')).addBatchCommands,
  approval: async () => (await import('./commands/approval.ts')).addApprovalCommands,
  schedule: async () => (await import('./commands/schedule.ts')).addScheduleCommands,
  window: async () => (await import('./commands/window.ts')).addWindowCommands,
  policy: async () => (await import('./commands/policy.ts')).addPolicyCommands,
  template: async () => (await import('./commands/template.ts')).addTemplateCommands,
  snapshot: async () => (await import('./commands/snapshot.ts')).addSnapshotCommands,
  restore: async () => (await import('./commands/restore.ts')).addRestoreCommand,
  alert: async () => (await import('./commands/alert.ts')).addAlertCommands,
  channel: async () => (await import('./commands/channel.ts')).addChannelCommands,
  webhook: async () => (await import('./commands/webhook.ts')).addWebhookCommands,
  token: async () => (await import('./commands/token.ts')).addTokenCommands,
  user: async () => (await import('./commands/user.ts')).addUserCommands,
  sso: async () => (await import('./commands/sso.ts')).addSsoCommands,
  backup: async () => (await import('./commands/backup.ts')).addBackupCommands,
  audit: async () => (await import('./commands/audit.ts')).addAuditCommands,
  doctor: async () => (await import('./commands/doctor.ts')).addDoctorCommand,
  completion: async () => (await import('./commands/completion.ts')).addCompletionCommand,
  version: async () => (await import('./commands/version.ts')).addVersionCommand,
};

/**
 * The commands that a line needs: its own, or all. Their actions go through the runner, commander's own messages
 * through the output.
 */
export async function buildProgram(
  runner: Runner,
  version: string,
  {
    args = [],
    output = {},
  }: { readonly args?: readonly string[]; readonly output?: OutputConfiguration } = {},
): Promise<Command> {
  const program = new Command('drover')
    .description('Manage Linux servers over SSH: inventory, backups, updates and containers.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .option('--json', 'print exactly one JSON value on standard output, in the format of the REST API')
    .configureHelp({ showGlobalOptions: true, helpWidth: 110 })
    .exitOverride()
    .configureOutput(output)
    .addHelpText('after', EXIT_CODES);
  const name = args.find((each) => !each.startsWith('-')) ?? '';
  // Completion is written from the whole tree.
  const wanted = Object.hasOwn(COMMANDS, name) && name !== 'completion' ? [name] : Object.keys(COMMANDS);
  const loads = wanted.flatMap((each) => COMMANDS[each] ?? []);
  for (const add of await Promise.all(loads.map((load) => load()))) add(program, runner);
  return program;
}
