import type { ManageDumps } from '../../../../../application/backups/manage-dumps.ts';
import type { ManageSources } from '../../../../../application/backups/manage-sources.ts';
import type { GetInventory } from '../../../../../application/fleet/get-inventory.ts';
import type { GetServer } from '../../../../../application/fleet/get-server.ts';
import { type BackupSource, sourceNotFound } from '../../../../../domain/backups/backup-source.ts';
import { DUMP_KINDS, DUMP_RULES, type Dump, dumpNotFound } from '../../../../../domain/backups/dump.ts';
import { InvalidInput } from '../../../../../domain/base/errors.ts';
import { requireControl } from '../../../../../domain/fleet/own-machine.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import { ControlNotice, lacksControl } from '../../components/control.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { FormFault, type FormState, NEW_FORM } from '../../components/form.tsx';
import { blaming, submit, textOf } from '../../form-state.ts';
import { redirect, type SignedInVisit, type WebReply, type WebRoute } from '../../route.ts';
import { serverId } from '../../server-id.ts';
import { mayOperate, Way } from '../fleet/remedy.tsx';
import { serverPage } from '../fleet/server-frame.tsx';
import { connectionOf, DumpFields } from './dump-fields.tsx';
import {
  isFaulty,
  type SourceCheckDeps,
  SourceTest,
  TestButton,
  type Tested,
  testSource,
} from './source-check.tsx';

export interface SourceDumpDeps extends SourceCheckDeps {
  readonly getServer: Pick<GetServer, 'execute'>;
  readonly getInventory: Pick<GetInventory, 'execute'>;
  readonly manageSources: Pick<ManageSources, 'list'>;
  readonly manageDumps: Pick<ManageDumps, 'add' | 'edit' | 'list' | 'remove'>;
}

const PATH = '/servers/:id/sources/:source/dumps';
const ONE = `${PATH}/:dump`;

interface Place {
  readonly server: Server;
  readonly source: BackupSource;
}

export const dumpsPath = (server: Pick<Server, 'id'>, source: Pick<BackupSource, 'name'>): string =>
  `/servers/${server.id}/sources/${source.name}/dumps`;

/** The databases that are dumped with each backup of a source. */
export function sourceDumpRoutes(deps: SourceDumpDeps): readonly WebRoute[] {
  const { manageDumps } = deps;
  return [
    {
      method: 'GET',
      path: PATH,
      needs: 'viewer',
      handle: async (visit) => listPage(deps, visit, await placeOf(deps, visit), NEW_FORM),
    },
    {
      method: 'POST',
      path: PATH,
      needs: 'operator',
      handle: async (visit) => {
        const place = await placeOf(deps, visit);
        return submit(
          visit.form,
          async () => {
            await add(deps, visit, place);
            return saved(deps, visit, place);
          },
          (state) => listPage(deps, visit, place, state, 422),
        );
      },
    },
    {
      method: 'POST',
      path: `${PATH}/test`,
      needs: 'operator',
      handle: async (visit) => {
        const place = await placeOf(deps, visit);
        requireControl(visit.visitor.actor, place.server, 'source.edit');
        const tested = await testSource(deps, visit, place.server, place.source.name);
        return listPage(deps, visit, place, NEW_FORM, 200, { tested, isSaved: false });
      },
    },
    {
      method: 'GET',
      path: `${ONE}/edit`,
      needs: 'operator',
      handle: (visit) => editPage(deps, visit, NEW_FORM),
    },
    {
      method: 'POST',
      path: `${ONE}/edit`,
      needs: 'operator',
      handle: (visit) =>
        submit(
          visit.form,
          async () => {
            const { visitor, params, form } = visit;
            const place = await placeOf(deps, visit);
            const name = params['dump'] ?? '';
            await manageDumps.edit(
              visitor.actor,
              place.server.id,
              place.source.name,
              name,
              connectionOf(form),
            );
            return saved(deps, visit, place);
          },
          (state) => editPage(deps, visit, state, 422),
        ),
    },
    {
      method: 'GET',
      path: `${ONE}/remove`,
      needs: 'operator',
      handle: (visit) => removePage(deps, visit),
    },
    {
      method: 'POST',
      path: `${ONE}/remove`,
      needs: 'operator',
      handle: async (visit) => {
        const { server, source } = await placeOf(deps, visit);
        await manageDumps.remove(visit.visitor.actor, server.id, source.name, visit.params['dump'] ?? '');
        return redirect(dumpsPath(server, source));
      },
    },
  ];
}

/** On to the list, unless a dump would fail: that is shown at once. */
async function saved(deps: SourceDumpDeps, visit: SignedInVisit, place: Place): Promise<WebReply> {
  const tested = await testSource(deps, visit, place.server, place.source.name);
  if (!isFaulty(tested)) return redirect(dumpsPath(place.server, place.source));
  return listPage(deps, visit, place, NEW_FORM, 200, { tested, isSaved: true });
}

async function placeOf(
  { getServer, manageSources }: SourceDumpDeps,
  { visitor: { actor }, params }: SignedInVisit,
): Promise<Place> {
  const server = await getServer.execute(actor, serverId(params));
  const name = params['source'] ?? '';
  const source = (await manageSources.list(actor, server.id)).find((each) => each.name === name);
  if (!source) throw sourceNotFound(name);
  return { server, source };
}

/** For users who may change it. */
async function dumpOf(deps: SourceDumpDeps, visit: SignedInVisit): Promise<Place & { readonly dump: Dump }> {
  const { visitor, params } = visit;
  const { server, source } = await placeOf(deps, visit);
  requireControl(visitor.actor, server, 'source.edit');
  const name = params['dump'] ?? '';
  const dumps = await deps.manageDumps.list(visitor.actor, server.id, source.name);
  const dump = dumps.find((each) => each.name === name);
  if (!dump) throw dumpNotFound(name);
  return { server, source, dump };
}

async function add({ manageDumps }: SourceDumpDeps, { visitor, form }: SignedInVisit, place: Place) {
  const kind = DUMP_KINDS.find((each) => each === form.get('kind'));
  if (!kind) throw new InvalidInput([{ path: '/kind', message: 'Choose the kind of the database.' }]);
  await blaming({ name_taken: '/name' }, () =>
    manageDumps.add(visitor.actor, place.server.id, place.source.name, {
      ...connectionOf(form),
      name: textOf(form, 'name'),
      kind,
    }),
  );
}

async function containersOf(
  { getInventory }: SourceDumpDeps,
  { visitor }: SignedInVisit,
  { id }: Server,
): Promise<readonly string[]> {
  const hosts = await getInventory.execute(visitor.actor, { serverId: id, limit: 1, offset: 0 });
  return (hosts.items[0]?.inventory?.containers ?? []).map(({ name }) => name);
}

async function listPage(
  deps: SourceDumpDeps,
  visit: SignedInVisit,
  { server, source }: Place,
  state: FormState,
  status = 200,
  test?: { readonly tested: Tested; readonly isSaved: boolean },
): Promise<WebReply> {
  const { actor } = visit.visitor;
  const mayAct = mayOperate(actor);
  const mayChange = mayAct && !lacksControl(actor, server);
  const dumps = await deps.manageDumps.list(actor, server.id, source.name);
  const path = dumpsPath(server, source);
  const isRestic = source.engine === 'restic';
  return serverPage(
    { server, tab: '/sources', mayAct, status },
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
          source that is kept in the service's own store.
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
    empty="It has no dumps."
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
          <div class="row">
            <Way to={`${path}/${name}/edit`} label="Change" about={name} />
            <Way to={`${path}/${name}/remove`} label="Remove" about={name} />
          </div>
        ),
      },
    ]}
  />
);

const addressOf = ({ host, port }: Dump): string =>
  `${host ?? 'local'}${port === null ? '' : ` port ${port}`}`;

async function editPage(
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
        Change the dump {dump.name} of {source.name}
      </h2>
      <p class="quiet">
        {DUMP_RULES[dump.kind].label}. Dumps in snapshots stay, and are restored by this connection.
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

async function removePage(deps: SourceDumpDeps, visit: SignedInVisit): Promise<WebReply> {
  const { server, source, dump } = await dumpOf(deps, visit);
  const path = dumpsPath(server, source);
  return serverPage(
    { server, tab: '/sources', mayAct: true },
    <form method="post" action={`${path}/${dump.name}/remove`} class="column">
      <h2>
        Stop dumping {dump.name} with the backups of {source.name}?
      </h2>
      <p>
        Dumps in snapshots stay, but Drover can restore them into their database only if you add the dump
        again under the same name. Its password is deleted.
      </p>
      <p class="row">
        <button type="submit" class="danger">
          Remove dump {dump.name}
        </button>
        <a href={path}>Keep it</a>
      </p>
    </form>,
  );
}
