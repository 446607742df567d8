import { type Command, Option } from 'commander';
import { ListServers } from '../../../../application/fleet/list-servers.ts';
import { ManageKeys } from '../../../../application/fleet/manage-keys.ts';
import { EditServer, RemoveServer } from '../../../../application/fleet/register-server.ts';
import { SetFeatures } from '../../../../application/fleet/set-features.ts';
import { shellCommand } from '../../../../domain/base/shell-command.ts';
import { SUPPORT_STATES, type SupportState } from '../../../../domain/fleet/os-support.ts';
import { FEATURE_FLAGS, type FeatureFlags, type Server } from '../../../../domain/fleet/server.ts';
import type { DescriptionChange } from '../../../../domain/fleet/server-description.ts';
import { pageView } from '../../api/views/page-view.ts';
import { serverView } from '../../api/views/server-view.ts';
import {
  collected,
  featureFlag,
  listed,
  type PageOptions,
  SERVER_ARGUMENT,
  wholeNumber,
  withExamples,
  withPage,
} from '../arguments.ts';
import { confirmed, withYes, type YesOption } from '../confirm.ts';
import { existingKey } from '../find-key.ts';
import { findServer } from '../find-server.ts';
import type { Runner } from '../runner.ts';
import { featuresOf, operatorView, SERVER_HEADING, serverRow, serverText } from '../server-text.ts';
import type { Reply, Session } from '../session.ts';
import { table } from '../table.ts';
import { pageText } from '../words.ts';
import { addServerAddCommand } from './server-add.ts';
import { addServerCheckCommand } from './server-check.ts';

interface ListOptions extends PageOptions {
  readonly match?: string;
  readonly tag?: string;
  readonly support?: SupportState;
}

export function addServerCommands(program: Command, runner: Runner): void {
  const server = program.command('server').description('manage servers');
  addServerAddCommand(server, runner);
  withExamples(
    withPage(
      server
        .command('list')
        .description('list servers by name')
        .addOption(
          new Option('--match <text>', 'only servers with this text in their name, host name or tags'),
        )
        .option('--tag <tag>', 'only servers with exactly this tag')
        .addOption(
          new Option(
            '--support <state>',
            'only servers whose system no longer gets security updates (ended), or for less than 90 days (ending)',
          ).choices([...SUPPORT_STATES]),
        ),
      100,
    ).action(runner.read(list)),
    'drover server list',
    'drover server list --tag production',
    'drover server list --match web --json',
  );
  server
    .command('show')
    .description('show the stored details of a server')
    .argument(...SERVER_ARGUMENT)
    .action(runner.run(show));
  addServerEditCommand(server, runner);
  addServerCheckCommand(server, runner);
  withExamples(
    server
      .command('features')
      .description(`switch features on or off: ${FEATURE_FLAGS.join(', ')}`)
      .argument(...SERVER_ARGUMENT)
      .argument('<flag=on|off...>', 'a feature and its new state', featureFlag)
      .action(runner.run(features)),
    'drover server features web backup=on os_patch=off',
  );
  withExamples(
    withYes(
      server
        .command('remove')
        .description('remove a server from the fleet; its history and snapshots are kept')
        .argument(...SERVER_ARGUMENT),
    ).action(runner.run(remove)),
    'drover server remove web',
  );
}

async function list(session: Session, { match, tag, support, limit, offset }: ListOptions): Promise<Reply> {
  const q = match ?? '';
  const page = await session.useCases.get(ListServers).execute(session.actor, {
    q,
    ...(tag === undefined ? {} : { tag }),
    support,
    limit,
    offset,
  });
  const rows = page.items.map((server) => serverRow(server, session.now()));
  return {
    json: { servers: page.items.map(serverView), ...pageView(page), q },
    text: pageText(
      page,
      tag !== undefined || support !== undefined || q !== ''
        ? 'No servers match.\n'
        : 'No servers yet. Add one with: drover server add NAME --host HOST\n',
      table(SERVER_HEADING, rows),
    ),
  };
}

async function show(session: Session, reference: string): Promise<Reply> {
  return shown(session, await findServer(session, reference));
}

async function shown(session: Session, server: Server): Promise<Reply & { readonly text: string }> {
  const { sshKeyId, jumpServerId } = server.address;
  const keys = sshKeyId === null ? [] : await session.useCases.get(ManageKeys).list();
  const jump =
    jumpServerId === null
      ? null
      : (await session.useCases.get(ListServers).names(session.actor, [jumpServerId])).get(jumpServerId);
  const names = { key: keys.find(({ id }) => id === sshKeyId)?.name ?? null, jump: jump ?? null };
  return { json: operatorView(server), text: serverText(server, session.now(), names) };
}

async function features(session: Session, reference: string, flags: Partial<FeatureFlags>): Promise<Reply> {
  const { id } = await findServer(session, reference);
  const { changed, server } = await session.useCases.get(SetFeatures).execute(session.actor, id, flags);
  const what = changed.length === 0 ? 'Nothing to change' : `Changed ${changed.join(', ')}`;
  return {
    json: { ok: true, changed, server: serverView(server) },
    text: `${what}; ${server.name} now has: ${featuresOf(server.features)}.\n`,
  };
}

async function remove(session: Session, reference: string, options: YesOption): Promise<Reply> {
  const server = await findServer(session, reference);
  await confirmed(
    session,
    options,
    `Remove server ${server.name} (id ${server.id})? Nothing is changed on the server itself.`,
  );
  await session.useCases.get(RemoveServer).execute(session.actor, server.id);
  return {
    json: { ok: true, server: serverView(server) },
    text: `${server.name} is no longer in the fleet. Its snapshots stay on disk.\n`,
  };
}

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
  readonly check?: readonly string[] | false;
}

function addServerEditCommand(server: Command, runner: Runner): void {
  withExamples(
    server
      .command('edit')
      .description('edit a server; changing host or port requires confirming the host key again')
      .argument(...SERVER_ARGUMENT)
      .option('--name <name>', 'new name')
      .option('--host <host>', 'new host name or address')
      .option('--port <port>', 'new SSH port', wholeNumber(1, 65_535))
      .option('--user <user>', 'new account to log in to')
      .option('--key <name>', 'the key to log in with')
      .addOption(new Option('--agent', 'log in with a key of the SSH agent').conflicts('key'))
      .option('--jump <server>', 'connect through this server')
      .option('--no-jump', 'connect directly')
      .option('--sudo', 'use sudo for commands that need root')
      .option('--no-sudo', 'do not use sudo')
      .option('--tag <list>', 'replace the tags', listed)
      .option('--no-tag', 'remove all tags')
      .option('--jail <directory>', 'file root: the directory on the host that file tools can access')
      .option('--no-jail', 'no file tools on this server')
      .option('--deny <list>', 'names that file tools cannot access, such as *.env,secrets', listed)
      .option('--no-deny', 'deny only the built-in names')
      .option('--compose-dir <list>', 'directories with Compose projects', listed)
      .option('--no-compose-dir', 'find only Compose projects with containers')
      .option(
        '--check <check>',
        'check of guarded package updates, such as "tcp 22"; repeatable, replaces the previous ones',
        collected,
      )
      .option('--no-check', 'remove the checks of guarded package updates')
      .action(runner.run(edit)),
    'drover server edit web --jail /srv/compose',
    "drover server edit web --deny '*.env,secrets'",
    'drover server edit web --compose-dir /srv/stacks',
    "drover server edit web --check 'http 80 /health 200' --check 'tcp 5432'",
    'drover server edit web --host 192.0.2.7 --user deploy --sudo',
  );
}

async function edit(session: Session, reference: string, options: EditOptions): Promise<Reply> {
  const { id } = await findServer(session, reference);
  const change = await changeOf(session, options);
  const server = await session.useCases.get(EditServer).execute(session.actor, id, change);
  const trust =
    server.address.connection === 'ssh' && server.address.hostKey === null
      ? `\nIts host key has to be confirmed: ${shellCommand`drover server check ${server.id}`}\n`
      : '';
  const { json, text } = await shown(session, server);
  return { json, text: [text, trust].flat() };
}

async function changeOf(session: Session, options: EditOptions): Promise<DescriptionChange> {
  const { name, host, port, user, key, agent, jump, sudo, tag, jail, deny, composeDir, check } = options;
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
    ...(check === undefined ? {} : { updateChecks: check === false ? [] : check }),
  };
}
