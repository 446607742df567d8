import { type Command, Option } from 'commander';
import { GetSnapshot } from '../../../../application/backups/list-snapshots.ts';
import { ManageDumps } from '../../../../application/backups/manage-dumps.ts';
import { RequestDumpRestore } from '../../../../application/backups/request-dump-restore.ts';
import { GetServer } from '../../../../application/fleet/get-server.ts';
import { DUMP_KINDS, type DumpKind, dumpPath } from '../../../../domain/backups/dump.ts';
import { shellCommand } from '../../../../domain/base/shell-command.ts';
import { dumpView } from '../../api/views/dump-view.ts';
import { jobView } from '../../api/views/job-view.ts';
import { id, SERVER_ARGUMENT, wholeNumber, withExamples } from '../arguments.ts';
import { confirmed, withYes, type YesOption } from '../confirm.ts';
import { findServer } from '../find-server.ts';
import type { Runner } from '../runner.ts';
import { secretOf } from '../secret-option.ts';
import type { Reply, Session } from '../session.ts';
import { addDumpEditCommand } from './dump-edit.ts';
import { ending, type FollowOptions, withFollow } from './job-follow.ts';
import { savedText } from './source-check.ts';
import { dumpTable } from './source-list.ts';

interface AddOptions {
  readonly name: string;
  readonly kind: DumpKind | 'mariadb';
  readonly docker?: string;
  readonly podman?: string;
  readonly database?: string;
  readonly user?: string;
  readonly host?: string;
  readonly port?: number;
  readonly password?: true;
  readonly passwordFile?: string;
}

interface RestoreOptions extends FollowOptions, YesOption {
  readonly database?: string;
  readonly dryRun?: true;
  readonly plan?: number;
}

const SOURCE_ARGUMENT = ['<source>', 'name of the backup source'] as const;

export function addDumpCommands(program: Command, runner: Runner): void {
  const dump = program.command('dump').description('manage databases that backups dump into their snapshots');
  withExamples(
    dump
      .command('add')
      .description('dump a database with each backup of a source')
      .argument(...SERVER_ARGUMENT)
      .argument(...SOURCE_ARGUMENT)
      .requiredOption('--name <name>', 'name of the dump, and of its file in the snapshot')
      .addOption(
        new Option('--kind <kind>', 'type of database; mariadb is the same as mysql')
          .choices([...DUMP_KINDS, 'mariadb'])
          .makeOptionMandatory(),
      )
      .option('--database <name>', 'one database (default: all); for sqlite, the path of the file')
      .addOption(
        new Option('--docker <container>', 'use the client in this Docker container').conflicts('podman'),
      )
      .option('--podman <container>', 'use the client in this Podman container')
      .option('--user <name>', 'database user')
      .option('--host <host>', 'host name, address or socket (default: the local server)')
      .option('--port <port>', 'port', wholeNumber(1, 65_535))
      .addOption(new Option('--password', 'prompt for the password').conflicts('passwordFile'))
      .option('--password-file <file>', 'read the password from a file; - for standard input')
      .addHelpText(
        'after',
        '\nThe password is encrypted before it is stored, and reaches the database client over standard input only.',
      )
      .action(runner.run(add)),
    'drover dump add web www --name shop --kind postgres --database shop',
    'drover dump add web www --name shop --kind mysql --docker shop-db-1 --database shop --user backup --password',
    'drover dump add web www --name app --kind sqlite --database /srv/app/app.db',
  );
  addDumpEditCommand(dump, runner);
  dump
    .command('list')
    .description('list the dumps of a backup source')
    .argument(...SERVER_ARGUMENT)
    .argument(...SOURCE_ARGUMENT)
    .action(runner.read(list));
  withExamples(
    withFollow(
      withYes(
        dump
          .command('restore')
          .description(
            'restore a dump from a snapshot into its database; the dump must still be configured in its source',
          )
          .argument('<snapshot>', 'id of the snapshot', id)
          .argument('<name>', 'name of the dump')
          .option('--database <name>', 'a different database, or a different SQLite file')
          .addOption(
            new Option(
              '--plan <job>',
              'apply exactly the plan of this dry run, or nothing; refused if the connection changed',
            )
              .argParser(id)
              .conflicts('dryRun'),
          )
          .option('--dry-run', 'report what would be replaced, and change nothing'),
      ),
    ).action(runner.run(restore)),
    'drover dump restore 12 shop --dry-run --follow',
    'drover dump restore 12 shop --plan 34 --follow',
    'drover dump restore 12 shop --database shop_copy --yes',
  );
  withExamples(
    withYes(
      dump
        .command('remove')
        .description('stop dumping a database; dumps in snapshots stay')
        .argument(...SERVER_ARGUMENT)
        .argument(...SOURCE_ARGUMENT)
        .argument('<name>', 'name of the dump'),
    ).action(runner.run(remove)),
    'drover dump remove web www shop',
  );
}

async function add(session: Session, reference: string, source: string, options: AddOptions): Promise<Reply> {
  const { name, kind, docker, podman, database, user, host, port, passwordFile } = options;
  const server = await findServer(session, reference);
  const needsPassword = options.password || passwordFile !== undefined;
  const password = needsPassword
    ? await secretOf(session, passwordFile, 'Database password: ', '--password-file')
    : undefined;
  const added = await session.useCases.get(ManageDumps).add(session.actor, server.id, source, {
    name,
    kind: kind === 'mariadb' ? 'mysql' : kind,
    client: docker !== undefined ? 'docker' : podman !== undefined ? 'podman' : 'host',
    container: docker ?? podman,
    database,
    user,
    host,
    port,
    password,
  });
  return {
    json: dumpView(added),
    text: `Each backup of ${source} on ${server.name} now has ${dumpPath(added)}.\nTry it with: ${shellCommand`drover job start ${server.id} backup --source ${source} --follow`}\n${await savedText(session, server, source)}`,
  };
}

async function list(session: Session, reference: string, source: string): Promise<Reply> {
  const server = await findServer(session, reference);
  const dumps = await session.useCases.get(ManageDumps).list(session.actor, server.id, source);
  return {
    json: { dumps: dumps.map(dumpView), total: dumps.length },
    text: dumps.length === 0 ? `${source} on ${server.name} has no dumps.\n` : dumpTable(dumps),
  };
}

async function remove(
  session: Session,
  reference: string,
  source: string,
  name: string,
  options: YesOption,
): Promise<Reply> {
  const server = await findServer(session, reference);
  await confirmed(session, options, `Stop dumping ${name} with the backups of ${source} on ${server.name}?`);
  await session.useCases.get(ManageDumps).remove(session.actor, server.id, source, name);
  return {
    json: { ok: true, server_id: server.id, source, name },
    text: `Backups of ${source} on ${server.name} no longer dump ${name}. Dumps in snapshots stay.\n`,
  };
}

async function restore(
  session: Session,
  snapshotId: number,
  name: string,
  options: RestoreOptions,
): Promise<Reply> {
  const { useCases, actor } = session;
  const { database = null, dryRun = false } = options;
  const snapshot = await useCases.get(GetSnapshot).execute(actor, snapshotId);
  const server = await useCases.get(GetServer).execute(actor, snapshot.serverId);
  if (!dryRun) {
    const target = database === null ? 'its database' : `the database ${database}`;
    const question = `Replace the content of ${target} on ${server.name} with the dump ${name} of snapshot ${snapshotId}?`;
    await confirmed(session, options, question);
  }
  const order = { snapshotId, name, database, dryRun, planId: options.plan, confirmation: server.name };
  const job = await useCases.get(RequestDumpRestore).execute(actor, order);
  const started = { job_id: job.id, status: job.status, job_type: job.jobType, job: jobView(job) };
  if (!options.wait && !options.follow) {
    return {
      json: started,
      text: `Job ${job.id} restores the dump ${name}. Follow it with: ${shellCommand`drover job show ${job.id} --follow`}\n`,
    };
  }
  const ended = await ending(session, job.id, options);
  return { ...ended, json: { ...started, status: ended.job.status, job: ended.json } };
}
