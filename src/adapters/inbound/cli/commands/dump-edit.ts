import { type Command, Option } from 'commander';
import { ManageDumps } from '../../../../application/backups/manage-dumps.ts';
import type { DumpChange } from '../../../../domain/backups/dump.ts';
import { dumpView } from '../../api/views/dump-view.ts';
import { SERVER_ARGUMENT, wholeNumber, withExamples } from '../arguments.ts';
import { UsageError } from '../errors.ts';
import { findServer } from '../find-server.ts';
import type { Runner } from '../runner.ts';
import { secretOf } from '../secret-option.ts';
import type { Reply, Session } from '../session.ts';
import { savedText } from './source-check.ts';
import { dumpTable } from './source-list.ts';

/** `false`: its option with `--no-`. */
interface EditOptions {
  readonly docker?: string;
  readonly podman?: string;
  readonly container?: false;
  readonly database?: string | false;
  readonly user?: string | false;
  readonly host?: string | false;
  readonly port?: number | false;
  readonly password?: boolean;
  readonly passwordFile?: string;
}

export function addDumpEditCommand(dump: Command, runner: Runner): void {
  withExamples(
    dump
      .command('edit')
      .description('edit a dump; its name and kind cannot be changed')
      .argument(...SERVER_ARGUMENT)
      .argument('<source>', 'name of the backup source')
      .argument('<name>', 'name of the dump')
      .option('--database <name>', 'a different database, or a different SQLite file')
      .option('--no-database', 'dump all databases')
      .addOption(
        new Option('--docker <container>', 'use the client in this Docker container').conflicts('podman'),
      )
      .option('--podman <container>', 'use the client in this Podman container')
      .option('--no-container', "use the host's own client")
      .option('--user <name>', 'new database user')
      .option('--no-user', "the client's default user")
      .option('--host <host>', 'new host name, address or socket')
      .option('--no-host', 'the local database server')
      .option('--port <port>', 'new port', wholeNumber(1, 65_535))
      .option('--no-port', 'the default port')
      .addOption(new Option('--password', 'prompt for a new password').conflicts('passwordFile'))
      .option('--password-file <file>', 'read a new password from a file; - for standard input')
      .option('--no-password', 'connect without a password')
      .addHelpText(
        'after',
        '\nIf the dump has a password, changing the container, host or port asks for it again.',
      )
      .action(runner.run(edit)),
    'drover dump edit web www shop --password-file new-password',
    'drover dump edit web www shop --docker shop-db-2 --password',
    'drover dump edit web www shop --no-database --no-user',
  );
}

async function edit(
  session: Session,
  reference: string,
  source: string,
  name: string,
  options: EditOptions,
): Promise<Reply> {
  const server = await findServer(session, reference);
  const change = await changeOf(session, options);
  const changed = await session.useCases
    .get(ManageDumps)
    .edit(session.actor, server.id, source, name, change);
  return {
    json: dumpView(changed),
    text: `Changed the dump ${name} of ${source} on ${server.name}.\n${dumpTable([changed])}${await savedText(session, server, source)}`,
  };
}

async function changeOf(session: Session, options: EditOptions): Promise<DumpChange> {
  const { database, user, host, port, docker, podman, passwordFile } = options;
  const container = docker ?? podman;
  if (options.container === false && container !== undefined)
    throw new UsageError('--no-container does not go with --docker or --podman.');
  return {
    database: orNone(database),
    user: orNone(user),
    host: orNone(host),
    port: orNone(port),
    ...(options.container === false ? { client: 'host' } : {}),
    ...(container === undefined ? {} : { client: docker === undefined ? 'podman' : 'docker', container }),
    ...(options.password === false ? { password: null } : {}),
    ...(options.password || passwordFile !== undefined
      ? { password: await secretOf(session, passwordFile, 'Database password: ', '--password-file') }
      : {}),
  };
}

const orNone = <T>(given: T | false | undefined): T | null | undefined => (given === false ? null : given);
