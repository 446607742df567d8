import type {
  BrowseSnapshot,
  SnapshotDirectory,
} from '../../../../../application/backups/browse-snapshot.ts';
import type { RequestRestore } from '../../../../../application/backups/request-restore.ts';
import { type Snapshot, snapshotNotFound } from '../../../../../domain/backups/snapshot.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import { JobAlreadyActive } from '../../../../../domain/jobs/job.ts';
import { below, Crumbs, withPlace } from '../../components/crumbs.tsx';
import { Choices, Field, FormFault, type FormState, NEW_FORM } from '../../components/form.tsx';
import { offsetOf } from '../../components/paging.tsx';
import { size } from '../../components/size.ts';
import { Ago } from '../../components/time.tsx';
import { idOf, submit } from '../../form-state.ts';
import { fileReply, page, redirect, type SignedInVisit, type WebReply, type WebRoute } from '../../route.ts';
import { EntryTable } from '../files/entry-table.tsx';
import { type BackupDeps, toJob } from './backups.tsx';
import { dumpRestorePage, type SnapshotDumpDeps, SnapshotDumps, startDumpDryRun } from './snapshot-dumps.tsx';
import { Verified } from './snapshot-rows.tsx';

export interface SnapshotDeps extends Pick<BackupDeps, 'triggerJob'>, SnapshotDumpDeps {
  readonly browseSnapshot: Pick<BrowseSnapshot, 'admit' | 'list' | 'download'>;
  readonly requestRestore: Pick<RequestRestore, 'execute'>;
}

const ROWS = 100;

/** Contents of a snapshot, and downloads. */
export function snapshotRoutes(deps: SnapshotDeps): readonly WebRoute[] {
  return [
    {
      method: 'GET',
      path: '/snapshots/:id',
      needs: 'operator',
      handle: (visit) => browsePage(deps, visit),
    },
    {
      method: 'GET',
      path: '/snapshots/:id/download',
      needs: 'operator',
      handle: async ({ visitor, params, query, gone }) =>
        fileReply(
          await deps.browseSnapshot.download(
            visitor.actor,
            snapshotId(params['id']),
            query.get('p') ?? '',
            gone,
          ),
        ),
    },
    {
      method: 'POST',
      path: '/snapshots/:id/verify',
      needs: 'operator',
      handle: async ({ visitor, params }) => {
        const { id, serverId } = await deps.browseSnapshot.admit(visitor.actor, snapshotId(params['id']));
        return toJob(deps, visitor.actor, { serverId, jobType: 'snapshot_verify', snapshotId: id });
      },
    },
    {
      method: 'GET',
      path: '/snapshots/:id/restore',
      needs: 'operator',
      handle: (visit) => restorePage(deps, visit, visit.query.get('p') ?? '', NEW_FORM),
    },
    {
      method: 'POST',
      path: '/snapshots/:id/restore',
      needs: 'operator',
      handle: (visit) =>
        submit(
          visit.form,
          () => startRestore(deps, visit),
          (state) => restorePage(deps, visit, visit.form.get('path') ?? '', state, 422),
        ),
    },
    {
      method: 'GET',
      path: '/snapshots/:id/dumps/:dump',
      needs: 'operator',
      handle: async (visit) => dumpRestorePage(deps, visit, await admitted(deps, visit), NEW_FORM),
    },
    {
      method: 'POST',
      path: '/snapshots/:id/dumps/:dump',
      needs: 'operator',
      handle: async (visit) => {
        const snapshot = await admitted(deps, visit);
        return submit(
          visit.form,
          () => startDumpDryRun(deps, visit, snapshot),
          (state) => dumpRestorePage(deps, visit, snapshot, state, 422),
        );
      },
    },
  ];
}

function snapshotId(raw: string | undefined): number {
  const id = idOf(raw);
  if (id === null) throw snapshotNotFound(Number.NaN);
  return id;
}

const admitted = ({ browseSnapshot }: SnapshotDeps, { visitor, params }: SignedInVisit): Promise<Snapshot> =>
  browseSnapshot.admit(visitor.actor, snapshotId(params['id']));

async function browsePage(deps: SnapshotDeps, visit: SignedInVisit): Promise<WebReply> {
  const { visitor, params, query, now, gone } = visit;
  const directory = await deps.browseSnapshot.list(visitor.actor, snapshotId(params['id']), {
    p: query.get('p') ?? '',
    limit: ROWS,
    offset: offsetOf(query),
    signal: gone,
  });
  const { snapshot, path } = directory;
  const own = `/snapshots/${snapshot.id}`;
  const dumps = path.isRoot ? await deps.listSnapshotDumps.execute(visitor.actor, snapshot.id, gone) : [];
  return page(
    'backups',
    `Snapshot ${snapshot.id} of ${snapshot.sourceName}`,
    <>
      <p>
        <a href={`/servers/${snapshot.serverId}/backups`}>Backups of this server</a> · taken{' '}
        <Ago at={snapshot.startedAt} now={now} /> · {snapshot.fileCount} files, {size(snapshot.totalBytes)} ·
        verified: <Verified snapshot={snapshot} now={now} />
      </p>
      <SnapshotDumps own={own} dumps={dumps} />
      <div class="toolbar">
        <Crumbs root="/" path={own} names={path.names} />
        <a class="button" href={withPlace(`${own}/restore`, String(path))}>
          {path.isRoot ? 'Restore all of it' : 'Restore this directory'}
        </a>
      </div>
      <Entries directory={directory} own={own} now={now} query={query} />
    </>,
  );
}

function Entries({
  directory: { path, found },
  own,
  now,
  query,
}: {
  readonly directory: SnapshotDirectory;
  readonly own: string;
  readonly now: number;
  readonly query: URLSearchParams;
}) {
  const placeOf = (name: string): string => below(String(path), name);
  return (
    <EntryTable
      entries={found.items}
      now={now}
      empty="The directory is empty."
      paging={{ found, path: own, query }}
      hrefOf={({ kind, shown }) => (kind === 'dir' ? withPlace(own, placeOf(shown.text)) : null)}
      actions={({ kind, denied, shown }) =>
        (kind === 'file' && !denied ? ['Download', 'Restore'] : ['Restore'])
          .filter(() => !shown.escaped)
          .map((label) => ({ label, href: withPlace(`${own}/${label.toLowerCase()}`, placeOf(shown.text)) }))
      }
    />
  );
}

async function startRestore(deps: SnapshotDeps, { visitor, params, form }: SignedInVisit): Promise<WebReply> {
  try {
    const job = await deps.requestRestore.execute(visitor.actor, {
      snapshotId: snapshotId(params['id']),
      path: form.get('path') ?? '',
      directory: form.get('where') === 'original' ? null : (form.get('directory') ?? '').trim(),
      overwrite: form.get('overwrite') === 'yes',
      confirmation: form.get('confirmation') ?? '',
    });
    return redirect(`/jobs/${job.id}`);
  } catch (error) {
    if (error instanceof JobAlreadyActive) return redirect(`/jobs/${error.job.id}`);
    throw error;
  }
}

async function restorePage(
  deps: SnapshotDeps,
  { visitor, params, now }: SignedInVisit,
  path: string,
  state: FormState,
  status = 200,
): Promise<WebReply> {
  const snapshot = await deps.browseSnapshot.admit(visitor.actor, snapshotId(params['id']));
  const server = await deps.getServer.execute(visitor.actor, snapshot.serverId);
  return page(
    'backups',
    `Restore from snapshot ${snapshot.id}`,
    <RestoreForm {...{ snapshot, server, path, state, now }} />,
    status,
  );
}

interface RestoreFormProps {
  readonly snapshot: Snapshot;
  readonly server: Server;
  readonly path: string;
  readonly state: FormState;
  readonly now: number;
}

function RestoreForm({ snapshot, server, path, state, now }: RestoreFormProps) {
  const own = `/snapshots/${snapshot.id}`;
  const what = path === '' ? 'everything in it' : `/${path}`;
  return (
    <form method="post" action={`${own}/restore`} class="column">
      <FormFault state={state} />
      <dl class="facts">
        <dt>What</dt>
        <dd class="mono">{what}</dd>
        <dt>Of</dt>
        <dd>
          <a href={own}>
            {snapshot.sourceName}, taken <Ago at={snapshot.startedAt} now={now} />
          </a>
        </dd>
        <dt>To the server</dt>
        <dd>
          <a href={`/servers/${server.id}`}>{server.name}</a>
        </dd>
      </dl>
      <input type="hidden" name="path" value={path} />
      <Choices
        state={state}
        name="where"
        legend="Where to"
        type="radio"
        chosen={['directory']}
        choices={[
          {
            value: 'directory',
            label: 'Into a directory of the server',
            help: 'Files are restored below it with their full paths. Nothing else on the server changes.',
          },
          {
            value: 'original',
            label: 'Where it came from',
            help: `Writes over what ${server.name} has there now (${what}). Files that the snapshot does not have stay.`,
          },
        ]}
      />
      <Field
        state={state}
        name="directory"
        label="Directory"
        value={`/var/tmp/restored-${snapshot.id}`}
        help="For the first choice; created if it does not exist."
        required={false}
      />
      <Choices
        state={state}
        name="overwrite"
        legend="If it is not empty"
        type="checkbox"
        chosen={[]}
        choices={[{ value: 'yes', label: 'Restore anyway, and overwrite files that differ' }]}
      />
      <Field
        state={state}
        name="confirmation"
        label="Name of the server"
        help={
          <>
            To overwrite files, type <code>{server.name}</code>
          </>
        }
        required={false}
      />
      <p class="actions">
        <button type="submit">{`Restore to ${server.name}`}</button>
        <a href={withPlace(own, '')}>Cancel</a>
      </p>
    </form>
  );
}
