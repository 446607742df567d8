import type { Command } from 'commander';
import { CheckRepository } from '../../../../application/backups/check-repository.ts';
import { ManageRepositories } from '../../../../application/backups/manage-repositories.ts';
import type { RepositorySecrets } from '../../../../domain/backups/backup-repository.ts';
import { shellCommand } from '../../../../domain/base/shell-command.ts';
import { ago, count } from '../../../../domain/base/spans.ts';
import { repositoryView } from '../../api/views/repository-view.ts';
import { wholeNumber, withExamples } from '../arguments.ts';
import { confirmed, withYes, type YesOption } from '../confirm.ts';
import { UsageError } from '../errors.ts';
import { findServer } from '../find-server.ts';
import { localTime } from '../local-time.ts';
import type { Runner } from '../runner.ts';
import { secretOf } from '../secret-option.ts';
import type { Reply, Session } from '../session.ts';
import { progressText, StatusLine } from '../status-line.ts';
import { table } from '../table.ts';

interface AddOptions {
  readonly url: string;
  readonly passwordFile?: string;
  readonly login?: string;
  readonly loginFile?: string;
}

export function addRepositoryCommands(program: Command, runner: Runner): void {
  const repository = program
    .command('repository')
    .description('manage restic repositories for encrypted offsite backups');
  withExamples(
    repository
      .command('add')
      .description('add a repository; the first backup creates it if needed')
      .argument('<name>', 'name of the repository')
      .requiredOption(
        '--url <url>',
        'URL as seen from the servers: /path, sftp:user@host:/path, rest:https://host/path or s3:https://host/bucket',
      )
      .option(
        '--password-file <file>',
        'file with the password that encrypts it; - for standard input; prompts if omitted',
      )
      .option('--login <name>', 'user of the REST server, or access key id of S3')
      .option(
        '--login-file <file>',
        'file with the password of that user, or the secret key; prompts if omitted',
      )
      .addHelpText(
        'after',
        '\nPasswords are stored encrypted, and reach restic over standard input only. Keep a copy of the repository\npassword elsewhere: without it, the backups cannot be decrypted.',
      )
      .action(runner.run(add)),
    'drover repository add offsite --url rest:https://backup.example.org/web --login web',
    'drover repository add disk --url /mnt/backup/restic --password-file ./password',
  );
  repository.command('list').description('list repositories').action(runner.read(list));
  withExamples(
    repository
      .command('check')
      .description('check the integrity of a repository from a server')
      .argument('<name>', 'name of the repository')
      .option('--server <server>', 'server to check from, by id or name (default: one that backs up to it)')
      .option('--read <percent>', 'also read and verify this percentage of the data', wholeNumber(0, 100), 0)
      .action(runner.run(check)),
    'drover repository check offsite',
    'drover repository check offsite --server web --read 5',
  );
  withExamples(
    withYes(
      repository
        .command('remove')
        .description('remove an unused repository from Drover; its data is not deleted')
        .argument('<name>', 'name of the repository'),
    ).action(runner.run(remove)),
    'drover repository remove offsite',
  );
}

async function add(session: Session, name: string, options: AddOptions): Promise<Reply> {
  const { url, passwordFile, login, loginFile } = options;
  if (login === undefined && loginFile !== undefined) throw new UsageError('--login-file needs --login.');
  const password = await secretOf(session, passwordFile, 'Password of the repository: ', '--password-file');
  const secrets: RepositorySecrets = {
    password,
    login:
      login === undefined
        ? null
        : { name: login, secret: await secretOf(session, loginFile, `Secret of ${login}: `, '--login-file') },
  };
  const added = await session.useCases.get(ManageRepositories).add(session.actor, { name, url, secrets });
  return {
    json: repositoryView(added),
    text: `Added the repository ${added.name} (${added.kind}).\nKeep a copy of its password elsewhere. Back up to it with: ${shellCommand`drover source add SERVER --name NAME --path PATH --repository ${added.name}`}\n`,
  };
}

async function list(session: Session): Promise<Reply> {
  const repositories = await session.useCases.get(ManageRepositories).list(session.actor);
  const rows = repositories.map(({ name, kind, url, initialisedAt, createdAt }) => [
    name,
    kind,
    url,
    initialisedAt === null ? 'not used yet' : localTime(initialisedAt),
    ago(createdAt, session.now()),
  ]);
  return {
    json: { repositories: repositories.map(repositoryView), total: repositories.length },
    text:
      rows.length === 0
        ? 'There are no repositories. Add one with: drover repository add NAME --url URL\n'
        : table(['NAME', 'KIND', 'URL', 'IN USE SINCE', 'ADDED'], rows),
  };
}

async function check(
  session: Session,
  name: string,
  { server, read }: { readonly server?: string; readonly read: number },
): Promise<Reply> {
  const serverId = server === undefined ? null : (await findServer(session, server)).id;
  const status = new StatusLine(session.io);
  const { serverName, snapshots } = await session.useCases
    .get(CheckRepository)
    .execute(
      session.actor,
      { name, serverId, readPercent: read },
      {
        signal: session.signal,
        log: (line) => {
          status.clear();
          session.note([{ verbatim: line }]);
        },
        progress: (current, percent) => status.show(progressText(current, percent)),
      },
    )
    .finally(() => status.clear());
  return {
    json: { ok: true, name, server: serverName, snapshots, read_percent: read },
    text: `The repository ${name} has no errors (checked from ${serverName}): ${count(snapshots, 'snapshot')}.\n`,
  };
}

async function remove(session: Session, name: string, options: YesOption): Promise<Reply> {
  await confirmed(session, options, `Remove the repository ${name} and its password from Drover?`);
  await session.useCases.get(ManageRepositories).remove(session.actor, name);
  return {
    json: { ok: true, name },
    text: `Removed the repository ${name}. Its data was not deleted.\n`,
  };
}
