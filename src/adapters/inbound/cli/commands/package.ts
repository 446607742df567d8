import type { Command } from 'commander';
import { SearchPackages } from '../../../../application/fleet/search-packages.ts';
import { packageView } from '../../api/views/package-view.ts';
import { pageView } from '../../api/views/page-view.ts';
import { type PageOptions, withExamples, withPage } from '../arguments.ts';
import { findServer } from '../find-server.ts';
import type { Runner } from '../runner.ts';
import type { Reply, Session } from '../session.ts';
import { table } from '../table.ts';
import { pageText } from '../words.ts';

interface Options extends PageOptions {
  readonly packageVersion?: string;
  readonly server?: string;
}

export function addPackageCommands(program: Command, runner: Runner): void {
  const packages = program.command('package').description('search the installed packages of all servers');
  withExamples(
    withPage(
      packages
        .command('search')
        .description('list installed packages by name and version, with their servers')
        .argument('[name]', 'part of the name')
        .option('--package-version <text>', 'part of the version')
        .option('--server <server>', 'on this server: its id or name'),
      100,
    ).action(runner.read(search)),
    'drover package search openssl --package-version 3.0.15',
    'drover package search --server web-1',
  );
}

async function search(session: Session, name: string | undefined, options: Options): Promise<Reply> {
  const { packageVersion: version, limit, offset } = options;
  const server = options.server === undefined ? undefined : await findServer(session, options.server);
  const page = await session.useCases
    .get(SearchPackages)
    .execute(session.actor, { name, version, serverId: server?.id, limit, offset });
  const rows = page.items.map((each) => [each.serverName, each.system, each.name, each.version]);
  const cut = page.complete ? '' : 'More than 2,000 different versions match: narrow the search.\n';
  return {
    json: { packages: page.items.map(packageView), ...pageView(page), complete: page.complete },
    text:
      pageText(
        page,
        'No installed packages match.\n',
        table(['SERVER', 'SYSTEM', 'PACKAGE', 'VERSION'], rows, { last: 'whole' }),
      ) + cut,
  };
}
