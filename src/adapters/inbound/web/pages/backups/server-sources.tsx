import type { ManageDumps } from '../../../../../application/backups/manage-dumps.ts';
import type { ManageRepositories } from '../../../../../application/backups/manage-repositories.ts';
import type { ManageSources } from '../../../../../application/backups/manage-sources.ts';
import type { PreviewExclusions } from '../../../../../application/backups/preview-exclusions.ts';
import type { GetServer } from '../../../../../application/fleet/get-server.ts';
import type { BackupSource } from '../../../../../domain/backups/backup-source.ts';
import type { ExclusionPreview } from '../../../../../domain/backups/exclusion-preview.ts';
import { hookText, parseHook } from '../../../../../domain/backups/hook.ts';
import { DomainError, isDomainError } from '../../../../../domain/base/errors.ts';
import { requireControl } from '../../../../../domain/fleet/own-machine.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import { ControlNotice, lacksControl } from '../../components/control.tsx';
import { Field, FormFault, type FormState, NEW_FORM, Select } from '../../components/form.tsx';
import { blaming, linesOf, submit, textOf } from '../../form-state.ts';
import { redirect, type SignedInVisit, type WebReply, type WebRoute } from '../../route.ts';
import { serverId } from '../../server-id.ts';
import { mayOperate } from '../fleet/remedy.tsx';
import { serverPage } from '../fleet/server-frame.tsx';
import { ExclusionPreviewSection } from './exclusion-preview.tsx';
import { isFaulty, type SourceCheckDeps, SourceTest, type Tested, testSource } from './source-check.tsx';
import { ContentField, contentOf, RetentionFields, retentionOf, SourceRows } from './sources.tsx';

export interface ServerSourceDeps extends SourceCheckDeps {
  readonly getServer: Pick<GetServer, 'execute'>;
  readonly manageSources: Pick<ManageSources, 'list' | 'add' | 'edit' | 'remove'>;
  readonly manageDumps: Pick<ManageDumps, 'ofServer'>;
  readonly manageRepositories: Pick<ManageRepositories, 'list'>;
  readonly previewExclusions: Pick<PreviewExclusions, 'execute'>;
}

const PATH = '/servers/:id/sources';
const pathOf = ({ id }: Server): string => `/servers/${id}/sources`;

/** A server's backup sources. */
export function serverSourceRoutes(deps: ServerSourceDeps): readonly WebRoute[] {
  const { manageSources } = deps;
  const server = ({ visitor, params }: SignedInVisit): Promise<Server> =>
    deps.getServer.execute(visitor.actor, serverId(params));
  const named = async (visit: SignedInVisit): Promise<readonly [Server, BackupSource]> => {
    const on = await server(visit);
    const name = visit.params['source'] ?? '';
    const source = (await manageSources.list(visit.visitor.actor, on.id)).find((each) => each.name === name);
    if (!source) throw new DomainError('source_not_found', `${on.name} has no backup source with that name.`);
    return [on, source];
  };
  return [
    {
      method: 'GET',
      path: PATH,
      needs: 'viewer',
      handle: async (visit) => listPage(deps, visit, await server(visit), NEW_FORM),
    },
    {
      method: 'POST',
      path: PATH,
      needs: 'operator',
      handle: async (visit) => {
        const on = await server(visit);
        return submit(
          visit.form,
          async () => {
            if (asksForPreview(visit)) {
              return listPage(deps, visit, on, typedIn(visit), 200, {
                previewed: await preview(deps, visit, on),
              });
            }
            return saved(deps, visit, on, await addSource(deps, visit, on));
          },
          (state) => listPage(deps, visit, on, state, 422),
        );
      },
    },
    {
      method: 'GET',
      path: `${PATH}/:source/edit`,
      needs: 'operator',
      handle: async (visit) => {
        const [on, source] = await named(visit);
        requireControl(visit.visitor.actor, on, 'source.edit');
        return editPage(on, source, NEW_FORM);
      },
    },
    {
      method: 'POST',
      path: `${PATH}/:source/edit`,
      needs: 'operator',
      handle: async (visit) => {
        const [on, source] = await named(visit);
        const { form, visitor } = visit;
        return submit(
          form,
          async () => {
            if (asksForPreview(visit)) {
              return editPage(on, source, typedIn(visit), 200, await preview(deps, visit, on, source));
            }
            const change = {
              ...(source.kind === 'service' ? {} : { paths: linesOf(form, 'paths') }),
              excludes: linesOf(form, 'excludes'),
              hooks: linesOf(form, 'hooks').map(parseHook),
              retention: retentionOf(form),
              ...contentOf(form),
            };
            const changed = await manageSources
              .edit(visitor.actor, on.id, source.name, change)
              .catch((error: unknown) => {
                if (!isDomainError(error, 'empty_change')) throw error;
                return source;
              });
            return saved(deps, visit, on, changed);
          },
          (state) => editPage(on, source, state, 422),
        );
      },
    },
    {
      method: 'POST',
      path: `${PATH}/:source/test`,
      needs: 'operator',
      handle: async (visit) => {
        const [on, source] = await named(visit);
        requireControl(visit.visitor.actor, on, 'source.edit');
        const tested = await testSource(deps, visit, on, source.name);
        return listPage(deps, visit, on, NEW_FORM, 200, { tested: { tested, isSaved: false } });
      },
    },
    {
      method: 'GET',
      path: `${PATH}/:source/remove`,
      needs: 'operator',
      handle: async (visit) => {
        const [on, source] = await named(visit);
        requireControl(visit.visitor.actor, on, 'source.remove');
        return removePage(on, source);
      },
    },
    {
      method: 'POST',
      path: `${PATH}/:source/remove`,
      needs: 'operator',
      handle: async (visit) => {
        const [on, source] = await named(visit);
        await manageSources.remove(visit.visitor.actor, on.id, source.name);
        return redirect(pathOf(on));
      },
    },
  ];
}

/** On to the list, unless something to stop is not there: that is shown at once. */
async function saved(
  deps: ServerSourceDeps,
  visit: SignedInVisit,
  on: Server,
  { name, hooks }: BackupSource,
): Promise<WebReply> {
  if (hooks.length === 0) return redirect(pathOf(on));
  const tested = await testSource(deps, visit, on, name);
  if (!isFaulty(tested)) return redirect(pathOf(on));
  return listPage(deps, visit, on, NEW_FORM, 200, { tested: { tested, isSaved: true } });
}

const asksForPreview = ({ form }: SignedInVisit): boolean => form.has('preview');

/** The form as it was sent, with nothing wrong in it. */
const typedIn = ({ form }: SignedInVisit): FormState => ({ typed: form, problems: [], fault: null });

/** What the form's patterns exclude from its paths. */
async function preview(
  { previewExclusions }: ServerSourceDeps,
  { visitor, form, gone }: SignedInVisit,
  on: Server,
  source?: BackupSource,
): Promise<ExclusionPreview> {
  const asked = {
    name: source?.name,
    paths: source?.kind === 'service' ? undefined : linesOf(form, 'paths'),
    excludes: linesOf(form, 'excludes'),
  };
  const blame = { source_missing: '/paths', path_refused: '/paths' } as const;
  const found = await blaming(blame, () => previewExclusions.execute(visitor.actor, on.id, asked, gone));
  return found.preview;
}

const PreviewButton = () => (
  <button type="submit" class="quiet" name="preview" value="yes" formnovalidate>
    Preview exclusions
  </button>
);

async function addSource(
  { manageSources }: ServerSourceDeps,
  { visitor, form }: SignedInVisit,
  on: Server,
): Promise<BackupSource> {
  const repository = textOf(form, 'repository');
  return blaming({ name_taken: '/name', repository_not_found: '/repository' }, () =>
    manageSources.add(visitor.actor, on.id, {
      name: textOf(form, 'name'),
      paths: linesOf(form, 'paths'),
      excludes: linesOf(form, 'excludes'),
      hooks: linesOf(form, 'hooks').map(parseHook),
      retention: retentionOf(form),
      ...contentOf(form),
      repository: repository === '' ? undefined : repository,
    }),
  );
}

/** What a button of the list was for. */
interface Shown {
  readonly previewed?: ExclusionPreview;
  readonly tested?: { readonly tested: Tested; readonly isSaved: boolean };
}

async function listPage(
  { manageSources, manageDumps, manageRepositories }: ServerSourceDeps,
  { visitor, now }: SignedInVisit,
  server: Server,
  state: FormState,
  status = 200,
  { previewed, tested }: Shown = {},
): Promise<WebReply> {
  const { actor } = visitor;
  const mayAct = mayOperate(actor);
  const mayChange = mayAct && !lacksControl(actor, server);
  const [sources, dumps, repositories] = await Promise.all([
    manageSources.list(visitor.actor, server.id),
    manageDumps.ofServer(visitor.actor, server.id),
    manageRepositories.list(visitor.actor),
  ]);
  return serverPage(
    { server, tab: '/sources', mayAct, status },
    <>
      {server.features.backup ? null : (
        <p class="notice">
          Backups are off for {server.name}: nothing here is backed up until you turn them on in its{' '}
          <a href={`/servers/${server.id}/settings`}>settings</a>.
        </p>
      )}
      {tested ? <SourceTest {...tested} /> : null}
      <SourceRows {...{ sources, dumps, repositories, server, now }} mayAct={mayChange} />
      {mayAct && !mayChange ? <ControlNotice actor={actor} server={server} to={pathOf(server)} /> : null}
      {mayChange ? (
        <form method="post" action={pathOf(server)} class="column">
          <h2>Add a source</h2>
          <FormFault state={state} />
          <Field state={state} name="name" label="Name" help="Such as etc or www." />
          <SelectionFields state={state} />
          <Select
            state={state}
            name="repository"
            label="Destination"
            options={[
              { value: '', label: "the service's own store" },
              ...repositories.map(({ name }) => ({ value: name, label: `the repository ${name}` })),
            ]}
          />
          <RetentionFields state={state} />
          <ContentField state={state} />
          <p class="row">
            <button type="submit">Add source</button>
            <PreviewButton />
          </p>
        </form>
      ) : null}
      {previewed ? <ExclusionPreviewSection preview={previewed} /> : null}
    </>,
  );
}

function SelectionFields({ state, source }: { readonly state: FormState; readonly source?: BackupSource }) {
  return (
    <>
      {source?.kind === 'service' ? (
        <p class="quiet">Drover's own data. Drover knows where it is.</p>
      ) : (
        <Field
          state={state}
          name="paths"
          label="Paths"
          type="lines"
          value={source?.paths.join('\n') ?? ''}
          help="One absolute path per line, such as /etc."
        />
      )}
      <Field
        state={state}
        name="excludes"
        label="Exclude"
        type="lines"
        value={source?.excludes.join('\n') ?? ''}
        required={false}
        help="One rsync pattern per line, such as *.tmp or /srv/www/cache."
      />
      <Field
        state={state}
        name="hooks"
        label="Stopped during the backup"
        type="lines"
        value={source?.hooks.map(hookText).join('\n') ?? ''}
        required={false}
        help="One a line: unit:nginx.service, container:db or compose:shop. All is started again afterwards, in reverse order, even if the backup fails. What was not running stays stopped."
      />
    </>
  );
}

function editPage(
  server: Server,
  source: BackupSource,
  state: FormState,
  status = 200,
  previewed?: ExclusionPreview,
): WebReply {
  return serverPage(
    { server, tab: '/sources', mayAct: true, status },
    <>
      <form method="post" action={`${pathOf(server)}/${source.name}/edit`} class="column">
        <h2>Change {source.name}</h2>
        <p class="quiet">
          Its snapshots and schedules stay. The next backup builds on the last snapshot for all paths that
          both have.
        </p>
        <FormFault state={state} />
        <SelectionFields state={state} source={source} />
        <RetentionFields state={state} value={source.retention} />
        {source.repositoryId === null ? (
          <ContentField state={state} value={source.compareContentEvery} />
        ) : null}
        <p class="row">
          <button type="submit">Save source</button>
          <PreviewButton />
          <a href={pathOf(server)}>Back</a>
        </p>
      </form>
      {previewed ? <ExclusionPreviewSection preview={previewed} /> : null}
    </>,
  );
}

const removePage = (server: Server, source: BackupSource): WebReply =>
  serverPage(
    { server, tab: '/sources', mayAct: true },
    <form method="post" action={`${pathOf(server)}/${source.name}/remove`} class="column">
      <h2>
        Stop backing up {source.name} of {server.name}?
      </h2>
      <p>
        {source.paths.map((path) => (
          <code key={path}>{path} </code>
        ))}
        is no longer backed up. Its snapshots are kept.
      </p>
      <p class="row">
        <button type="submit" class="danger">
          Remove {source.name} of {server.name}
        </button>
        <a href={pathOf(server)}>Keep it</a>
      </p>
    </form>,
  );
