import { type Command, Option } from 'commander';
import { FEATURE_FLAGS, type FeatureFlags } from '../../../../domain/fleet/server.ts';
import { pageView } from '../../api/views/page-view.ts';
import { serverView } from '../../api/views/server-view.ts';
import { featureFlag, type PageOptions, SERVER_ARGUMENT, withExamples, withPage } from '../arguments.ts';
import { confirmed, withYes, type YesOption } from '../confirm.ts';
import { findServer } from '../find-server.ts';
import type { Runner } from '../runner.ts';
import { featuresOf, operatorView, SERVER_HEADING, serverRow, serverText } from '../server-text.ts';
import type { Reply, Session } from '../session.ts';
import { table } from '../table.ts';
import { moreOf } from '../words.ts';
import { addServerAddCommand } from './server-add.ts';
import { addServerCheckCommand } from './server-check.ts';
import { addServerEditCommand } from './server-edit.ts';

interface ListOptions extends PageOptions {
  readonly match?: string;
}

export function addServerCommands(program: Command, runner: Runner): void {
  const server = program.command('server').description('the machines that the service looks after');
  addServerAddCommand(server, runner);
  withExamples(
    withPage(
      server
        .command('list')
        .description('list servers by name')
        .addOption(new Option('--match <text>', 'only those with this in their name, host name or tags')),
      100,
    ).action(runner.run(list)),
    'drover server list',
    'drover server list --match web --json',
  );
  server
    .command('show')
    .description('show all that is known of a server, as last seen')
    .argument(...SERVER_ARGUMENT)
    .action(runner.run(show));
  addServerEditCommand(server, runner);
  addServerCheckCommand(server, runner);
  withExamples(
    server
      .command('features')
      .description(`switch features on or off: ${FEATURE_FLAGS.join(', ')}`)
      .argument(...SERVER_ARGUMENT)
      .argument('<flag=on|off...>', 'what to switch, and how', featureFlag)
      .action(runner.run(features)),
    'drover server features web backup=on os_patch=off',
  );
  withExamples(
    withYes(
      server
        .command('remove')
        .description('take a server out of the fleet; its history and its snapshots stay')
        .argument(...SERVER_ARGUMENT),
    ).action(runner.run(remove)),
    'drover server remove web',
  );
}

async function list(session: Session, { match, limit, offset }: ListOptions): Promise<Reply> {
  const q = match ?? '';
  const page = await session.useCases.listServers.execute(session.actor, { q, limit, offset });
  const rows = page.items.map((server) => serverRow(server, session.now()));
  return {
    json: { servers: page.items.map(serverView), ...pageView(page), q },
    text:
      rows.length === 0
        ? 'No server was found. Add one with: drover server add NAME --host HOST\n'
        : table(SERVER_HEADING, rows) + moreOf(page),
  };
}

async function show(session: Session, reference: string): Promise<Reply> {
  const server = await findServer(session, reference);
  return { json: operatorView(server), text: serverText(server, session.now()) };
}

async function features(session: Session, reference: string, flags: Partial<FeatureFlags>): Promise<Reply> {
  const { id } = await findServer(session, reference);
  const { changed, server } = await session.useCases.setFeatures.execute(session.actor, id, flags);
  const what = changed.length === 0 ? 'Nothing to change' : `Changed ${changed.join(', ')}`;
  return {
    json: { ok: true, changed, server: serverView(server) },
    text: `${what}; ${server.name} now has: ${featuresOf(server.features)}.\n`,
  };
}

async function remove(session: Session, reference: string, options: YesOption): Promise<Reply> {
  const server = await findServer(session, reference);
  await confirmed(session, options, `Take ${server.name} (id ${server.id}) out of the fleet?`);
  await session.useCases.removeServer.execute(session.actor, server.id);
  return {
    json: { ok: true, server: serverView(server) },
    text: `${server.name} is no longer in the fleet. Its snapshots stay on disk.\n`,
  };
}
