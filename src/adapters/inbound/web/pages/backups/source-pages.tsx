import type { ManageDumps } from '../../../../../application/backups/manage-dumps.ts';
import type { ManageRepositories } from '../../../../../application/backups/manage-repositories.ts';
import type { ManageSources } from '../../../../../application/backups/manage-sources.ts';
import type { BackupSource } from '../../../../../domain/backups/backup-source.ts';
import type { ExclusionPreview } from '../../../../../domain/backups/exclusion-preview.ts';
import { hookText } from '../../../../../domain/backups/hook.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import { ControlNotice, lacksControl } from '../../components/control.tsx';
import { Fold } from '../../components/fold.tsx';
import { Field, FormFault, type FormState, NEW_FORM, Select } from '../../components/form.tsx';
import type { SignedInVisit, WebReply } from '../../route.ts';
import { mayOperate } from '../fleet/remedy.tsx';
import { serverPage } from '../fleet/server-frame.tsx';
import { ExclusionPreviewSection } from './exclusion-preview.tsx';
import { SourceTest, type Tested } from './source-check.tsx';
import { ContentField, RetentionFields, SourceRows } from './sources.tsx';

/** What the pages about a server's sources show. */
export interface SourcePageDeps {
  readonly manageSources: Pick<ManageSources, 'list'>;
  readonly manageDumps: Pick<ManageDumps, 'ofServer'>;
  readonly manageRepositories: Pick<ManageRepositories, 'list'>;
}

export const pathOf = ({ id }: Server): string => `/servers/${id}/sources`;

const PreviewButton = () => (
  <button type="submit" class="quiet" name="preview" value="yes" formnovalidate>
    Preview exclusions
  </button>
);

/** What a button of the list was for. */
interface Shown {
  readonly previewed?: ExclusionPreview;
  readonly tested?: { readonly tested: Tested; readonly isSaved: boolean };
}

export async function listPage(
  { manageSources, manageDumps, manageRepositories }: SourcePageDeps,
  { visitor, now }: SignedInVisit,
  server: Server,
  state: FormState,
  status = 200,
  { previewed, tested }: Shown = {},
): Promise<WebReply> {
  const { actor } = visitor;
  const mayAct = mayOperate(actor, server.id);
  const mayChange = mayAct && !lacksControl(actor, server);
  const [sources, dumps, repositories] = await Promise.all([
    manageSources.list(visitor.actor, server.id),
    manageDumps.ofServer(visitor.actor, server.id),
    manageRepositories.list(visitor.actor),
  ]);
  return serverPage(
    { server, tab: '/sources', mayAct, status, live: true },
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
        <Fold
          title="Add a source"
          open={sources.length === 0 || state !== NEW_FORM || previewed !== undefined}
        >
          <form method="post" action={pathOf(server)} class="column">
            <FormFault state={state} />
            <Field state={state} name="name" label="Name" help="Such as etc or www." />
            <SelectionFields state={state} />
            <Select
              state={state}
              name="repository"
              label="Destination"
              options={[
                { value: '', label: "Drover's own storage" },
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
        </Fold>
      ) : null}
      {previewed ? <ExclusionPreviewSection preview={previewed} /> : null}
    </>,
  );
}

function SelectionFields({ state, source }: { readonly state: FormState; readonly source?: BackupSource }) {
  return (
    <>
      {source?.kind === 'service' ? (
        <p class="quiet">Drover's own data. Drover knows its location.</p>
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
        help="One per line: unit:nginx.service, container:db or compose:shop. Drover starts them again afterwards, in reverse order, even if the backup fails. Those that were not running stay stopped."
      />
    </>
  );
}

export function editPage(
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
        <h2>Edit {source.name}</h2>
        <p class="quiet">
          Its snapshots and schedules are kept. The next backup is incremental for all paths that the last
          snapshot contains.
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

export const removePage = (server: Server, source: BackupSource): WebReply =>
  serverPage(
    { server, tab: '/sources', mayAct: true },
    <form method="post" action={`${pathOf(server)}/${source.name}/remove`} class="column">
      <h2>
        Stop backing up {source.name} on {server.name}?
      </h2>
      <p>
        {source.paths.map((path) => (
          <code key={path}>{path} </code>
        ))}
        is no longer backed up. Its snapshots are kept.
      </p>
      <p class="row">
        <button type="submit" class="danger">
          Remove {source.name} from {server.name}
        </button>
        <a href={pathOf(server)}>Cancel</a>
      </p>
    </form>,
  );
