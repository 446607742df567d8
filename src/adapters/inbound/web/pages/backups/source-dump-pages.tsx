import { DUMP_RULES, type Dump } from '../../../../../domain/backups/dump.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import { ControlNotice, lacksControl } from '../../components/control.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { FormFault, type FormState } from '../../components/form.tsx';
import { RowActions } from '../../components/row-actions.tsx';
import type { SignedInVisit, WebReply } from '../../route.ts';
import { mayOperate, Way } from '../fleet/remedy.tsx';
import { serverPage } from '../fleet/server-frame.tsx';
import { DumpFields } from './dump-fields.tsx';
import { SourceTest, TestButton, type Tested } from './source-check.tsx';
import { dumpOf, dumpsPath, type Place, type SourceDumpDeps } from './source-dump-place.ts';

async function containersOf(
  { getInventory }: SourceDumpDeps,
  { visitor }: SignedInVisit,
  { id }: Server,
): Promise<readonly string[]> {
  const hosts = await getInventory.execute(visitor.actor, { serverId: id, limit: 1, offset: 0 });
  return (hosts.items[0]?.inventory?.containers ?? []).map(({ name }) => name);
}

export async function listPage(
  deps: SourceDumpDeps,
  visit: SignedInVisit,
  { server, source }: Place,
  state: FormState,
  status = 200,
  test?: { readonly tested: Tested; readonly isSaved: boolean },
): Promise<WebReply> {
  const { actor } = visit.visitor;
  const mayAct = mayOperate(actor, server.id);
  const mayChange = mayAct && !lacksControl(actor, server);
  const dumps = await deps.manageDumps.list(actor, server.id, source.name);
  const path = dumpsPath(server, source);
  const isRestic = source.engine === 'restic';
  return serverPage(
    { server, tab: '/sources', mayAct, status, live: true },
    <>
      <h2>Database dumps of {source.name}</h2>
      <p class="quiet">
        The files of a running database are not a consistent backup. With a dump, each backup of {source.name}{' '}
        first runs the database's own client and keeps its output in the snapshot.{' '}
        <a href={`/servers/${server.id}/sources`}>All backup sources</a>
      </p>
      {isRestic ? (
        <p class="notice">
          A source in a restic repository cannot have dumps: its snapshots are made on the server. Add a
          source that is stored by Drover itself.
        </p>
      ) : null}
      <DumpRows path={path} dumps={dumps} mayChange={mayChange} />
      {mayChange && dumps.length > 0 ? <TestButton action={`${path}/test`} about="all dumps" /> : null}
      {test ? <SourceTest {...test} /> : null}
      {mayAct && !mayChange ? <ControlNotice actor={actor} server={server} to={path} /> : null}
      {mayChange && !isRestic ? (
        <form method="post" action={path} class="column">
          <h2>Add a dump</h2>
          <FormFault state={state} />
          <DumpFields state={state} dump={null} containers={await containersOf(deps, visit, server)} />
          <button type="submit">Add dump</button>
        </form>
      ) : null}
    </>,
  );
}

interface DumpRowsProps {
  readonly path: string;
  readonly dumps: readonly Dump[];
  readonly mayChange: boolean;
}

const DumpRows = ({ path, dumps, mayChange }: DumpRowsProps) => (
  <DataTable
    rows={dumps}
    keyOf={({ id }) => id}
    empty="No dumps yet."
    columns={[
      { head: 'Dump', cell: ({ name }) => name },
      { head: 'Kind', kind: 'state', cell: ({ kind }) => DUMP_RULES[kind].label },
      { head: 'Database', kind: 'code', phone: 'label', cell: ({ database }) => database ?? 'all' },
      {
        head: 'Client',
        cell: ({ container, client }) => (container === null ? 'on the server' : `${client}: ${container}`),
      },
      { head: 'Server', kind: 'code', phone: 'label', cell: addressOf },
      {
        head: 'User',
        phone: 'label',
        cell: ({ user, hasPassword }) => [user ?? '', hasPassword ? '(password)' : ''].join(' ').trim(),
      },
      mayChange && {
        head: 'Actions',
        kind: 'actions',
        cell: ({ name }) => (
          <RowActions about={name}>
            <Way to={`${path}/${name}/edit`} label="Edit" about={name} />
            <Way to={`${path}/${name}/remove`} label="Remove" about={name} />
          </RowActions>
        ),
      },
    ]}
  />
);

const addressOf = ({ host, port }: Dump): string =>
  `${host ?? 'local'}${port === null ? '' : ` port ${port}`}`;

export async function editPage(
  deps: SourceDumpDeps,
  visit: SignedInVisit,
  state: FormState,
  status = 200,
): Promise<WebReply> {
  const { server, source, dump } = await dumpOf(deps, visit);
  const path = dumpsPath(server, source);
  return serverPage(
    { server, tab: '/sources', mayAct: true, status },
    <form method="post" action={`${path}/${dump.name}/edit`} class="column">
      <h2>
        Edit dump {dump.name} of {source.name}
      </h2>
      <p class="quiet">
        {DUMP_RULES[dump.kind].label}. Dumps in existing snapshots are kept, and restored with these settings.
      </p>
      <FormFault state={state} />
      <DumpFields state={state} dump={dump} containers={await containersOf(deps, visit, server)} />
      <p class="row">
        <button type="submit">Save dump</button>
        <a href={path}>Back</a>
      </p>
    </form>,
  );
}

export async function removePage(deps: SourceDumpDeps, visit: SignedInVisit): Promise<WebReply> {
  const { server, source, dump } = await dumpOf(deps, visit);
  const path = dumpsPath(server, source);
  return serverPage(
    { server, tab: '/sources', mayAct: true },
    <form method="post" action={`${path}/${dump.name}/remove`} class="column">
      <h2>
        Stop dumping {dump.name} with the backups of {source.name}?
      </h2>
      <p>
        Dumps in existing snapshots are kept, but Drover can restore them into the database only if you add
        the dump again under the same name. Its password is deleted.
      </p>
      <p class="row">
        <button type="submit" class="danger">
          Remove dump {dump.name}
        </button>
        <a href={path}>Cancel</a>
      </p>
    </form>,
  );
}
