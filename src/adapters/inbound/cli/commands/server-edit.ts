import { type Command, Option } from 'commander';
import { shellCommand } from '../../../../domain/base/shell-command.ts';
import type { DescriptionChange } from '../../../../domain/fleet/server-description.ts';
import { listed, SERVER_ARGUMENT, wholeNumber, withExamples } from '../arguments.ts';
import { existingKey } from '../find-key.ts';
import { findServer } from '../find-server.ts';
import type { Runner } from '../runner.ts';
import { operatorView, serverText } from '../server-text.ts';
import type { Reply, Session } from '../session.ts';

interface EditOptions {
  readonly name?: string;
  readonly host?: string;
  readonly port?: number;
  readonly user?: string;
  readonly key?: string;
  readonly agent?: true;
  readonly jump?: string | false;
  readonly sudo?: boolean;
  readonly tag?: readonly string[] | false;
  readonly jail?: string | false;
  readonly deny?: readonly string[] | false;
  readonly composeDir?: readonly string[] | false;
}

export function addServerEditCommand(server: Command, runner: Runner): void {
  withExamples(
    server
      .command('edit')
      .description('change what was said about a server; another host or port asks for its host key anew')
      .argument(...SERVER_ARGUMENT)
      .option('--name <name>', 'another name')
      .option('--host <host>', 'another host name or address')
      .option('--port <port>', 'another SSH port', wholeNumber(1, 65_535))
      .option('--user <user>', 'another account')
      .option('--key <name>', 'the key to log in with')
      .addOption(new Option('--agent', 'log in with a key of the SSH agent').conflicts('key'))
      .option('--jump <server>', 'connect through this server')
      .option('--no-jump', 'connect directly')
      .option('--sudo', 'run what needs root through sudo')
      .option('--no-sudo', 'do not use sudo')
      .option('--tag <list>', 'replace the tags', listed)
      .option('--no-tag', 'take all tags away')
      .option('--jail <directory>', 'the directory on the host that file tools may touch')
      .option('--no-jail', 'no file tools on this server')
      .option('--deny <list>', 'names that file tools may not touch, such as *.env,secrets', listed)
      .option('--no-deny', 'deny no more than what is always denied')
      .option('--compose-dir <list>', 'directories that are compose projects or hold them', listed)
      .option('--no-compose-dir', 'know only the compose projects that have containers')
      .action(runner.run(edit)),
    'drover server edit web --jail /srv/compose',
    "drover server edit web --deny '*.env,secrets'",
    'drover server edit web --compose-dir /srv/stacks',
    'drover server edit web --host 192.0.2.7 --user deploy --sudo',
  );
}

async function edit(session: Session, reference: string, options: EditOptions): Promise<Reply> {
  const { id } = await findServer(session, reference);
  const change = await changeOf(session, options);
  const server = await session.useCases.editServer.execute(session.actor, id, change);
  const trust =
    server.address.connection === 'ssh' && server.address.hostKey === null
      ? `\nIts host key has to be confirmed: ${shellCommand`drover server check ${server.id}`}\n`
      : '';
  return { json: operatorView(server), text: serverText(server, session.now()) + trust };
}

async function changeOf(session: Session, options: EditOptions): Promise<DescriptionChange> {
  const { name, host, port, user, key, agent, jump, sudo, tag, jail, deny, composeDir } = options;
  return {
    ...(name === undefined ? {} : { name }),
    ...(host === undefined ? {} : { hostname: host }),
    ...(port === undefined ? {} : { sshPort: port }),
    ...(user === undefined ? {} : { sshUsername: user }),
    ...(key === undefined ? {} : { sshKeyId: (await existingKey(session, key)).id }),
    ...(agent === undefined ? {} : { sshKeyId: null }),
    ...(jump === undefined
      ? {}
      : { jumpServerId: jump === false ? null : (await findServer(session, jump)).id }),
    ...(sudo === undefined ? {} : { become: sudo ? 'sudo' : 'none' }),
    ...(tag === undefined ? {} : { tags: tag === false ? [] : tag }),
    ...(jail === undefined ? {} : { jail: jail === false ? null : jail }),
    ...(deny === undefined ? {} : { jailDeny: deny === false ? [] : deny }),
    ...(composeDir === undefined ? {} : { composeDirs: composeDir === false ? [] : composeDir }),
  };
}
